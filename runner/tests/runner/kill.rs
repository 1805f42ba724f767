//! `kill -9` while matches land, and while changes are requested: what was said to be in the journal is there, whole
//! and once, and the tournament goes on.

use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use flipside_referee::{MatchResult, Player, SeatResult};
use flipside_runner::{RunEvent, StopSignal, run as run_tournament};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};
use flipside_store::audit::{RecordAudit, audit};
use flipside_store::{
    Arena, FinishedMatch, Journal, PackedRecord, request_change, request_join, table, unix_ms,
};
use flipside_tournament::{
    Bot, BotId, Change, Pairing, ScoredPairing, Settings, Tournament, match_id,
};

use crate::SALT;

const ARENA: &str = "FLIPSIDE_TEST_ARENA";
const LADDER: &str = "FLIPSIDE_TEST_LADDER";
const ROUNDS: u32 = 200;

fn begin(arena: &Arena, journal: &mut Journal) -> Tournament {
    let mut bots = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let file = arena
            .path()
            .parent()
            .unwrap()
            .join(name)
            .with_extension("wat");
        std::fs::write(&file, name).unwrap();
        let kept = arena.keep(&file).unwrap();
        bots.push(
            journal
                .add_bot(&name.parse().unwrap(), &kept, unix_ms())
                .unwrap()
                .bot
                .id,
        );
    }
    let settings = Settings {
        game: "flipfour".into(),
        rounds: ROUNDS,
        seed: 1,
        salt: SALT.parse().unwrap(),
        pause_after: 0,
        trust: true,
        ..Settings::default()
    };
    journal
        .begin(&"evening".parse().unwrap(), &settings, &bots, unix_ms())
        .unwrap()
        .tournament
}

fn finished(tournament: &Tournament, pairing: &Pairing) -> FinishedMatch {
    let id = match_id(&tournament.name, pairing.index);
    let winner = pairing.index as usize * 5 / 3 % 2;
    let seat = |seat: usize| SeatResult {
        points: i32::from(seat == winner),
        place: if seat == winner { 1 } else { 2 },
        used_us: 1,
        plies: 1,
        ..SeatResult::default()
    };
    let scored = ScoredPairing {
        pairing: pairing.clone(),
        result: MatchResult {
            reason: "four".into(),
            plies: 2,
            seats: (0..2).map(seat).collect(),
        },
    };
    FinishedMatch {
        record: Some(PackedRecord::pack(&format!("record of {id}\n").repeat(200))),
        ..FinishedMatch::new(tournament, scored, (unix_ms(), 1))
    }
}

/// What a run does: resumes, lands what is missing, and says what has landed.
fn run(arena: &Path) {
    let arena = Arena::create(arena).unwrap();
    let mut journal = arena.journal().unwrap();
    let tournament = begin(&arena, &mut journal);
    let _lock = arena.lock_run(&tournament.name).unwrap();
    let schedule = tournament.schedule().unwrap();
    for index in journal
        .played(tournament.id)
        .unwrap()
        .missing(schedule.total())
    {
        journal
            .land(&finished(&tournament, &schedule.pairing(index).unwrap()))
            .unwrap();
        println!("landed {index}");
    }
}

/// Not a test of its own: the process that is killed.
#[test]
fn child() {
    if let Some(arena) = std::env::var_os(ARENA) {
        run(arena.as_ref());
    }
}

#[test]
fn a_killed_run_loses_nothing_that_had_landed_and_goes_on_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    let mut landed = 0u64;
    for kill_after in [0, 1, 40, 150, 400] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["kill::child", "--exact", "--nocapture"])
            .env(ARENA, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        let mut lines = 0;
        while lines < kill_after {
            let start = said.len();
            assert!(
                output.read_line(&mut said).unwrap() > 0,
                "the child ended: {said}"
            );
            lines += usize::from(said[start..].contains("landed "));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut said).unwrap();
        // A line that the kill cut off says nothing.
        for line in said
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            if let Some((_, index)) = line.rsplit_once("landed ") {
                assert_eq!(
                    index.trim(),
                    landed.to_string(),
                    "nothing is left out or played twice"
                );
                landed += 1;
            }
        }

        if kill_after > 0 {
            let journal = Arena::open(&path).unwrap().journal().unwrap();
            let played = journal
                .played(journal.tournament("evening").unwrap().id)
                .unwrap();
            // One more may have landed without a word.
            assert!(
                (landed..=landed + 1).contains(&played.len()),
                "{landed} {}",
                played.len()
            );
            landed = played.len();
            for index in 0..landed {
                let record = journal.record(&format!("evening-{index}")).unwrap();
                assert_eq!(record, format!("record of evening-{index}\n").repeat(200));
            }
        }
    }
    assert!(landed >= 500, "{landed}");

    run(&path);
    let killed = Arena::open(&path).unwrap().journal().unwrap();
    let whole = folder.path().join("whole");
    run(&whole);
    let whole = Arena::open(&whole).unwrap().journal().unwrap();
    let tables = |journal: &Journal| {
        let table = table(journal, &journal.tournament("evening").unwrap()).unwrap();
        assert_eq!(table.played, u64::from(ROUNDS) * 12);
        (table.rows, table.cross)
    };
    assert_eq!(tables(&killed), tables(&whole));
}

// --- Changes that are requested while the run is killed.

