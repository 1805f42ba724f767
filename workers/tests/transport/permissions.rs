//! The permissions in `docs/workers/nats.conf` suffice for a director and for workers, and for nothing else.

use std::fs;
use std::path::Path;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, ServerError};
use flipside_workers::{
    Connection, Credentials, Director, Error, Key, Options, RunId, Sha256Hash, Worker,
};
use futures_util::StreamExt;

use crate::server::{Server, options};
use crate::{SHORT, next, publish, queue, result, text};

/// How long a refused request is awaited.
const PATIENCE: Duration = Duration::from_secs(10);

struct Arena {
    server: Server,
    keys: [Key; 3],
}

impl Arena {
    fn start() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/workers/nats.conf");
        let mut config = fs::read_to_string(path).unwrap();
        let keys = [Key::random(), Key::random(), Key::random()];
        let names = ["THE ARENA", "WORKER 1", "WORKER 2"];
        for (name, key) in names.iter().zip(&keys) {
            let placeholder = format!("REPLACE WITH THE PUBLIC KEY OF {name}");
            assert!(config.contains(&placeholder));
            config = config.replace(&placeholder, &key.public);
        }
        // A test has a folder of its own and no certificate.
        config = config.replace("/var/lib/nats", "@FOLDER@/streams");
        let (before, tls) = config.split_once("\ntls {").unwrap();
        let (_, after) = tls.split_once("\n}\n").unwrap();
        Arena {
            server: Server::start(&format!("{before}{after}")),
            keys,
        }
    }

    async fn connect(&self, name: &str, user: usize) -> Connection {
        let options = Options {
            credentials: Some(Credentials::Seed(self.keys[user].seed.clone())),
            ..options(name)
        };
        self.server.connect(&options).await
    }

    async fn director(&self) -> Director {
        let director = Director::new(self.connect("director", 0).await);
        director.set_up().await.unwrap();
        director
    }

    async fn worker(&self, number: usize) -> Worker {
        Worker::new(self.connect(&format!("worker-{number}"), number).await)
    }

    /// A client that may try anything as the first worker.
    async fn hostile(&self) -> (Client, tokio::sync::mpsc::UnboundedReceiver<String>) {
        let (sender, denials) = tokio::sync::mpsc::unbounded_channel();
        let client = ConnectOptions::new()
            .nkey(self.keys[1].seed.clone())
            .custom_inbox_prefix("_INBOX.worker-1")
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(message)) = event {
                    sender.send(message).ok();
                }
                std::future::ready(())
            })
            .connect(self.server.address().to_string())
            .await
            .unwrap();
        (client, denials)
    }
}

#[tokio::test]
async fn the_permissions_suffice() {
    let arena = Arena::start();
    let director = arena.director().await;
    // The streams are there now: this is an update.
    director.set_up().await.unwrap();
    let run = RunId::random();
    let file = Sha256Hash::of(b"bot");
    director.put_file(&file, &"bot".into()).await.unwrap();

    for number in [1, 2] {
        publish(&director, &run, [number]).await;
        let worker = arena.worker(number).await;
        worker.announce("here".into()).await.unwrap();
        let item = next(&worker).await;
        item.in_progress().await.unwrap();
        assert_eq!(worker.get_file(&file).await.unwrap(), "bot");
        worker
            .send_result(item.run(), text(&item), "record".into())
            .await
            .unwrap();
        let large = vec![1; 2 << 20];
        worker
            .send_result(item.run(), "large", large.into())
            .await
            .unwrap();
        item.done().await.unwrap();
        assert_eq!(director.workers().await.unwrap().len(), 1);
        for size in ["record".len(), 2 << 20] {
            let result = result(&director, &run).await;
            assert_eq!(result.worker().as_str(), format!("worker-{number}"));
            assert_eq!(result.payload().await.unwrap().len(), size);
            result.ack().await.unwrap();
        }
        worker.leave().await.unwrap();
        assert!(worker.next(&queue(), 1, SHORT).await.unwrap().is_empty());
    }
    director.forget(&run).await.unwrap();
}

