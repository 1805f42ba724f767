//! A nats-server on a free port of this machine, with its streams in a temporary folder. Both are gone when a test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flipside_workers::{
    Address, Connection, Director, Key, Options, QueueName, Worker, WorkerName,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Until the server has started. A slow machine needs some of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at something that is awaited.
const INTERVAL: Duration = Duration::from_millis(20);

/// A server with JetStream and without users.
const OPEN: &str = r#"
jetstream { store_dir: "@FOLDER@/streams", sync_interval: always, max_file_store: 8GB }
"#;

pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
}

impl Server {
    /// Starts a server that everybody may use.
    pub(crate) fn open() -> Self {
        Server::start(OPEN)
    }

    /// Starts a server with this configuration; `@FOLDER@` becomes its folder.
    pub(crate) fn start(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let config = config.replace("@FOLDER@", &path);
        fs::write(folder.path().join("nats.conf"), config).unwrap();
        // The server chooses a free port itself.
        let process = launch(folder.path(), -1);
        let mut server = Server {
            process,
            folder,
            port: 0,
        };
        server.port = server.chosen_port();
        server
    }

    /// Starts a server with the configuration that the documentation names, for an arena and two workers with these keys.
    pub(crate) fn documented(keys: &[Key; 3]) -> Self {
        let names = ["THE ARENA", "WORKER 1", "WORKER 2"];
        let mut config = fs::read_to_string(documented_file()).unwrap();
        for (name, key) in names.iter().zip(keys) {
            let placeholder = format!("REPLACE WITH THE PUBLIC KEY OF {name}");
            assert!(config.contains(&placeholder));
            config = config.replace(&placeholder, &key.public);
        }
        // A test has a folder of its own and no certificate.
        config = config.replace("/var/lib/nats", "@FOLDER@/streams");
        let (before, tls) = config.split_once("\ntls {").unwrap();
        let (_, after) = tls.split_once("\n}\n").unwrap();
        Server::start(&format!("{before}{after}"))
    }

    /// The server writes the ports that it chose into a file.
    fn chosen_port(&mut self) -> u16 {
        let name = format!("nats-server_{}.ports", self.process.id());
        let path = self.folder.path().join(name);
        self.wait("names its port", || {
            let text = fs::read_to_string(&path).ok()?;
            // An address, with the scheme `nats` or `tls`.
            let (_, rest) = text.split_once("://127.0.0.1:")?;
            let (port, _) = rest.split_once('"')?;
            port.parse().ok()
        })
    }

    fn wait<T>(&mut self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(found) = look() {
                return found;
            }
            if let Some(status) = self.process.try_wait().unwrap() {
                panic!("nats-server ended with {status}: {}", self.log());
            }
            thread::sleep(INTERVAL);
        }
        panic!(
            "nats-server does not do this in time: it {what}: {}",
            self.log()
        );
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Ends the server with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Lets the server hang, or go on.
    pub(crate) fn pause(&self, hangs: bool) {
        let signal = if hangs { Signal::STOP } else { Signal::CONT };
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// Starts the server again, with the same port and folder.
    pub(crate) fn restart(&mut self) {
        self.process = launch(self.folder.path(), i32::from(self.port));
        let address = format!("127.0.0.1:{}", self.port);
        self.wait("listens again", || {
            std::net::TcpStream::connect(&address).ok()
        });
    }

    pub(crate) fn address(&self) -> Address {
        format!("nats://127.0.0.1:{}", self.port).parse().unwrap()
    }

    pub(crate) async fn connect(&self, options: &Options) -> Connection {
        match Connection::connect(&self.address(), options).await {
            Ok(connection) => connection,
            Err(error) => panic!("{error}: {}", self.log()),
        }
    }

    /// A director who has set the server up.
    pub(crate) async fn director(&self) -> Director {
        self.director_with(&options("director")).await
    }

    /// The same, whose work comes again after a short time.
    pub(crate) async fn hasty_director(&self, ack_wait: Duration) -> Director {
        let options = Options {
            ack_wait,
            ..options("director")
        };
        self.director_with(&options).await
    }

    async fn director_with(&self, options: &Options) -> Director {
        let director = Director::new(self.connect(options).await);
        director.set_up(&queue()).await.unwrap();
        director
    }

    pub(crate) async fn worker(&self, name: &str) -> Worker {
        Worker::new(self.connect(&options(name)).await)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed by the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The queue of work that a test uses.
pub(crate) fn queue() -> QueueName {
    QueueName::new("0-1-0").unwrap()
}

pub(crate) fn options(name: &str) -> Options {
    Options::new(WorkerName::new(name).unwrap())
}

/// The configuration in the documentation. The tests of the command start servers, too.
fn documented_file() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("docs/workers/nats.conf"));
    files
        .find(|file| file.exists())
        .expect("there is a nats.conf")
}

/// The program, in the target folder of the workspace.
fn program() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut programs = folders.map(|folder| folder.join("target/nats/nats-server"));
    programs
        .find(|program| program.exists())
        .expect("there is a target/nats/nats-server: scripts/need-nats brings it")
}

fn launch(folder: &Path, port: i32) -> Child {
    Command::new(program())
        .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
        .arg("--config")
        .arg(folder.join("nats.conf"))
        .arg("--log")
        .arg(folder.join("log"))
        .arg("--ports_file_dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
