//! The accounts and permissions in `docs/organisers/workers/nats.conf` suffice for a director and for workers, and for
//! nothing else.

use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, HeaderMap, RequestErrorKind, ServerError};
use flipside_workers::{
    Connection, Credentials, Error, Key, Options, RunId, Sha256Hash, TransportDirector, Worker,
};
use futures_util::StreamExt;

use crate::server::{TransportServer, options};
use crate::{SHORT, next, publish, queue, result, text};

/// How long an answer is awaited, or a denial.
const PATIENCE: Duration = Duration::from_secs(300);

struct PermissionArena {
    server: TransportServer,
    keys: [Key; 3],
}

impl PermissionArena {
    fn start() -> Self {
        let keys = [Key::random(), Key::random(), Key::random()];
        PermissionArena {
            server: TransportServer::documented(&keys),
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

    async fn director(&self) -> TransportDirector {
        let director = TransportDirector::new(self.connect("director", 0).await);
        director.set_up(&queue()).await.unwrap();
        director
    }

    async fn worker(&self, number: usize) -> Worker {
        Worker::new(self.connect(&format!("worker-{number}"), number).await)
    }

    /// A run of which the server has work, results of the second worker, its presence and a file.
    async fn with_everything(&self, director: &TransportDirector) -> (RunId, Sha256Hash) {
        let (run, file) = (RunId::random(), Sha256Hash::of(b"bot"));
        director.put_file(&file, &"bot".into()).await.unwrap();
        publish(director, &run, [1]).await;
        let honest = self.worker(2).await;
        honest.announce("here".into()).await.unwrap();
        for (id, size) in [("1", 6), ("large", 2 << 20)] {
            let record = vec![7; size];
            honest.send_result(&run, id, record.into()).await.unwrap();
        }
        (run, file)
    }

    /// What the server has, but for what the first worker may send itself.
    async fn all_there_is(&self, director: &TransportDirector, run: &RunId) -> String {
        let backlog = director.backlog(&queue()).await.unwrap();
        let workers = director.workers().await.unwrap();
        let workers = workers.into_iter().map(|it| (it.worker, it.payload));
        let workers: Vec<_> = workers.filter(|it| it.0.as_str() != "worker-1").collect();
        let (worker, hash) = (self.worker(2).await, Sha256Hash::of(b"bot"));
        let file = worker.get_file(&hash).await.unwrap();
        let mut sizes = Vec::new();
        for result in director.results(run, 9, SHORT).await.unwrap() {
            if result.worker().as_str() != "worker-1" {
                let payload = result.payload().await.unwrap();
                sizes.push((result.worker().to_string(), payload.len()));
            }
        }
        sizes.sort();
        format!(
            "{} {workers:?} {file:?} {sizes:?}",
            backlog.waiting + backlog.held
        )
    }

    /// A client that may try anything as the first worker.
    async fn hostile(&self) -> (Client, tokio::sync::mpsc::UnboundedReceiver<String>) {
        let (sender, denials) = tokio::sync::mpsc::unbounded_channel();
        let client = ConnectOptions::new()
            .nkey(self.keys[1].seed.clone())
            .custom_inbox_prefix("_INBOX.worker-1")
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
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
    let arena = PermissionArena::start();
    let director = arena.director().await;
    // The streams are there now: this is an update.
    director.set_up(&queue()).await.unwrap();
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
    assert!(director.has_nothing(&run, &queue()).await.unwrap());
    director.forget(&run).await.unwrap();
}

#[tokio::test]
async fn a_worker_cannot_do_what_a_director_does() {
    let arena = PermissionArena::start();
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

    let director = TransportDirector::new(arena.connect("worker-1", 1).await);
    // In its own account, nobody answers.
    let denied = |tried: Result<(), Error>| match tried {
        Err(error) => assert!(matches!(error, Error::NotSetUp(_)), "{error:?}"),
        Ok(()) => panic!("a worker may do it"),
    };
    denied(director.set_up(&queue()).await);
    denied(director.open(&queue()).await);
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
    let arena = PermissionArena::start();
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

/// Where a worker must reach nobody: what a director does, what others do, and what nobody does.
fn denied_subjects(run: &RunId) -> Vec<String> {
    vec![
        format!("flipside.work.{run}.0-1-0"),
        format!("flipside.results.{run}.worker-2"),
        "$KV.flipside-workers.worker-2".into(),
        "$O.flipside-files.C.x".into(),
        "$O.flipside-files.M.x".into(),
        format!("$O.flipside-large.C.worker-2.{run}.x"),
        format!("$O.flipside-large.M.worker-2.{run}"),
        "$O.flipside-large.C.x".into(),
        "$JS.API.STREAM.INFO.FLIPSIDE_WORK".into(),
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
        "$JS.API.STREAM.MSG.GET.OBJ_flipside-large".into(),
        "$JS.API.DIRECT.GET.OBJ_flipside-files".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_RESULTS".into(),
        format!("$JS.API.CONSUMER.CREATE.FLIPSIDE_RESULTS.0-1-0.flipside.results.{run}.*"),
        "$JS.API.CONSUMER.DURABLE.CREATE.FLIPSIDE_RESULTS.mine".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK.slow.flipside.work.*.slow".into(),
        "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK.0-1-0.flipside.work.*.0-1-0".into(),
        "$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_WORK.slow".into(),
        "$JS.API.CONSUMER.INFO.FLIPSIDE_WORK.0-1-0".into(),
        "$JS.API.CONSUMER.DELETE.FLIPSIDE_WORK.0-1-0".into(),
        format!("$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_RESULTS.{run}"),
        format!("$JS.ACK.FLIPSIDE_RESULTS.{run}.1.1.1.1.0"),
        "_INBOX.director.x".into(),
        "$SYS.REQ.SERVER.PING".into(),
    ]
}

/// Requests that the transport never makes.
#[tokio::test]
async fn a_hostile_worker_reaches_nobody() {
    let arena = PermissionArena::start();
    let director = arena.director().await;
    let (run, _) = arena.with_everything(&director).await;
    let before = arena.all_there_is(&director, &run).await;
    let (client, mut denials) = arena.hostile().await;

    for subject in denied_subjects(&run) {
        let answer = client.request(subject.clone(), "{}".into()).await;
        let kind = answer.map_err(|error| error.kind());
        assert!(
            matches!(kind, Err(RequestErrorKind::NoResponders)),
            "{subject}: {kind:?}"
        );
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
    assert_eq!(arena.all_there_is(&director, &run).await, before);
}

/// The server does not check the subject to which it answers, and answers there with its own rights.
#[tokio::test]
async fn an_answer_goes_nowhere_but_to_its_worker() {
    let arena = PermissionArena::start();
    let director = arena.director().await;
    let (run, file) = arena.with_everything(&director).await;
    let (client, _denials) = arena.hostile().await;
    // It may hold a job, too.
    publish(&director, &run, [2]).await;
    let pull = r#"{"batch":1,"expires":5000000000}"#;
    let next = "$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_WORK.0-1-0";
    let inbox = client.new_inbox();
    let mut jobs = client.subscribe(inbox.clone()).await.unwrap();
    client
        .publish_with_reply(next, inbox, pull.into())
        .await
        .unwrap();
    let held = jobs.next().await.unwrap();
    let ack = held.reply.expect("a job comes with where to confirm it");
    let before = arena.all_there_is(&director, &run).await;

    let get = "$JS.API.STREAM.MSG.GET.OBJ_flipside-files";
    let mut replies = denied_subjects(&run);
    replies.extend([
        "$JS.API.STREAM.PURGE.FLIPSIDE_WORK".into(),
        "$JS.API.STREAM.PURGE.OBJ_flipside-files".into(),
        "$JS.API.STREAM.DELETE.OBJ_flipside-files".into(),
        "$JS.API.STREAM.DELETE.KV_flipside-workers".into(),
        format!("$JS.API.CONSUMER.DELETE.FLIPSIDE_RESULTS.{run}"),
        format!("$O.flipside-files.M.{file}"),
    ]);
    for reply in replies {
        for (asked, body) in [
            ("$JS.API.INFO".to_owned(), ""),
            // There is none, and there is one.
            (get.into(), r#"{"seq":99}"#),
            (get.into(), r#"{"seq":1}"#),
            (next.into(), r#"{"batch":1,"no_wait":true}"#),
            (ack.to_string(), "+WPI"),
            ("$KV.flipside-workers.worker-1".into(), "{}"),
            ("$O.flipside-large.C.worker-1.x".into(), "{}"),
        ] {
            let sent = client.publish_with_reply(asked, reply.clone(), body.into());
            sent.await.unwrap();
        }
    }
    let other = format!("flipside.results.{run}.worker-2");
    let own = format!("flipside.results.{run}.worker-1");
    client
        .publish_with_reply(own.clone(), other, "x".into())
        .await
        .unwrap();
    // The server handles what one client sends in its order.
    client.request(own, "x".into()).await.unwrap();

    assert_eq!(arena.all_there_is(&director, &run).await, before);
    let results = director.results(&run, 9, SHORT).await.unwrap();
    let mut names: Vec<&str> = results.iter().map(|it| it.worker().as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["worker-1", "worker-1", "worker-2", "worker-2"]);
}

#[tokio::test]
async fn a_worker_cannot_roll_up_what_others_have_sent() {
    let arena = PermissionArena::start();
    let director = arena.director().await;
    let (run, _) = arena.with_everything(&director).await;
    let before = arena.all_there_is(&director, &run).await;
    let (client, _denials) = arena.hostile().await;
    for subject in [
        "$KV.flipside-workers.worker-1".to_owned(),
        "$O.flipside-large.C.worker-1.x".into(),
        "$O.flipside-large.M.worker-1.x".into(),
        format!("flipside.results.{run}.worker-1"),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Rollup", "all");
        let answer = client.request_with_headers(subject, headers, "x".into());
        let answer = String::from_utf8_lossy(&answer.await.unwrap().payload).into_owned();
        assert!(answer.contains("rollup not permitted"), "{answer}");
    }
    assert_eq!(arena.all_there_is(&director, &run).await, before);
}

/// An arena that was set up by a version whose buckets had rollups.
#[tokio::test]
async fn setting_up_again_forbids_rollups() {
    let server = TransportServer::open();
    let client = crate::client(&server).await;
    for (name, subjects) in [
        ("KV_flipside-workers", r#"["$KV.flipside-workers.>"]"#),
        (
            "OBJ_flipside-large",
            r#"["$O.flipside-large.C.>","$O.flipside-large.M.>"]"#,
        ),
    ] {
        let config = format!(
            r#"{{"name":"{name}","subjects":{subjects},"allow_rollup_hdrs":true,"storage":"file","num_replicas":1,"retention":"limits","discard":"new"}}"#
        );
        let create = format!("$JS.API.STREAM.CREATE.{name}");
        let answer = client.request(create, config.into()).await.unwrap();
        assert!(!String::from_utf8_lossy(&answer.payload).contains("error"));
    }
    server.director().await;
    for subject in ["$KV.flipside-workers.worker-1", "$O.flipside-large.C.x"] {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Rollup", "all");
        let answer = client.request_with_headers(subject, headers, "x".into());
        let answer = String::from_utf8_lossy(&answer.await.unwrap().payload).into_owned();
        assert!(answer.contains("rollup not permitted"), "{answer}");
    }
}
