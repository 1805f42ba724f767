//! Tournaments whose matches are played by workers: the same as here, whoever is killed, and whoever lies.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use flipside_workers::{Key, QueueName};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::{built, flipside, run, script};
use crate::fuel::{bots, exported};
use crate::nats::TransportServer;
use crate::rerun::{sealed, sha256};
use crate::shown::shown;
use crate::tournaments::landed;

/// Long enough for everything that is awaited, on a busy machine.
const LONG: Duration = Duration::from_secs(450);

/// A bot that is a bundle, and plays the first action.
const BUNDLED: &str = r#"
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "hello":
        print('{"type":"ready","actions":true}', flush=True)
    elif told["type"] == "turn":
        print(json.dumps({"type": "act", "id": told["id"], "action": told["actions"][0]}), flush=True)
"#;

/// A worker, which is killed when it is dropped.
pub(crate) struct CommandWorker(Child);

impl CommandWorker {
    pub(crate) fn start(folder: &Path, server: &TransportServer, name: &str) -> Self {
        CommandWorker::start_with(folder, server, name, &[])
    }

    fn start_with(folder: &Path, server: &TransportServer, name: &str, args: &[&str]) -> Self {
        let log = fs::File::create(folder.join(format!("{name}.log"))).unwrap();
        let child = flipside(folder)
            .args(["worker", "--server", &server.address().to_string()])
            .args(args)
            .args([
                "--name",
                name,
                "--folder",
                name,
                "--concurrency",
                "1",
                "--trust",
            ])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        CommandWorker(child.unwrap())
    }
}

