//! A browser without a window that a test drives: chromedriver, and just as much of the WebDriver protocol as is
//! needed. Both are ended and their folder is removed, however a test ends.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Until a page has become what a test waits for. A busy machine needs some of it, a broken page all.
const PATIENCE: Duration = Duration::from_secs(400);

/// How often a browser is started that ends at once.
const MAX_STARTS: u32 = 3;

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
    // No name and no address but this machine leads anywhere.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// What a page that is being left answers, before the next one is there.
const BETWEEN_PAGES: [&str; 4] = [
    "stale element reference",
    "no such element",
    "no such execution context",
    "unknown error",
];

/// The key of an element's id in answers.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one page.
pub(crate) struct TestBrowser {
    driver: Child,
    port: u16,
    /// The address of the session, once there is one.
    session: String,
    folder: TempDir,
}

impl TestBrowser {
    /// Starts a browser with a window as on a desk.
    pub(crate) fn desk(flags: &[&str]) -> Self {
        let flags = [&["--window-size=1280,1000"], flags].concat();
        TestBrowser::start(&json!({ "args": flags }))
    }

    /// Starts a browser with the screen of a phone.
    pub(crate) fn phone(width: u32, height: u32) -> Self {
        let screen = json!({ "width": width, "height": height, "pixelRatio": 2.0, "touch": false });
        let phone = json!({ "deviceMetrics": screen });
        TestBrowser::start(&json!({ "args": [], "mobileEmulation": phone }))
    }

    /// Starts a browser with the screen of a phone that is touched.
    pub(crate) fn touching(width: u32, height: u32) -> Self {
        let screen = json!({ "width": width, "height": height, "pixelRatio": 1.0, "touch": true });
        let phone = json!({ "deviceMetrics": screen });
        TestBrowser::start(&json!({ "args": [], "mobileEmulation": phone }))
    }

    fn start(options: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            // What the browser leaves there goes with it.
            .env("TMPDIR", folder.path())
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
        let mut browser = TestBrowser {
            driver,
            port: port.expect("chromedriver says its port"),
            session: String::new(),
            folder,
        };
        browser.begin(options);
        browser
    }

    fn begin(&mut self, options: &Value) {
        let mut tries = 0;
        let session = loop {
            let mut options = options.clone();
            let data = self.folder.path().join(format!("browser-{tries}"));
            let args = options["args"].as_array_mut().expect("args are a list");
            args.extend(FLAGS.map(Value::from));
            args.push(format!("--user-data-dir={}", data.display()).into());
            let wanted = json!({ "capabilities": { "alwaysMatch": {
                "browserName": "chrome",
                // The longest page is looked at for some time.
                "timeouts": { "script": 300_000, "pageLoad": 300_000 },
                "goog:chromeOptions": options,
                "goog:loggingPrefs": { "browser": "ALL" },
            }}});
            tries += 1;
            match self.try_ask("POST", "/session", &wanted) {
                Ok(session) => break session,
                // Of many browsers that start at the same moment, one was seen to end.
                Err(error) if error["error"] == "session not created" && tries < MAX_STARTS => {}
                Err(error) => panic!("the browser does not start: {error}"),
            }
        };
        let id = session["sessionId"].as_str().expect("a session has an id");
        self.session = format!("/session/{id}");
    }

    /// A folder that is removed with the browser.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) fn open(&self, address: &str) {
        let before = self.address();
        self.post("/url", &json!({ "url": address }));
        // Under load, a browser was seen to stay where it was, and to say nothing.
        if self.address() == before && before != address {
            self.post("/url", &json!({ "url": address }));
        }
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

    /// Presses a pointer of a kind, `mouse` or `touch`, at the first of these points of the window, leads it over the
    /// others, and releases it at the last one.
    pub(crate) fn point(&self, kind: &str, points: &[(f64, f64)]) {
        let to = |(x, y): &(f64, f64)| {
            let (x, y) = (x.round(), y.round());
            json!({ "type": "pointerMove", "duration": 20, "origin": "viewport", "x": x, "y": y })
        };
        let mut actions = vec![
            to(&points[0]),
            json!({ "type": "pointerDown", "button": 0 }),
        ];
        actions.extend(points[1..].iter().map(to));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let pointer = json!({
            "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions,
        });
        self.post("/actions", &json!({ "actions": [pointer] }));
    }

