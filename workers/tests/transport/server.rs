//! A nats-server on a port of its own, with its streams in a temporary folder. Both are gone when a test ends.

use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use flipside_workers::{
    Address, Connection, Key, Options, QueueName, TransportDirector, Worker, WorkerName,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Until the server has started, or has answered. A machine with a busy disk needs some of it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Between two looks at something that is awaited.
const INTERVAL: Duration = Duration::from_millis(20);

/// Ports that the system gives to nobody who does not ask for one of them.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// A server with JetStream and without users.
const OPEN: &str = r#"
jetstream { store_dir: "@FOLDER@/streams", sync_interval: always, max_file_store: 8GB }
"#;

pub(crate) struct TransportServer {
    process: Child,
    folder: TempDir,
    port: Port,
}

/// A port that no other test takes, even while the server is away that listens there.
struct Port {
    number: u16,
    _claim: UnixListener,
}

impl Port {
    fn take() -> Self {
        // Programs that start at the same moment begin their search in different places.
        let first = std::process::id() as u16 % PORTS.len() as u16;
        let numbers = PORTS.skip(first.into()).chain(PORTS);
        let claimed = |number: u16| {
            let claim = format!("flipside-test-port-{number}");
            let claim = SocketAddr::from_abstract_name(claim).unwrap();
            let claim = UnixListener::bind_addr(&claim).ok()?;
            TcpListener::bind(("127.0.0.1", number)).ok()?;
            Some(Port {
                number,
                _claim: claim,
            })
        };
        { numbers }.find_map(claimed).expect("there is a free port")
    }
}

impl TransportServer {
    /// Starts a server that everybody may use.
    pub(crate) fn open() -> Self {
        TransportServer::start(OPEN)
    }

    /// Starts a server with this configuration; `@FOLDER@` becomes its folder.
    pub(crate) fn start(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let config = config.replace("@FOLDER@", &path);
        fs::write(folder.path().join("nats.conf"), config).unwrap();
        let port = Port::take();
        let process = launch(folder.path(), port.number);
        let mut server = TransportServer {
            process,
            folder,
            port,
        };
        server.wait_until_it_listens();
        server
    }

    /// Starts a server with the configuration that the documentation names, for an arena and two workers with these
    /// keys.
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
        TransportServer::start(&format!("{before}{after}"))
    }

    fn wait_until_it_listens(&mut self) {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if TcpStream::connect(("127.0.0.1", self.port.number)).is_ok() {
                return;
            }
            if let Some(status) = self.process.try_wait().unwrap() {
                panic!("nats-server ended with {status}: {}", self.log());
            }
            thread::sleep(INTERVAL);
        }
        panic!("nats-server does not listen: {}", self.log());
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
        self.process = launch(self.folder.path(), self.port.number);
        self.wait_until_it_listens();
    }

    pub(crate) fn address(&self) -> Address {
        format!("nats://127.0.0.1:{}", self.port.number)
            .parse()
            .unwrap()
    }

    pub(crate) async fn connect(&self, options: &Options) -> Connection {
        match Connection::connect(&self.address(), options).await {
            Ok(connection) => connection,
            Err(error) => panic!("{error}: {}", self.log()),
        }
    }

    /// A director who has set the server up.
    pub(crate) async fn director(&self) -> TransportDirector {
        // However long a machine takes, what is delivered does not come again.
        self.hasty_director(Duration::from_secs(3600)).await
    }

    /// The same, whose work comes again after a short time.
    pub(crate) async fn hasty_director(&self, ack_wait: Duration) -> TransportDirector {
        let options = Options {
            ack_wait,
            ..options("director")
        };
        self.director_with(&options).await
    }

    async fn director_with(&self, options: &Options) -> TransportDirector {
        let director = TransportDirector::new(self.connect(options).await);
        director.set_up(&queue()).await.unwrap();
        director
    }

    pub(crate) async fn worker(&self, name: &str) -> Worker {
        Worker::new(self.connect(&options(name)).await)
    }
}

impl Drop for TransportServer {
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

/// Of somebody who waits however long the server takes.
pub(crate) fn options(name: &str) -> Options {
    Options {
        connect_timeout: PATIENCE,
        call_timeout: PATIENCE,
        ..Options::new(WorkerName::new(name).unwrap())
    }
}

/// The configuration in the documentation. The tests of the command start servers, too.
fn documented_file() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("docs/organisers/workers/nats.conf"));
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

fn launch(folder: &Path, port: u16) -> Child {
    Command::new(program())
        .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
        .arg("--config")
        .arg(folder.join("nats.conf"))
        .arg("--log")
        .arg(folder.join("log"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
