//! What is played in which order, and what is left after a stop.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flipside_operations::{Leaving, Processes, Request, Submission, cancel, submit, withdraw};
use flipside_runner::{RemoteBackend, RemoteBlocks, RemoteRunner, RunnerError};
use flipside_store::audit::audit;
use flipside_store::{Arena, MatchFilter, table};
use flipside_tournament::{Name, TournamentSpec};
use tempfile::TempDir;

use super::state::{DesiredState, Host, Priority};
use super::tries::Pauses;
use crate::ladders::keep::{HostedLadder, MAX_A_DAY};
use crate::limits::SiteLimits;
use crate::router::health_in_words;
use crate::shared::store::AccountStore;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// A bot in shell.
const BOT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sample-bots/shell/random.sh"
);

/// How many rounds last long enough to be interrupted; and how many where the machine has kept the test from running
/// until they were over.
const LONG: u32 = 40;
const LONGER: [u32; 3] = [LONG, 10 * LONG, 100 * LONG];

/// An arena with the bots `one` and `other`.
fn arena() -> (TempDir, Arena) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    for name in ["one", "other"] {
        let file = folder.path().join(name);
        // By a process of its own: what another test starts meanwhile would have the copy open for writing for a
        // moment, and then it cannot be executed.
        let copied = Command::new("cp").arg(BOT).arg(&file).status();
        assert!(copied.unwrap().success());
        enter(&path, &file);
    }
    let arena = Arena::open(&path).unwrap();
    (folder, arena)
}

fn enter(arena: &Path, file: &Path) {
    let submission = Submission {
        file,
        name: None,
        games: &["flipflop-3x3".into()],
        clock: "move=5m,start=5m".parse().unwrap(),
        processes: Processes::default(),
    };
    submit(arena, &submission, |_| Ok(())).unwrap();
}

fn spec(name: &str, rounds: u32) -> TournamentSpec {
    let text = format!(
        "game = \"flipflop-3x3\"\nbots = [\"one\", \"other\"]\nname = {name:?}\nrounds = {rounds}\n\
         clock = \"move=5m,start=5m\""
    );
    TournamentSpec::from_toml(&text).unwrap()
}

fn open(arena: &Arena) -> Host {
    open_with(arena, None)
}

fn open_with(arena: &Arena, remote: Option<RemoteRunner>) -> Host {
    open_limited(arena, remote, &SiteLimits::default())
}

fn open_limited(arena: &Arena, remote: Option<RemoteRunner>, limits: &SiteLimits) -> Host {
    let store = Arc::new(AccountStore::open(arena.path()).unwrap());
    Host::open(arena.clone(), store, limits, remote).unwrap()
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// Waits until this is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn played(arena: &Arena, name: &str) -> (u64, bool) {
    let journal = arena.read_journal().unwrap();
    let tournament = journal.tournament(name).unwrap();
    let table = table(&journal, &tournament).unwrap();
    (table.played, table.over)
}

/// When the matches of a tournament began, the first one first.
fn began(arena: &Arena, name: &str) -> Vec<u64> {
    let journal = arena.read_journal().unwrap();
    let filter = MatchFilter {
        tournament: Some(journal.tournament(name).unwrap().id),
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&filter).unwrap().into_iter();
    let mut began: Vec<u64> = rows.map(|row| row.started_at).collect();
    began.sort_unstable();
    began
}

#[test]
fn what_is_awaited_is_played_before_what_is_long_and_both_end() {
    assert!(LONGER.into_iter().any(is_played_before_what_is_long));
}

/// False: the long one was over before the other began, because the machine kept the test from running.
fn is_played_before_what_is_long(rounds: u32) -> bool {
    let (_folder, arena) = arena();
    let host = open(&arena);
    host.start().unwrap();
    host.begin(&spec("long", rounds), Priority::Tournament, |_| Ok(()))
        .unwrap();
    until("the long one runs", || played(&arena, "long").0 > 0);
    host.begin(&spec("short", 1), Priority::Request, |_| Ok(()))
        .unwrap();
    until("the short one is over", || played(&arena, "short").1);
    until("the long one is over", || played(&arena, "long").1);
    until("nothing is left", || host.hosted().is_empty());
    assert_eq!(played(&arena, "long").0, u64::from(2 * rounds));
    began(&arena, "short").last() <= began(&arena, "long").last()
}