#[tokio::test]
async fn a_worker_cannot_do_what_a_director_does() {
    let arena = Arena::start();
    let real = arena.director().await;
    let run = RunId::random();
    real.put_file(&Sha256Hash::of(b"bot"), &"bot".into())
        .await
        .unwrap();
    arena
        .worker(2)
        .await
        .send_result(&run, "1", "secret".into())
        .await
        .unwrap();

    let director = Director::new(arena.connect("worker-1", 1).await);
    let denied = |tried: Result<(), Error>| match tried {
        Err(error) => assert!(matches!(error, Error::Forbidden(_)), "{error:?}"),
        Ok(()) => panic!("a worker may do it"),
    };
    denied(director.set_up().await);
    denied(
        director
            .publish(&run, &queue(), "1", "x".into())
            .await
            .map(drop),
    );
    denied(director.results(&run, 1, SHORT).await.map(drop));
    denied(director.forget(&run).await);
    denied(
        director
            .put_file(&Sha256Hash::of(b"x"), &"x".into())
            .await
            .map(drop),
    );
    denied(director.workers().await.map(drop));
    let other = Worker::new(arena.connect("worker-1", 1).await);
    let slow = flipside_workers::QueueName::new("slow").unwrap();
    denied(other.next(&slow, 1, SHORT).await.map(drop));

    let result = result(&real, &run).await;
    assert_eq!(result.payload().await.unwrap(), "secret");
}

#[tokio::test]
async fn a_worker_cannot_use_the_name_of_another() {
    let arena = Arena::start();
    arena.director().await;
    // Even connecting fails, as another's answers cannot be read.
    let options = Options {
        credentials: Some(Credentials::Seed(arena.keys[1].seed.clone())),
        ..options("worker-2")
    };
    let error = Connection::connect(&arena.server.address(), &options)
        .await
        .err();
    assert!(matches!(error, Some(Error::Forbidden(_))), "{error:?}");
}

/// What a worker must not publish: what a director does, what others do, and what nobody does.
fn denied_subjects(run: &RunId) -> Vec<String> {
    vec![
        format!("flipside.work.{run}.0-1-0"),
        format!("flipside.results.{run}.worker-2"),
        "$KV.flipside-workers.worker-2".into(),
        "$O.flipside-files.C.x".into(),
        "$O.flipside-files.M.x".into(),
        "$JS.API.STREAM.DELETE.FLIPSIDE_WORK".into(),
        "$JS.API.STREAM.DELETE.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.PURGE.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.UPDATE.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.CREATE.mine".into(),
        "$JS.API.STREAM.MSG.GET.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.MSG.DELETE.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.SNAPSHOT.FLIPSIDE_RESULTS".into(),
        "$JS.API.STREAM.NAMES".into(),
        "$JS.API.DIRECT.GET.FLIPSIDE_RESULTS".into(),
        "$JS.API.DIRECT.GET.OBJ_flipside-large".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_RESULTS".into(),
        format!("$JS.API.CONSUMER.CREATE.FLIPSIDE_RESULTS.0-1-0.flipside.results.{run}.*"),
        "$JS.API.CONSUMER.DURABLE.CREATE.FLIPSIDE_RESULTS.mine".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK.slow.flipside.work.*.slow".into(),
        "$JS.API.CONSUMER.DELETE.FLIPSIDE_WORK.0-1-0".into(),
        format!("$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_RESULTS.{run}"),
        format!("$JS.ACK.FLIPSIDE_RESULTS.{run}.1.1.1.1.0"),
        "_INBOX.director.x".into(),
        "$SYS.REQ.SERVER.PING".into(),
    ]
}

/// Requests that the transport never makes.
#[tokio::test]
async fn a_hostile_worker_is_denied() {
    let arena = Arena::start();
    let director = arena.director().await;
    let run = RunId::random();
    publish(&director, &run, [1]).await;
    arena
        .worker(2)
        .await
        .send_result(&run, "1", "secret".into())
        .await
        .unwrap();
    let (client, mut denials) = arena.hostile().await;

    for subject in denied_subjects(&run) {
        client.publish(subject.clone(), "{}".into()).await.unwrap();
        let denial = tokio::time::timeout(PATIENCE, denials.recv()).await;
        let denial = denial
            .unwrap_or_else(|_| panic!("{subject} is permitted"))
            .unwrap();
        assert!(denial.contains(&subject), "{subject}: {denial}");
    }
    for subject in [
        ">",
        "flipside.>",
        "flipside.results.>",
        "_INBOX.>",
        "_INBOX.worker-2.>",
        "$JS.>",
    ] {
        let mut heard = client.subscribe(subject).await.unwrap();
        let denial = tokio::time::timeout(PATIENCE, denials.recv()).await;
        let denial = denial
            .unwrap_or_else(|_| panic!("{subject} is permitted"))
            .unwrap();
        assert!(
            denial.contains(&format!("\"{subject}\"")),
            "{subject}: {denial}"
        );
        assert!(
            tokio::time::timeout(Duration::from_millis(50), heard.next())
                .await
                .is_err()
        );
    }
    // All is still there.
    assert_eq!(
        result(&director, &run).await.payload().await.unwrap(),
        "secret"
    );
    assert_eq!(text(&next(&arena.worker(2).await).await), "1");
}