/// A bot's file in an arena, under a name.
fn enter(arena: &Arena, journal: &mut Journal, name: &str, text: &str) -> BotId {
    let folder = arena.path().parent().unwrap();
    let file = folder.join(name).with_extension("wat");
    std::fs::write(&file, text).unwrap();
    let kept = arena.keep(&file).unwrap();
    let name = name.parse().unwrap();
    journal.add_bot(&name, &kept, 1).unwrap().bot.id
}

/// A ladder between four modules.
fn begin_ladder(arena: &Arena, journal: &mut Journal) -> Tournament {
    let instant = include_str!("../../../sample-bots/wat/instant.wat");
    let first = include_str!("../../../sample-bots/wat/first.wat");
    let bots = ["a", "b", "c", "d"].map(|name| {
        let text = if name < "c" { first } else { instant };
        enter(arena, journal, name, &format!("{text}\n;; {name}\n"))
    });
    // It joins later.
    enter(arena, journal, "e", &format!("{instant}\n;; e\n"));
    let game = flipside_games::find("flipflop-3x3").unwrap();
    let settings = Settings {
        game: "flipflop-3x3".into(),
        options: game.set_up("{}", 2).unwrap().options,
        format: serde_json::from_str(r#"{"ladder":{"matches":1000}}"#).unwrap(),
        seed: 1,
        salt: SALT.parse().unwrap(),
        pause_after: 0,
        trust: true,
        ..Settings::default()
    };
    let name = "ladder".parse().unwrap();
    journal
        .begin(&name, &settings, &bots, 1)
        .unwrap()
        .tournament
}

/// Plays what remains of the ladder, with such a pause after each match, and says what has landed and changed.
fn play_ladder(arena: &Path, pause: Duration) {
    let arena = Arena::create(arena).unwrap();
    let mut journal = arena.journal().unwrap();
    let ladder = begin_ladder(&arena, &mut journal);
    let _lock = arena.lock_run(&ladder.name).unwrap();
    let player = |bot: &Bot| {
        let program = Program::open(arena.bot_path(bot).unwrap()).unwrap();
        Ok(Player::named(bot.label(), program))
    };
    let sandbox = Sandbox::new(SandboxSettings::default());
    let (two, stop) = (NonZeroUsize::new(2).unwrap(), StopSignal::default());
    let on = |event| match event {
        RunEvent::Landed(finished) => {
            println!("landed {}", finished.scored.pairing.index);
            std::thread::sleep(pause);
        }
        RunEvent::Changed { changes, .. } => println!("changed {}", changes.len()),
        _ => {}
    };
    run_tournament(&mut journal, &ladder, player, &sandbox, two, &stop, on).unwrap();
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_that_plays() {
    if let Some(arena) = std::env::var_os(LADDER) {
        // Not over before it is killed.
        play_ladder(arena.as_ref(), Duration::from_millis(5));
    }
}

#[test]
fn a_change_that_is_requested_while_the_run_is_killed_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    let arena = Arena::create(&path).unwrap();
    let mut journal = arena.journal().unwrap();
    let ladder = begin_ladder(&arena, &mut journal);
    let wishes = [
        Change::Withdraw { entrant: 1 },
        Change::Matches { more: 40 },
        Change::Disqualify { entrant: 2 },
        Change::Join { entrant: 4 },
        Change::Matches { more: 20 },
    ];
    for (number, change) in wishes.into_iter().enumerate() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["kill::child_that_plays", "--exact", "--nocapture"])
            .env(LADDER, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut read_until = |what: &str, times: usize| {
            let (mut line, mut seen) = (String::new(), 0);
            while seen < times && output.read_line(&mut line).unwrap() > 0 {
                seen += usize::from(line.contains(what));
                line.clear();
            }
        };
        read_until("landed ", 20);
        let reason = format!("wish {number}").parse().unwrap();
        if change.joins().is_some() {
            let bot = journal.bot(&"e".parse().unwrap()).unwrap().id;
            request_join(&mut journal, &ladder.name, bot, Some(reason), 1).unwrap();
        } else {
            request_change(&mut journal, &ladder.name, change, Some(reason), 1).unwrap();
        }
        // It may or may not be settled by then.
        match number {
            0 => {}
            1 => read_until("landed ", 3),
            _ => read_until("changed ", 1),
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let settled = journal.tournament("ladder").unwrap().changes.len();
        let open = journal.requested_changes(ladder.id).unwrap().len();
        assert_eq!(settled + open, number + 1, "each is there once");
    }
    play_ladder(&path, Duration::ZERO);
    let ladder = journal.tournament("ladder").unwrap();
    let changes: Vec<Change> = ladder
        .changes
        .iter()
        .map(|changed| changed.change)
        .collect();
    assert_eq!(changes, wishes);
    let standings = table(&journal, &ladder).unwrap();
    assert!(standings.over && standings.played >= 1060, "{standings:?}");
    let newcomer = standings.rows.iter().find(|row| row.bot == "e@1").unwrap();
    assert!(newcomer.games > 0, "{newcomer:?}");
    let two = NonZeroUsize::new(2).unwrap();
    let audited = audit(&journal, &ladder, two, |finding, _, _| {
        let is_true = matches!(
            finding.found,
            RecordAudit::True { .. } | RecordAudit::Forfeit
        );
        assert!(is_true, "{finding:?}");
        ControlFlow::Continue(())
    });
    let audited = audited.unwrap();
    assert_eq!(
        audited.due,
        audited.proven + audited.forfeits + audited.left_out
    );
}