/// Workers elsewhere that do not come.
struct NobodyPlays;

impl RemoteBackend for NobodyPlays {
    fn play(&self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunnerError> {
        // The queue is filled on another thread.
        let mut indices = blocks.take();
        for _ in 0..1000 {
            if indices.is_empty() {
                std::thread::sleep(std::time::Duration::from_millis(10));
                indices = blocks.take();
            }
        }
        Err(RunnerError::Play(format!(
            "nobody plays the matches {indices:?}"
        )))
    }

    fn at_once(&self) -> usize {
        1
    }
}

#[test]
fn a_site_with_workers_plays_nothing_itself() {
    let (_folder, arena) = arena();
    let host = open_with(&arena, Some(RemoteRunner(Arc::new(NobodyPlays))));
    host.start().unwrap();
    host.begin(&spec("far", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    let failed = DesiredState::Failed("nobody plays the matches [0, 1]".into());
    until("it has failed", || {
        host.hosted().iter().any(|one| one.wanted == failed)
    });
    assert_eq!(played(&arena, "far"), (0, false));
}

#[test]
fn a_server_that_ends_goes_on_where_it_was_and_what_was_paused_stays_so() {
    assert!(LONGER.into_iter().any(goes_on_where_it_was));
}

/// False: a tournament was over before it was interrupted.
fn goes_on_where_it_was(rounds: u32) -> bool {
    let (_folder, arena) = arena();
    let host = open(&arena);
    host.start().unwrap();
    host.begin(&spec("paused", rounds), Priority::Tournament, |_| Ok(()))
        .unwrap();
    until("it runs", || played(&arena, "paused").0 > 0);
    if !host.pause(&name("paused")).unwrap() {
        return false;
    }
    assert!(!host.pause(&name("unknown")).unwrap());
    until("it has stopped", || host.now().is_none());
    host.begin(&spec("long", rounds), Priority::Tournament, |_| Ok(()))
        .unwrap();
    until("the other runs", || played(&arena, "long").0 > 0);
    drop(host);
    let before = (played(&arena, "paused"), played(&arena, "long"));
    if before.0.1 || before.1.1 {
        return false;
    }

    let host = open(&arena);
    let wanted = |host: &Host, of: &str| {
        let all = host.hosted();
        let one = all.into_iter().find(|one| one.tournament == name(of));
        one.map(|one| one.wanted)
    };
    assert_eq!(wanted(&host, "paused"), Some(DesiredState::Pause));
    assert_eq!(wanted(&host, "long"), Some(DesiredState::Play));
    host.start().unwrap();
    until("the long one is over", || played(&arena, "long").1);
    assert_eq!(played(&arena, "paused"), before.0);
    host.resume(&name("paused")).unwrap();
    until("the paused one is over", || played(&arena, "paused").1);
    assert_eq!(
        (played(&arena, "long").0, played(&arena, "paused").0),
        (u64::from(2 * rounds), u64::from(2 * rounds))
    );
    true
}

#[test]
fn a_server_that_stops_plays_running_matches_to_their_end() {
    let (folder, arena) = arena();
    // One thinks for a while at each turn, the other for ever; but not at the clock of the check.
    for (name, pause) in [("slow", "0.5"), ("endless", "1000")] {
        let file = folder.path().join(name);
        let sed = format!(
            "sed -e '/\"hello\"/a pause=0; case $line in *move=1h*) pause={pause} ;; esac' \
             -e '/\"turn\"/a sleep $pause' {BOT} > {0} && chmod +x {0}",
            file.display()
        );
        let made = Command::new("sh").arg("-c").arg(sed).status();
        assert!(made.unwrap().success());
        enter(arena.path(), &file);
    }
    let begun = |host: &Host, of: &str, bot: &str| {
        let text = format!(
            "game = \"flipflop-3x3\"\nbots = [\"one\", {bot:?}]\nname = {of:?}\nrounds = {LONG}\n\
             clock = \"move=1h,start=1h\""
        );
        let spec = TournamentSpec::from_toml(&text).unwrap();
        host.begin(&spec, Priority::Tournament, |_| Ok(())).unwrap();
        let runs = || {
            host.now()
                .is_some_and(|(_, live)| !live.matches().is_empty())
        };
        until("a match runs", runs);
    };
    type End = fn(&Host);
    let ends: [(&str, End, bool); 3] = [
        (
            "patient",
            |host| host.close(Instant::now() + PATIENCE),
            true,
        ),
        ("hasty", |host| host.close(Instant::now()), false),
        // As after a second signal.
        (
            "urged",
            |host| {
                host.stop();
                host.break_off();
                host.close(Instant::now() + PATIENCE);
            },
            false,
        ),
    ];
    for (of, end, is_played) in ends {
        let host = open(&arena);
        host.start().unwrap();
        begun(&host, of, if is_played { "slow" } else { "endless" });
        end(&host);
        let (matches, is_over) = played(&arena, of);
        assert_eq!((matches > 0, is_over), (is_played, false), "{of}");
        if is_played {
            let journal = arena.read_journal().unwrap();
            let tournament = journal.tournament(of).unwrap();
            let threads = std::num::NonZeroUsize::MIN;
            let audited = audit(&journal, &tournament, threads, |_, _, _| {
                ControlFlow::Continue(())
            });
            assert_eq!(audited.unwrap().missing, 0, "{of}");
        }
        cancel(arena.path(), of, None).unwrap();
    }
}

#[test]
fn what_cannot_be_played_says_why_and_holds_up_nothing() {
    let (_folder, arena) = arena();
    let host = open(&arena);
    host.begin(&spec("broken", 1), Priority::Request, |_| Ok(()))
        .unwrap();
    host.begin(&spec("sound", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    // The bots' files are gone when the first is to be played, and back for the second.
    let bots = arena.path().join("bots");
    let away = arena.path().join("away");
    std::fs::rename(&bots, &away).unwrap();
    host.start().unwrap();
    let why = |of: &str| {
        let all = host.hosted();
        let one = all.into_iter().find(|one| one.tournament == name(of));
        match one.map(|one| one.wanted) {
            Some(DesiredState::Failed(why)) => Some(why),
            _ => None,
        }
    };
    until("both have failed", || {
        why("broken").is_some() && why("sound").is_some()
    });
    assert_eq!(
        why("broken").unwrap(),
        "one@1 cannot play: the file of one@1 is missing from the arena"
    );
    std::fs::rename(&away, &bots).unwrap();
    host.resume(&name("sound")).unwrap();
    until("it is over", || played(&arena, "sound").1);
    assert!(why("broken").is_some());
}

/// A limit of the disk that the arena reaches with a file beside its bots, and the file.
fn filled(arena: &Arena, first: Duration) -> (SiteLimits, std::path::PathBuf) {
    let file = arena.cache().join("filler");
    std::fs::write(&file, vec![0; 64 << 20]).unwrap();
    let limits = SiteLimits {
        most_disk: "32M".parse().unwrap(),
        pauses: Pauses {
            first,
            longest: Duration::from_secs(3600),
        },
        ..SiteLimits::default()
    };
    (limits, file)
}

#[test]
fn on_a_full_disk_a_tournament_waits_and_says_so_until_its_time_or_a_person_comes() {
    let (_folder, arena) = arena();
    let (limits, file) = filled(&arena, Duration::from_secs(3600));
    let host = open_limited(&arena, None, &limits);
    host.begin(&spec("spring", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    host.start().unwrap();
    let of = name("spring");
    until("it is put off", || host.put_off().contains_key(&of));
    let said = host.put_off()[&of].in_words();
    assert!(
        said.starts_with("the arena takes 32M, all that it may; "),
        "{said}"
    );
    assert!(said.contains("; the next attempt is in 3"), "{said}");
    assert_eq!(
        health_in_words(Some(&host)),
        "spring waits: there is no room left on the disk\n"
    );
    // It keeps no other from its own attempt.
    host.begin(&spec("summer", 1), Priority::Request, |_| Ok(()))
        .unwrap();
    until("the other one is put off", || {
        host.put_off().contains_key(&name("summer"))
    });
    assert_eq!(
        host.put_off()[&of].in_words().split(';').next(),
        said.split(';').next()
    );
    assert!(
        host.hosted()
            .iter()
            .all(|one| one.wanted == DesiredState::Play)
    );
    assert!(host.now().is_none());
    std::fs::remove_file(file).unwrap();
    host.resume(&of).unwrap();
    until("it is over", || played(&arena, "spring").1);
    assert!(!played(&arena, "summer").1 && !host.put_off().contains_key(&of));
    host.pause(&name("summer")).unwrap();
    assert_eq!(health_in_words(Some(&host)), "ok\n");
}

#[test]
fn a_tournament_that_somebody_plays_by_command_waits_and_goes_on_afterwards() {
    let (_folder, arena) = arena();
    let limits = SiteLimits {
        pauses: Pauses {
            first: Duration::from_millis(1),
            longest: Duration::from_millis(1),
        },
        ..SiteLimits::default()
    };
    let host = open_limited(&arena, None, &limits);
    host.begin(&spec("spring", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    let by_command = arena.lock_run(&name("spring")).unwrap();
    host.start().unwrap();
    until("it is put off", || {
        health_in_words(Some(&host)) == "spring waits: another process plays it\n"
    });
    assert!(
        host.hosted()
            .iter()
            .all(|one| one.wanted == DesiredState::Play)
    );
    drop(by_command);
    until("it is over", || played(&arena, "spring").1);
}

#[test]
fn a_tournament_goes_on_by_itself_when_there_is_room_again() {
    let (_folder, arena) = arena();
    let (limits, file) = filled(&arena, Duration::from_millis(1));
    let host = open_limited(&arena, None, &limits);
    host.begin(&spec("spring", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    host.start().unwrap();
    until("it is put off", || !host.put_off().is_empty());
    std::fs::remove_file(file).unwrap();
    until("it is over", || played(&arena, "spring").1);
    until("nothing waits", || {
        host.hosted().is_empty() && host.put_off().is_empty()
    });
}

#[test]
fn what_was_about_to_begin_when_the_server_ended_is_played_or_forgotten() {
    let (_folder, arena) = arena();
    let host = open(&arena);
    let spec = spec("entered", 1);
    for of in ["absent", "entered"] {
        let known = host
            .shared
            .announce(&name(of), Priority::Request, |_| Ok(()))
            .unwrap();
        assert!(!known);
    }
    let request = Request::for_others(&spec).unwrap();
    host.shared.enter_new(&request).unwrap();
    // Neither is played by the server that has not said that it has begun.
    assert!(
        host.hosted()
            .iter()
            .all(|one| one.wanted == DesiredState::Pause)
    );
    drop(host);
    for _ in 0..2 {
        let hosted = open(&arena).hosted();
        let left: Vec<(&str, &DesiredState)> = (hosted.iter())
            .map(|one| (one.tournament.as_str(), &one.wanted))
            .collect();
        assert_eq!(left, [("entered", &DesiredState::Play)]);
    }
}

#[test]
fn a_description_from_elsewhere_names_no_file_and_asks_for_nothing_of_this_machine() {
    let (folder, arena) = arena();
    let host = open(&arena);
    let file = folder.path().join("one");
    let refused = |text: &str| {
        let spec = TournamentSpec::from_toml(text).unwrap();
        host.begin(&spec, Priority::Tournament, |_| Ok(()))
            .unwrap_err()
            .to_string()
    };
    let bots =
        |one: &str| format!("game = \"flipflop-3x3\"\nbots = [{one:?}, \"other\"]\nname = \"x\"");
    for path in [file.to_str().unwrap(), "./one", "../one", "one.wat"] {
        let told = refused(&bots(path));
        assert!(
            told.contains("is no bot's name") || told.contains("no bot"),
            "{path}: {told}"
        );
    }
    for key in [
        "trust = true",
        "concurrency = 64",
        "force-concurrency = true",
        "use-affinity = true",
    ] {
        let told = refused(&format!("{}\n{key}", bots("one")));
        let key = key.split(' ').next().unwrap();
        assert!(
            told.starts_with(&format!("{key} is for users of this machine")),
            "{told}"
        );
    }
    for (own, what) in [
        (
            "env = [\"KEY\"]",
            "[bot.one] env is for users of this machine",
        ),
        ("network = true", "this server gives no bot a network"),
    ] {
        let told = refused(&format!("{}\n[bot.one]\n{own}", bots("one")));
        assert!(told.starts_with(what), "{told}");
    }
    // What a server allows, an organiser may ask for.
    let text = format!("{}\n[bot.one]\nnetwork = true", bots("one"));
    let spec = TournamentSpec::from_toml(&text).unwrap();
    assert!(Request::for_organisers(&spec, true).is_ok());
    assert!(host.hosted().is_empty());
}

/// A ladder of the game of these bots.
fn ladder(a_day: u64) -> HostedLadder {
    HostedLadder {
        game: "flipflop-3x3".into(),
        a_day,
        clock: "move=5m,start=5m".into(),
        bots: Vec::new(),
    }
}

/// A further bot, or with other bytes a newer version of one.
fn enter_another(folder: &TempDir, arena: &Arena, name: &str, bytes: &str) {
    let file = folder.path().join(name);
    let mut text = std::fs::read_to_string(BOT).unwrap();
    text.push_str(&format!("\n# {bytes}\n"));
    let source = folder.path().join("source");
    std::fs::write(&source, text).unwrap();
    let copied = Command::new("install")
        .args(["-m", "755"])
        .args([&source, &file])
        .status();
    assert!(copied.unwrap().success());
    enter(arena.path(), &file);
}

/// How many matches a bot has played in the ladder, and whether it has left; nothing if it is not in it.
fn in_ladder(arena: &Arena, name: &str, bot: &str) -> Option<(u64, bool)> {
    let journal = arena.read_journal().unwrap();
    let tournament = journal.tournament(name).ok()?;
    let entrant = (tournament.entrants.iter()).position(|one| one.label() == bot)?;
    let standings = table(&journal, &tournament).unwrap();
    let row = standings.rows.iter().find(|row| row.bot == bot).unwrap();
    Some((row.games, tournament.has_left(entrant)))
}

/// The matches of a tournament: each once.
fn ids(arena: &Arena, name: &str) -> Vec<String> {
    let journal = arena.read_journal().unwrap();
    let filter = MatchFilter {
        tournament: Some(journal.tournament(name).unwrap().id),
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let mut ids: Vec<String> = (journal.matches(&filter).unwrap().into_iter())
        .map(|row| row.id)
        .collect();
    ids.sort();
    ids
}

const LADDER: &str = "ladder-flipflop-3x3";

#[test]
fn every_accepted_bot_joins_the_ladder_and_a_new_version_takes_over() {
    let (folder, arena) = arena();
    let host = open(&arena);
    host.start().unwrap();
    host.keep_ladder(&ladder(MAX_A_DAY)).unwrap();
    let plays = |bot: &str| in_ladder(&arena, LADDER, bot).is_some_and(|(games, _)| games > 0);
    until("the first two play", || plays("one@1") && plays("other@1"));
    enter_another(&folder, &arena, "third", "");
    until("the third plays", || plays("third@1"));
    enter_another(&folder, &arena, "one", "newer");
    until("the newer version plays", || plays("one@2"));
    let has_left = |bot: &str| in_ladder(&arena, LADDER, bot).is_some_and(|(_, left)| left);
    assert!(has_left("one@1") && !has_left("one@2") && !has_left("third@1"));

    // What happens while the server is away is made up for when it starts.
    let before = ids(&arena, LADDER);
    drop(host);
    enter_another(&folder, &arena, "fourth", "");
    let host = open(&arena);
    host.start().unwrap();
    until("the fourth plays", || plays("fourth@1"));
    let after = ids(&arena, LADDER);
    assert!(before.iter().all(|id| after.contains(id)) && after.len() > before.len());

    // Who was withdrawn by an organiser does not come back.
    let fourth = "fourth".parse().unwrap();
    withdraw(arena.path(), &fourth, None, Leaving::Withdrawn, None).unwrap();
    until("the fourth has left", || has_left("fourth@1"));
    // A tournament comes before the ladder.
    host.begin(&spec("cup", 1), Priority::Tournament, |_| Ok(()))
        .unwrap();
    until("the cup is over", || played(&arena, "cup").1);
    let then = ids(&arena, LADDER).len();
    until("the ladder goes on", || ids(&arena, LADDER).len() > then);
    assert!(has_left("fourth@1"));
    let journal = arena.read_journal().unwrap();
    assert_eq!(journal.tournament(LADDER).unwrap().entrants.len(), 5);
}

#[test]
fn a_ladder_rests_when_it_has_played_the_matches_of_a_day_and_begins_anew_when_it_is_cancelled() {
    let (_folder, arena) = arena();
    let host = open(&arena);
    host.start().unwrap();
    host.keep_ladder(&ladder(6)).unwrap();
    let said = |host: &Host| host.ladders().unwrap()[0].said.clone();
    until("it rests", || {
        said(&host).is_some_and(|said| said.contains("of a day")) && host.now().is_none()
    });
    let rested = ids(&arena, LADDER).len();
    assert!(rested >= 6 && host.hosted().is_empty());
    host.keep_ladder(&ladder(MAX_A_DAY)).unwrap();
    until("it goes on", || ids(&arena, LADDER).len() > rested);
    let journal = arena.read_journal().unwrap();
    let ladder = journal.tournament(LADDER).unwrap();
    assert!(host.keeps(&ladder).unwrap());

    cancel(arena.path(), LADDER, None).unwrap();
    let next = format!("{LADDER}-2");
    until("the next one is played", || {
        let journal = arena.read_journal().unwrap();
        journal.tournament(&next).is_ok() && played(&arena, &next).0 > 0
    });
    assert!(host.drop_ladder("flipflop-3x3").unwrap());
    assert!(!host.drop_ladder("flipflop-3x3").unwrap());
    until("nothing is played", || host.now().is_none());
    assert!(host.hosted().is_empty() && host.ladders().unwrap().is_empty());
}

#[test]
fn requests_leave_half_of_the_time_to_a_tournament_that_waits() {
    let (_folder, arena) = arena();
    let host = open(&arena);
    host.start().unwrap();
    host.begin(&spec("long", 100 * LONG), Priority::Tournament, |_| Ok(()))
        .unwrap();
    until("the long one runs", || played(&arena, "long").0 > 0);
    let requests = ["first", "second", "third"];
    for request in requests {
        host.begin(&spec(request, 10), Priority::Request, |_| Ok(()))
            .unwrap();
    }
    for request in requests {
        until("it is over", || played(&arena, request).1);
    }
    assert!(!played(&arena, "long").1);
    host.close(Instant::now());
    // Between two of them it played: the journal says when, whatever this thread saw of it.
    let long = began(&arena, "long");
    let requests = requests.map(|request| began(&arena, request));
    for two in requests.windows(2) {
        let (end, next) = (*two[0].last().unwrap(), two[1][0]);
        let is_between = |began: &u64| (end..=next).contains(began);
        assert!(long.iter().any(is_between), "{requests:?}");
    }
}