impl Drop for CommandWorker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for a tournament that runs, and returns what it said.
pub(crate) fn end(mut tournament: Child) -> String {
    let until = Instant::now() + LONG;
    while tournament.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            let _ = tournament.kill();
            panic!("the tournament does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = tournament.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

pub(crate) fn begin(folder: &Path, server: &TransportServer, args: &str) -> Child {
    let address = server.address().to_string();
    flipside(folder)
        .args(args.split(' '))
        .args(["--seed", seed!(5)])
        .args(["--workers", &address])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The workers at a server.
fn workers(folder: &Path, server: &TransportServer) -> Vec<Value> {
    let address = server.address().to_string();
    let list = run(folder, &["workers", "--server", &address, "--json"]).ok();
    serde_json::from_str(&list).unwrap()
}

/// Waits until so many workers have announced themselves, at a server that a director has set up.
fn wait_for_workers(folder: &Path, server: &TransportServer, number: usize) {
    let until = Instant::now() + LONG;
    while workers(folder, server).len() < number {
        assert!(Instant::now() < until, "the workers do not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until a worker has said this. A worker that does not reach the server when it begins ends.
fn wait_for_line(folder: &Path, worker: &str, line: &str) {
    let (until, log) = (Instant::now() + LONG, folder.join(format!("{worker}.log")));
    while !fs::read_to_string(&log).is_ok_and(|log| log.contains(line)) {
        assert!(Instant::now() < until, "{worker} does not say: {line}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn here(folder: &Path, args: &str) {
    let args: Vec<&str> = args.split(' ').chain(["--seed", seed!(5)]).collect();
    run(folder, &args).ok();
}

#[test]
fn whoever_is_killed_the_tournament_is_the_same_as_here() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    for bot in ["mcts.wasm", "greedy.wasm"] {
        fs::copy(built(bot), folder.join(bot)).unwrap();
    }
    let cup = "tournament flipflop-3x3 ./first.wat ./mcts.wasm ./greedy.wasm ./silent.wat --rounds 8 \
               --opening-plies 2 --name cup --deterministic --clock fuel=2G,start=1M";
    here(folder, &format!("{cup} --arena here"));

    let mut server = TransportServer::open();
    let killed = CommandWorker::start(folder, &server, "killed");
    let tournament = begin(folder, &server, &format!("{cup} --arena far"));
    let until = Instant::now() + LONG;
    while landed(folder, "far") == 0 {
        assert!(Instant::now() < until, "the worker gets no job");
        std::thread::sleep(Duration::from_millis(10));
    }
    // It has the next job, which comes to the other only when the server has waited for it.
    drop(killed);
    let _other = CommandWorker::start(folder, &server, "other");
    wait_for_line(folder, "other", "other plays");
    server.kill();
    std::thread::sleep(Duration::from_secs(1));
    server.restart();
    end(tournament);

    let [one, other] = ["here", "far"].map(|arena| exported(folder, arena));
    assert!(one == other, "the archives differ");
    let again = ["verify", "--tournament", "cup", "--rerun", "--arena", "far"];
    run(folder, &again).ok();
}

#[test]
fn a_tournament_is_played_with_the_documented_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let names = ["director", "worker-1", "worker-2"];
    let keys = names.map(|_| Key::random());
    for (name, key) in names.iter().zip(&keys) {
        key.write(&folder.join(format!("{name}.key"))).unwrap();
    }
    let server = TransportServer::documented(&keys);
    let cup =
        "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 50 --name cup --clock fuel=1G";
    here(folder, &format!("{cup} --arena here"));
    // An empty folder becomes an arena.
    fs::create_dir(folder.join("far")).unwrap();
    let cup = format!("{cup} --audit 100% --arena far --credentials director.key");
    let tournament = begin(folder, &server, &cup);
    let start = |name: &str| {
        let credentials = format!("{name}.key");
        CommandWorker::start_with(folder, &server, name, &["--credentials", &credentials])
    };
    let _workers = [start("worker-1"), start("worker-2")];
    end(tournament);
    let [one, other] = ["here", "far"].map(|arena| exported(folder, arena));
    assert!(one == other, "the archives differ");
    for trail in trails(folder, "far") {
        assert_eq!(trail["untrue"], 0, "{trail}");
    }

    // A worker that has the key of another says so, and ends.
    let args = [
        "worker",
        "--name",
        "worker-1",
        "--credentials",
        "worker-2.key",
    ];
    let address = server.address().to_string();
    let refused = flipside(folder)
        .args(args)
        .args(["--server", &address])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("the server denies this user"), "{said}");
}

#[test]
fn the_answers_of_a_worker_that_is_banned_end_no_jobs_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let server = TransportServer::open();
    let cup =
        "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 1 --name cup --clock fuel=1G";
    here(folder, &format!("{cup} --arena here"));
    let runtime = runtime();
    let [liar, honest] = ["liar", "honest"].map(|name| runtime.block_on(server.worker(name)));
    let mut tournament = begin(folder, &server, &format!("{cup} --audit 0% --arena far"));
    let true_answer = |job: &Value| {
        let matches: Vec<Value> = (job["matches"].as_array().unwrap().iter())
            .map(|one| {
                let id = one["id"].as_str().unwrap();
                let record = run(folder, &["matches", id, "--arena", "here"]).ok();
                json!({ "index": one["index"], "outcome": { "played": played(&record) } })
            })
            .collect();
        json!({ "id": job["id"], "matches": matches }).to_string()
    };
    runtime.block_on(async {
        lies_at_first(&liar, |_| played("no record")).await;
        // From now on, the liar answers each job first that the honest worker plays.
        let until = Instant::now() + LONG;
        while tournament.try_wait().unwrap().is_none() && Instant::now() < until {
            let Some(item) = next_job(&honest).await else {
                continue;
            };
            let job: Value = serde_json::from_slice(item.payload()).unwrap();
            let id = job["id"].as_str().unwrap();
            let lie = json!({ "id": id, "matches": [] }).to_string();
            let sent = liar.send_result(item.run(), id, lie.into());
            sent.await.unwrap();
            // Long enough for the director to take it.
            tokio::time::sleep(Duration::from_secs(1)).await;
            let sent = honest.send_result(item.run(), id, true_answer(&job).into());
            sent.await.unwrap();
            item.done().await.unwrap();
        }
    });
    let said = end(tournament);
    assert!(said.contains("the worker liar is banned"), "{said}");
    let [one, other] = ["here", "far"].map(|arena| exported(folder, arena));
    assert!(one == other, "the archives differ");
}

#[test]
fn a_stop_does_not_wait_for_jobs_that_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let server = TransportServer::open();
    let cup =
        "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 1 --name cup --clock fuel=1G";
    let mut tournament = begin(folder, &server, cup);
    let runtime = runtime();
    let worker = runtime.block_on(server.worker("one"));
    let about = json!({ "flipside": env!("CARGO_PKG_VERSION"), "threads": 1 }).to_string();
    let begun = Instant::now();
    runtime.block_on(async {
        let until = begun + LONG;
        let item = loop {
            assert!(Instant::now() < until, "no job comes");
            match next_job(&worker).await {
                Some(item) => break item,
                // The director sets the server up.
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        };
        // It says that it is done, and returns nothing.
        item.done().await.unwrap();
        worker.announce(about.clone().into()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(3)).await;
    });
    let pid = rustix::process::Pid::from_child(&tournament);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    // A job is lost only after ten minutes otherwise.
    let until = Instant::now() + LONG;
    while tournament.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            let _ = tournament.kill();
            panic!("it does not end");
        }
        let announced = worker.announce(about.clone().into());
        runtime.block_on(announced).unwrap();
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn processes_and_bundles_play_on_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = TransportServer::open();
    let address = server.address().to_string();
    let first = script(
        folder,
        "first",
        "#!/bin/sh\nread x\necho '{\"type\":\"ready\",\"actions\":true}'\nwhile read line; do\n  \
         id=${line#*\\\"id\\\":}; id=${id%%,*}\n  action=${line#*\\\"actions\\\":\\[\\\"}; action=${action%%\\\"*}\n  \
         case $line in *'\"type\":\"turn\"'*) echo \"{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}\";; esac\ndone\n",
    );
    let silent = script(
        folder,
        "silent",
        "#!/bin/sh\necho no idea >&2\nread x\nexit 3\n",
    );
    let bundle = folder.join("bundle");
    fs::create_dir(&bundle).unwrap();
    fs::write(bundle.join("bot.toml"), "language = \"python\"\n").unwrap();
    fs::write(bundle.join("bot.py"), BUNDLED).unwrap();
    let cup = format!(
        "tournament flipflop-3x3 ./bundle {first} {silent} sample:random --rounds 3 --name cup --clock move=30s,start=30s"
    );
    let _worker = CommandWorker::start(folder, &server, "one");
    let said = end(begin(folder, &server, &cup));
    assert!(said.contains("36 matches"), "{said}");
    run(folder, &["verify", "--all"]).ok();
    let table = run(folder, &["table", "cup", "--csv"]).ok();
    assert!(table.contains("silent"), "{table}");
    // What the author of a bot with a fault is shown came with the record.
    let faulty = run(
        folder,
        &[
            "matches",
            "--tournament",
            "cup",
            "--bot",
            "silent",
            "--json",
        ],
    )
    .ok();
    let faulty: Value = serde_json::from_str(&faulty).unwrap();
    let mut all = faulty.as_array().unwrap().iter();
    let played = all.find(|one| one["reason"] != "forfeit").unwrap();
    let id = played["id"].as_str().unwrap();
    let evidence = run(folder, &["matches", "--show", id]).ok();
    assert!(evidence.contains("no idea"), "{evidence}");
    // It is over, and the same command prints its table.
    let again: Vec<&str> = cup
        .split(' ')
        .chain(["--seed", seed!(5)])
        .chain(["--workers", &address])
        .collect();
    run(folder, &again).ok();
    let list = workers(folder, &server);
    assert_eq!(list[0]["worker"], "one");
    assert_eq!(list[0]["threads"], 1);
}

/// A tournament of the journal as its table is in JSON.
fn table(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&run(folder, &["table", name, "--json"]).ok()).unwrap()
}

/// Waits until a tournament is in the journal.
fn wait_for_tournament(folder: &Path, name: &str) {
    let until = Instant::now() + LONG;
    while run(folder, &["table", name]).code != Some(0) {
        assert!(Instant::now() < until, "{name} does not begin");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_bot_that_joins_plays_on_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    fs::copy(built("greedy.wasm"), folder.join("greedy.wasm")).unwrap();
    let server = TransportServer::open();
    for format in ["ladder --matches 24", "round-robin --rounds 2"] {
        let name = format.split(' ').next().unwrap();
        let cup = format!(
            "tournament flipflop-3x3 ./first.wat ./other.wat --format {format} --name {name} --clock fuel=1G --audit 100%"
        );
        // Nobody plays before it has joined, so the run has begun without it.
        let tournament = begin(folder, &server, &cup);
        wait_for_tournament(folder, name);
        run(folder, &["extend", name, "--bots", "./greedy.wasm"]).ok();
        let worker = CommandWorker::start(folder, &server, name);
        let said = end(tournament);
        drop(worker);
        assert!(!said.contains("is void"), "{said}");
        let table = table(folder, name);
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3, "{table}");
        for row in rows {
            assert!(row["games"].as_u64().unwrap() > 0, "{table}");
        }
    }
    run(folder, &["verify", "--all"]).ok();
}

#[test]
fn a_bot_that_no_worker_can_start_is_set_aside_and_the_others_play_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let interpreter = folder.join("interpreter");
    let lost = script(
        folder,
        "lost",
        &format!(
            "#!{}\nread x\necho '{{\"type\":\"ready\"}}'\nread x\n",
            interpreter.display()
        ),
    );
    let server = TransportServer::open();
    for format in ["ladder --matches 24", "round-robin --rounds 1", "knockout"] {
        let name = format.split(' ').next().unwrap();
        fs::copy("/bin/sh", &interpreter).unwrap();
        let cup = format!(
            "tournament flipflop-3x3 ./first.wat ./other.wat {lost} --format {format} --name {name} --clock move=30s,start=30s --trust"
        );
        let tournament = begin(folder, &server, &cup);
        wait_for_tournament(folder, name);
        fs::remove_file(&interpreter).unwrap();
        let worker = CommandWorker::start(folder, &server, name);
        end(tournament);
        drop(worker);
        let table = table(folder, name);
        let changes = table["changes"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "{table}");
        assert_eq!(
            (&changes[0]["what"], &changes[0]["bot"]),
            (&json!("withdrawn"), &json!("lost@1"))
        );
        let reason = changes[0]["reason"].as_str().unwrap();
        assert!(
            reason.contains("interpreter, which is not there"),
            "{reason}"
        );
        assert_eq!(table["over"], true, "{table}");
    }
    run(folder, &["verify", "--all"]).ok();
}

/// What a worker of a test runs on.
fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// The next job, if one comes soon.
async fn next_job(worker: &flipside_workers::Worker) -> Option<flipside_workers::WorkItem> {
    let queue = QueueName::new(&env!("CARGO_PKG_VERSION").replace('.', "-")).unwrap();
    let items = worker.next(&queue, 1, Duration::from_secs(1)).await;
    items.ok()?.into_iter().next()
}

/// Fetches a job, and answers each of its matches with such a lie. Says whether one came.
async fn lies(liar: &flipside_workers::Worker, lie: impl Fn(&Value) -> Value) -> bool {
    let Some(item) = next_job(liar).await else {
        // The director sets the server up.
        tokio::time::sleep(Duration::from_millis(100)).await;
        return false;
    };
    let job: Value = serde_json::from_slice(item.payload()).unwrap();
    let matches: Vec<Value> = (job["matches"].as_array().unwrap().iter())
        .map(|one| json!({ "index": one["index"], "outcome": { "played": lie(one) } }))
        .collect();
    let answer = json!({ "id": job["id"], "matches": matches }).to_string();
    let id = job["id"].as_str().unwrap();
    liar.send_result(item.run(), id, answer.into())
        .await
        .unwrap();
    item.done().await.unwrap();
    true
}

/// The same with the first job that comes.
async fn lies_at_first(liar: &flipside_workers::Worker, lie: impl Fn(&Value) -> Value) {
    let until = Instant::now() + LONG;
    while !lies(liar, &lie).await {
        assert!(Instant::now() < until, "no job comes");
    }
}

/// What a worker returns of a match with such a record.
fn played(record: &str) -> Value {
    json!({
        "record": record, "started_at": 1_700_000_000_000_u64, "duration_us": 100,
        "seats": [{ "stderr": "" }, { "stderr": "" }],
    })
}

#[test]
fn nothing_of_a_worker_that_lies_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let server = TransportServer::open();
    let cup =
        "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 4 --name cup --clock fuel=1G";
    here(folder, &format!("{cup} --arena here"));
    let tournament = begin(folder, &server, &format!("{cup} --arena far"));

    // It returns the record of another match, true to the last byte.
    let record = run(folder, &["matches", "cup-5", "--arena", "here"]).ok();
    let runtime = runtime();
    let liar = runtime.block_on(server.worker("liar"));
    let lie = |_: &Value| played(&record);
    // The first job is its own; of the others it takes what it gets.
    runtime.block_on(lies_at_first(&liar, lie));
    let honest = CommandWorker::start(folder, &server, "honest");
    runtime.block_on(async {
        let mut heard = Instant::now();
        while heard.elapsed() < Duration::from_secs(3) {
            if lies(&liar, lie).await {
                heard = Instant::now();
            }
        }
    });
    let said = end(tournament);
    assert!(
        said.contains(
            "the worker liar is banned: match 0: its record is of the match cup-5; none of its results had counted"
        ),
        "{said}"
    );
    drop(honest);
    let [one, other] = ["here", "far"].map(|arena| exported(folder, arena));
    assert!(one == other, "the archives differ");
}

