//! A browser without a window that a test drives: chromedriver, and just as much of the WebDriver protocol as is needed.
//! Both are ended and their folder is removed, however a test ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Until a page has become what a test waits for. A slow machine needs some of it, a broken page all.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a browser may not do beside showing a page.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    // No name and no address leads anywhere.
    "--host-resolver-rules=MAP * ~NOTFOUND",
];

/// A browser with one page.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    /// The address of the session, once there is one.
    session: String,
    folder: TempDir,
}

impl Browser {
    /// Starts a browser with a window as on a desk.
    pub(crate) fn desk(flags: &[&str]) -> Self {
        let flags = [&["--window-size=1280,1000"], flags].concat();
        Browser::start(&json!({ "args": flags }))
    }

    /// Starts a browser with the screen of a phone.
    pub(crate) fn phone(width: u32, height: u32) -> Self {
        let screen = json!({ "width": width, "height": height, "pixelRatio": 2.0, "touch": false });
        let phone = json!({ "deviceMetrics": screen });
        Browser::start(&json!({ "args": [], "mobileEmulation": phone }))
    }

    fn start(options: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("there is a chromedriver on PATH: scripts/need-browser installs it");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        // What it says later is read, so that it never waits.
        thread::spawn(move || lines.for_each(drop));
        let mut browser = Browser {
            driver,
            port: port.expect("chromedriver says its port"),
            session: String::new(),
            folder,
        };
        browser.begin(options.clone());
        browser
    }

    fn begin(&mut self, mut options: Value) {
        let data = self.folder.path().join("browser");
        let args = options["args"].as_array_mut().expect("args are a list");
        args.extend(FLAGS.map(Value::from));
        args.push(format!("--user-data-dir={}", data.display()).into());
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let session = self.ask("POST", "/session", &wanted);
        let id = session["sessionId"].as_str().expect("a session has an id");
        self.session = format!("/session/{id}");
    }

    /// A folder that is removed with the browser.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) fn open(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// Presses and releases keys, one after the other.
    pub(crate) fn press(&self, keys: &[char]) {
        let both = |key: &char| {
            let key = key.to_string();
            [
                json!({ "type": "keyDown", "value": key }),
                json!({ "type": "keyUp", "value": key }),
            ]
        };
        let actions: Vec<Value> = keys.iter().flat_map(both).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// Runs a function's body in the page; what it returns.
    pub(crate) fn run(&self, script: &str, args: &[Value]) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": args }))
    }

    /// Waits until a function's body returns true.
    pub(crate) fn wait(&self, what: &str, script: &str, args: &[Value]) {
        let begun = Instant::now();
        while self.run(script, args) != Value::Bool(true) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {script}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the browser complained about.
    pub(crate) fn complaints(&self) -> Value {
        self.post("/se/log", &json!({ "type": "browser" }))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    /// Asks the driver.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer: Value = serde_json::from_slice(&body_of(stream)).unwrap();
        let value = answer["value"].take();
        assert!(value["error"].is_null(), "{method} {path}: {value}");
        value
    }
}

/// Reads the body of an answer, which says its length.
fn body_of(stream: TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap();
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session ends the browser. A panic meanwhile would hide the first one.
        if !self.session.is_empty() {
            let path = self.session.clone();
            let end = std::panic::AssertUnwindSafe(|| self.ask("DELETE", &path, &json!({})));
            let _ = std::panic::catch_unwind(end);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