    /// Runs a function's body in the page; what it returns.
    pub(crate) fn run(&self, script: &str, args: &[Value]) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": args }))
    }

    /// Waits until a function's body returns true.
    pub(crate) fn wait(&self, what: &str, script: &str, args: &[Value]) {
        let body = json!({ "script": script, "args": args });
        self.until(what, || {
            let told = self.unless_between("/execute/sync", &body)?;
            (told == Value::Bool(true)).then_some(())
        });
    }

    /// Waits until the text of the page has this in it.
    pub(crate) fn wait_for_text(&self, text: &str) {
        let script = "return document.body.innerText.includes(arguments[0])";
        self.wait(&format!("the text {text:?}"), script, &[text.into()]);
    }

    /// Clicks what a CSS selector finds, as soon as it is there. Something that covers it is an error.
    pub(crate) fn click(&self, selector: &str) {
        self.until(&format!("a click on {selector}"), || {
            let element = self.element(selector)?;
            // Pages scroll smoothly, and a click would land beside what still moves.
            let scroll = "arguments[0].scrollIntoView({ behavior: 'instant', block: 'center' })";
            let args = json!({ "script": scroll, "args": [{ ELEMENT: &element }] });
            self.unless_between("/execute/sync", &args)?;
            self.unless_between(&format!("/element/{element}/click"), &json!({}))
        });
    }

    /// Types into a field, or gives it the path of a file. What was in it goes.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        let body = json!({ "text": text });
        self.until(&format!("typing into {selector}"), || {
            let element = self.element(selector)?;
            let is_file = "return arguments[0].type === 'file'";
            let args = json!({ "script": is_file, "args": [{ ELEMENT: element }] });
            if self.unless_between("/execute/sync", &args)? == Value::Bool(false) {
                self.unless_between(&format!("/element/{element}/clear"), &json!({}))?;
            }
            self.unless_between(&format!("/element/{element}/value"), &body)
        });
    }

    /// The id of what a CSS selector finds.
    fn element(&self, selector: &str) -> Option<String> {
        let body = json!({ "using": "css selector", "value": selector });
        let found = self.unless_between("/element", &body)?;
        Some(found[ELEMENT].as_str().expect("it has an id").to_owned())
    }

    /// Waits until there is something.
    fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            if begun.elapsed() >= PATIENCE {
                let (address, text) = (self.address(), self.text());
                panic!("not in time: {what}\n{address}\n{text}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks for something that a page cannot answer while another one comes.
    fn unless_between(&self, path: &str, body: &Value) -> Option<Value> {
        match self.try_ask("POST", &format!("{}{path}", self.session), body) {
            Ok(value) => Some(value),
            Err(error) if BETWEEN_PAGES.iter().any(|known| error["error"] == *known) => None,
            Err(error) => panic!("{path} {body}: {error}"),
        }
    }

    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        let address = self.run("return location.href", &[]);
        address.as_str().expect("an address is text").to_owned()
    }

    /// The text of the page, as a person sees it.
    pub(crate) fn text(&self) -> String {
        let text = self.run("return document.body.innerText", &[]);
        text.as_str().expect("it is text").to_owned()
    }

    /// Asks the browser itself, by the protocol of its developer tools.
    pub(crate) fn tell(&self, command: &str, params: &Value) -> Value {
        let body = json!({ "cmd": command, "params": params });
        self.post("/goog/cdp/execute", &body)
    }

    /// Shows pages by `light` or `dark`.
    pub(crate) fn scheme(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }

    /// Takes the screen of a phone.
    pub(crate) fn phone_screen(&self) {
        let screen = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
        self.tell("Emulation.setDeviceMetricsOverride", &screen);
    }

    /// Goes back to the window that it was started with.
    pub(crate) fn own_screen(&self) {
        self.tell("Emulation.clearDeviceMetricsOverride", &json!({}));
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
        let answer = self.try_ask(method, path, body);
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
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
        match value["error"].is_null() {
            true => Ok(value),
            false => Err(value),
        }
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

impl Drop for TestBrowser {
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