/// What the workers have done for a tournament, by name.
fn trails(folder: &Path, arena: &str) -> Vec<Value> {
    let trails = ["workers", "--tournament", "cup", "--arena", arena, "--json"];
    serde_json::from_str(&run(folder, &trails).ok()).unwrap()
}

#[test]
fn a_worker_that_returns_the_moves_of_another_bot_is_banned_by_an_audit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let cup =
        "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 30 --name cup --clock fuel=1G";
    // Nothing but its choice of actions tells it from the first.
    let honest = fs::read_to_string(folder.join("other.wat")).unwrap();
    let honest = honest.replace(r#"\"name\":\"instant\""#, r#"  \"name\":\"first\""#);
    fs::write(folder.join("other.wat"), &honest).unwrap();
    here(folder, &format!("{cup} --arena here"));
    // The same matches, in which the second bot plays as the first one, too.
    let twin = fs::read_to_string(folder.join("first.wat")).unwrap() + "\n;; another file\n";
    let own = sha256(folder, "other.wat");
    fs::write(folder.join("other.wat"), twin).unwrap();
    let other = sha256(folder, "other.wat");
    here(folder, &format!("{cup} --arena other"));
    fs::write(folder.join("other.wat"), honest).unwrap();

    let server = TransportServer::open();
    let tournament = begin(folder, &server, &format!("{cup} --audit 100% --arena far"));
    let runtime = runtime();
    let liar = runtime.block_on(server.worker("liar"));
    // Whoever only looks at the rules finds nothing wrong with these records.
    let lie = |one: &Value| {
        let id = one["id"].as_str().unwrap();
        let record = run(folder, &["matches", id, "--arena", "other"]).ok();
        played(&sealed(&record.replace(&other, &own)))
    };
    // The first job is its own; of the others it takes what it gets. Some of these are audits.
    runtime.block_on(lies_at_first(&liar, lie));
    let _honest = CommandWorker::start(folder, &server, "honest");
    let mut tournament = tournament;
    runtime.block_on(async {
        while tournament.try_wait().unwrap().is_none() {
            lies(&liar, lie).await;
        }
    });
    let said = end(tournament);
    let caught = "the worker liar is banned: match ";
    let is_caught = said.contains(caught) && said.contains("units of fuel; the record has");
    assert!(is_caught, "{said}{:?}", trails(folder, "far"));
    assert!(said.contains("withdrawn and played again"), "{said}");
    let [one, other] = ["here", "far"].map(|arena| exported(folder, arena));
    assert!(one == other, "the archives differ");

    let trails = trails(folder, "far");
    let of = |name: &str| trails.iter().find(|trail| trail["worker"] == name).unwrap();
    assert_eq!(of("liar")["matches"], 0, "{trails:?}");
    assert!(of("liar")["withdrawn"].as_u64() > Some(0), "{trails:?}");
    assert!(
        of("liar")["banned"]
            .as_str()
            .unwrap()
            .contains("units of fuel")
    );
    assert_eq!(of("honest")["matches"], 60);
    assert_eq!(of("honest")["untrue"], 0);
    assert_eq!(of("honest")["banned"], Value::Null);
    assert_snapshot!(shown(&run(folder, &["workers", "--readmit", "liar", "--arena", "far"])), @"
    -- stderr:
    liar may play for this arena again; what was withdrawn stays withdrawn
    ");
    assert_snapshot!(shown(&run(folder, &["workers", "--readmit", "liar", "--arena", "far"])), @"
    -- exit status 1, stderr:
    error: the worker liar is not banned
    hint: flipside workers --arena far --tournament NAME shows who is
    ");
}

#[test]
fn the_arena_audits_where_no_second_worker_can() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let server = TransportServer::open();
    let _only = CommandWorker::start(folder, &server, "only");
    // On clocks of time, a second worker would see other times.
    for (arena, clock, audits) in [("fuel", "fuel=1G", 10), ("time", "move=30s,start=30s", 0)] {
        let cup = format!(
            "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 5 --name cup --clock {clock} \
             --audit 100% --arena {arena}"
        );
        end(begin(folder, &server, &cup));
        let trails = trails(folder, arena);
        let of = |worker: &str, what: &str| {
            let its = trails.iter().filter(|trail| trail["worker"] == worker);
            its.filter_map(|trail| trail[what].as_u64()).sum::<u64>()
        };
        assert_eq!(of("", "audits"), audits, "{trails:?}");
        assert_eq!((of("only", "matches"), of("only", "proven")), (10, audits));
    }
}

#[test]
fn a_table_warns_where_machines_differ_and_a_tournament_can_demand_one_class() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let server = TransportServer::open();
    let start = |name: &str, class: &str| {
        let args = ["--class", class];
        CommandWorker::start_with(folder, &server, name, &args)
    };
    let _slow = start("slow", "lab-1");
    let _fast = start("fast", "lab-2");
    let cup = "tournament flipflop-3x3 ./first.wat ./other.wat --rounds 100 --name cup --clock move=30s,start=30s";
    let one = format!("{cup} --class lab-2 --arena one");
    end(begin(folder, &server, &one));
    let table = |arena: &str| run(folder, &["table", "cup", "--arena", arena]).ok();
    assert!(!table("one").contains("machines"), "{}", table("one"));
    let all = trails(folder, "one");
    let fast = all.iter().find(|trail| trail["worker"] == "fast").unwrap();
    assert_eq!(
        (&fast["classes"], &fast["matches"]),
        (&json!(["lab-2"]), &json!(200))
    );
    let record = run(folder, &["matches", "cup-0", "--arena", "one"]).ok();
    assert!(record.contains(r#""machine":"lab-2""#), "{record}");

    // One of them may play everything, though both are there: the more there is to play, the less likely.
    wait_for_workers(folder, &server, 2);
    let both_play = |attempt: &u32| {
        let arena = format!("both-{attempt}");
        let rounds = format!("--rounds {}", 100 << attempt);
        let cup = cup.replace("--rounds 100", &rounds);
        end(begin(folder, &server, &format!("{cup} --arena {arena}")));
        let all = trails(folder, &arena);
        all.iter().filter(|trail| trail["matches"] != 0).count() == 2
    };
    let attempt = (0..6).find(both_play).expect("both play");
    let both = format!("both-{attempt}");
    let warning = "warning: the machines differ in speed";
    assert!(table(&both).contains(warning), "{}", table(&both));
    run(folder, &["verify", "--all", "--arena", &both]).ok();
    // What is imported says it, too.
    run(folder, &["export", "cup", "cup.tar.zst", "--arena", &both]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "third"]).ok();
    assert!(table("third").contains(warning), "{}", table("third"));
}

#[test]
fn a_worker_ends_when_it_is_asked_to_though_the_server_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut server = TransportServer::open();
    let mut worker = CommandWorker::start(folder, &server, "one");
    wait_for_line(folder, "one", "one plays");
    // It waits for jobs by now.
    std::thread::sleep(Duration::from_secs(1));
    server.kill();
    let pid = rustix::process::Pid::from_child(&worker.0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let until = Instant::now() + LONG;
    while worker.0.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(worker.0.wait().unwrap().success());
}

#[test]
fn a_server_that_is_not_there_is_told_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    // Nobody listens there.
    let port = 1;
    let refused = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        shown(&run(folder, &args)).replace(&format!(":{port}"), ":PORT")
    };
    let address = format!("nats://127.0.0.1:{port}");
    assert_snapshot!(refused(&format!("worker --server {address} --name one")), @"
    -- exit status 1, stderr:
    error: nats://127.0.0.1:PORT refuses connections
    hint: start the server there: nats-server --config nats.conf
    ");
    assert_snapshot!(refused(&format!("workers --server {address}")), @"
    -- exit status 1, stderr:
    error: nats://127.0.0.1:PORT refuses connections
    hint: start the server there: nats-server --config nats.conf
    ");
    assert_snapshot!(refused("worker --server http://127.0.0.1"), @r#"
    -- exit status 2, stderr:
    error: "http://127.0.0.1" is not the address of a NATS server
    hint: nats://HOST:PORT, or tls://HOST:PORT for TLS
    "#);
    assert_snapshot!(refused("worker --server nats://127.0.0.1 --name W.1"), @r#"
    -- exit status 2, stderr:
    error: "W.1" is not a name
    hint: use 1 to 64 of the characters a-z, 0-9, - and _
    "#);
    assert_snapshot!(refused("worker --server nats://127.0.0.1 --credentials none"), @"
    -- exit status 2, stderr:
    error: cannot read the credentials in none: No such file or directory (os error 2)
    hint: give the path of the file with --credentials FILE
    ");
    let cup = "tournament flipflop-3x3 ./first.wat ./other.wat --name cup --clock fuel=1G";
    assert_snapshot!(refused(&format!("{cup} --workers {address}")), @"
    -- exit status 1, stderr:
    cup: 2 of 2 matches to play
    error: nats://127.0.0.1:PORT refuses connections; start the server there: nats-server --config nats.conf
    hint: what is in the journal stays; the same command goes on from there; -v tells more
    ");
}
