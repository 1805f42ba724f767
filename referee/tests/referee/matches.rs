//! Whole matches: every game, with dice, secrets, teams and several seats at once.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{Hall, find, read, sealed_again, shell_bot, verified};
use flipside_games::{GAMES, testing};
use flipside_referee::{
    BY_FAULT, BotSettings, Error, FaultKind, Line, Match, MatchSeed, Player, Referee,
};
use flipside_sandbox::{Isolation, Jail, Sandbox, SandboxSettings};

/// No bot is late with it, on whatever machine.
const CLOCK: &str = "move=10m,start=10m";

#[test]
fn a_match_of_every_game_at_every_number_of_seats_is_played_and_verified() {
    let mut hall = Hall::new();
    for game in GAMES.iter().chain(testing::GAMES) {
        for &seats in game.info().seats {
            let players = vec![hall.first(); seats.into()];
            let played = hall.play(*game, CLOCK, players);
            assert_ne!(played.result.reason, BY_FAULT, "{}", played.record);
            assert_eq!(
                played.result.plies,
                played
                    .result
                    .seats
                    .iter()
                    .map(|seat| seat.plies)
                    .sum::<u64>()
            );
        }
    }
}

#[test]
fn a_process_and_a_module_play_the_same_match_as_two_modules() {
    let mut hall = Hall::new();
    let shell = hall.shell("shell", &shell_bot(""));
    for game in GAMES {
        let actions = |played: &flipside_referee::PlayedMatch| -> Vec<String> {
            let acts = read(played)
                .lines
                .into_iter()
                .filter_map(|(_, line)| match line {
                    Line::Acts { acts } => Some(
                        acts.into_iter()
                            .map(|act| act.action)
                            .collect::<Vec<_>>()
                            .join(" "),
                    ),
                    _ => None,
                });
            acts.collect()
        };
        let modules = vec![hall.first(), hall.first()];
        let mixed = vec![hall.first(), shell.clone()];
        let (modules, mixed) = (
            hall.play(*game, CLOCK, modules),
            hall.play(*game, CLOCK, mixed),
        );
        assert_eq!(actions(&modules), actions(&mixed));
    }
}

#[test]
fn with_many_seats_a_bot_that_falls_is_stood_in_for_and_ranks_last() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("[ $turn -lt 2 ] || exit 1"));
    let players = vec![hall.first(), bad, hall.first(), hall.first()];
    let played = hall.play(find("test-race").unwrap(), CLOCK, players);
    assert_eq!(played.result.places()[1], 4, "{}", played.record);
    assert_ne!(
        played.result.reason, BY_FAULT,
        "the match goes on to its own end"
    );
    assert_eq!(
        played.result.seats[1].plies, 1,
        "the stand-in's plies are not the bot's"
    );
    assert!(
        played.result.plies
            > played
                .result
                .seats
                .iter()
                .map(|seat| seat.plies)
                .sum::<u64>()
    );
}

#[test]
fn the_match_ends_when_one_seat_is_left_and_the_later_fall_ranks_higher() {
    let mut hall = Hall::new();
    let bad = |hall: &Hall, name: &str, turn: u32| {
        hall.shell(name, &shell_bot(&format!("[ $turn -lt {turn} ] || exit 1")))
    };
    let players = vec![bad(&hall, "late", 3), bad(&hall, "early", 2), hall.first()];
    let played = hall.play(find("test-race").unwrap(), CLOCK, players);
    assert_eq!(played.result.places(), [2, 3, 1]);
    assert_eq!(played.result.points(), [1, 0, 2]);
    assert_eq!(played.result.reason, BY_FAULT);
}

#[test]
fn in_a_team_game_a_fault_loses_for_the_team() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("exit 1"));
    let players = vec![hall.first(), bad, hall.first(), hall.first()];
    let game = find("test-teams").unwrap();
    let table = game.set_up("{}", 4).unwrap().table;
    let played = hall.play(game, CLOCK, players);
    assert_eq!(played.result.reason, BY_FAULT);
    for seat in 0..4 {
        let lost = table.side(seat) == table.side(1);
        assert_eq!(
            played.result.points()[usize::from(seat)],
            i32::from(!lost),
            "seat {seat}"
        );
        assert_eq!(
            played.result.places()[usize::from(seat)],
            if lost { 3 } else { 1 }
        );
    }
}

#[test]
fn both_sides_falling_in_one_simultaneous_turn_is_a_tie() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("exit 1"));
    let played = hall.play(
        find("test-goofspiel").unwrap(),
        CLOCK,
        vec![bad.clone(), bad],
    );
    assert_eq!(
        (played.result.points(), played.result.places()),
        (vec![0, 0], vec![1, 1])
    );
    assert!(played.seats.iter().all(|seat| {
        seat.fault
            .as_ref()
            .is_some_and(|fault| fault.kind == FaultKind::Closed)
    }));
}

#[test]
fn seats_that_choose_at_once_are_all_asked_before_any_answer_is_awaited() {
    // Each bot waits for a file that the other makes when it is asked: in turns, nobody would answer.
    let mut hall = Hall::new();
    let folder = tempfile::tempdir().unwrap();
    let wait = |me: &str, other: &str| {
        let path = folder.path().display();
        shell_bot(&format!(
            ": > {path}/{me}-$turn; while [ ! -e {path}/{other}-$turn ]; do sleep 0.01; done"
        ))
    };
    let players = vec![
        hall.shell("a", &wait("a", "b")),
        hall.shell("b", &wait("b", "a")),
    ];
    let played = hall.play(find("test-goofspiel").unwrap(), CLOCK, players);
    assert!(
        played.seats.iter().all(|seat| seat.fault.is_none()),
        "{:?}",
        played.seats
    );
}

#[test]
fn a_bot_that_can_be_used_again_plays_the_next_match_too() {
    let mut hall = Hall::new();
    let again = shell_bot("").replace(
        "\"actions\":true",
        "\"actions\":true,\"reuse\":true,\"version\":\"'$$'\"",
    );
    let again = hall.shell("again", &again);
    let once = hall.shell(
        "once",
        &shell_bot("").replace("\"actions\":true", "\"actions\":true,\"version\":\"'$$'\""),
    );
    let players = vec![again, once];
    let first = pids(&hall.play_match(&seeded(1, 0, &players)));
    let second = pids(&hall.play_match(&seeded(2, 1, &players)));
    assert_eq!(first[0], second[0], "the same process");
    assert_ne!(first[1], second[1], "another process");
}

#[test]
fn the_bot_that_does_not_start_is_named_whatever_its_seat() {
    let mut hall = Hall::new();
    let good = hall.shell("good", &shell_bot(""));
    let bad = hall.shell("bad", "#!/no/such/interpreter\n");
    for players in [[&good, &bad], [&bad, &good]] {
        let the_match = seeded(1, 0, &players.map(Player::clone));
        match hall.referee.play(&the_match) {
            Err(Error::Start { bot, .. }) => assert_eq!(bot, "bad"),
            other => panic!("it was started: {:?}", other.map(|played| played.record)),
        }
    }
}

#[test]
fn of_several_bots_that_do_not_start_the_lowest_seat_is_named_in_the_jail_too() {
    let mut hall = Hall::new();
    let good = hall.shell("good", &shell_bot(""));
    // Without a jail, both show when a start begins; in a jail, when that is waited for.
    let bad = hall.shell("bad", "#!/no/such/interpreter\n");
    let gone = hall.shell("gone", &shell_bot(""));
    std::fs::remove_file(gone.program().unwrap().path()).unwrap();
    // The program that is built in is the stage.
    let jail = Jail::of_program("/bin/true", [] as [&str; 0]);
    for isolation in [Isolation::Trust, Isolation::Jail(jail)] {
        let settings = SandboxSettings {
            isolation,
            ..SandboxSettings::default()
        };
        hall.referee = Referee::new(Sandbox::new(settings)).unwrap();
        for (players, due) in [
            ([&good, &bad], "bad"),
            ([&bad, &good], "bad"),
            ([&bad, &gone], "bad"),
            ([&gone, &bad], "gone"),
        ] {
            match hall
                .referee
                .play(&seeded(1, 0, &players.map(Player::clone)))
            {
                Err(Error::Start { bot, .. }) => assert_eq!(bot, due),
                other => panic!("it was started: {:?}", other.map(|played| played.record)),
            }
        }
    }
}

#[test]
fn a_bot_that_keeps_another_from_starting_gains_no_void() {
    // The referee tries for two seconds. However busy the machine is, the first bot starts within them at some time.
    for _ in 0..100 {
        if plays_though_one_keeps_the_other_from_starting() {
            return;
        }
    }
    panic!("the first bot never holds the file in time");
}

/// Plays a match whose first bot holds the file of the second one to write, so that it cannot be executed. Says whether
/// the first bot held it before the referee gave up.
fn plays_though_one_keeps_the_other_from_starting() -> bool {
    let mut hall = Hall::new();
    let second = hall.shell("second", &shell_bot(""));
    let held = second.program().unwrap().path().to_owned();
    let opened = hall.path("opened");
    let begin = format!(
        "#!/bin/sh\nexec 9>>'{}'\necho opened >>'{}'\n",
        held.display(),
        opened.display()
    );
    let first = hall.shell("first", &shell_bot("").replace("#!/bin/sh\n", &begin));
    // Until the first bot holds it, the test does.
    let file = std::fs::OpenOptions::new().append(true).open(held).unwrap();
    let (is_let_go, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let played = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !opened.exists() && !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(file);
            is_let_go.store(true, Ordering::Relaxed);
        });
        let players = vec![first, second];
        let played = hall.referee.play(&seeded(1, 0, &players));
        let was_let_go = is_let_go.load(Ordering::Relaxed);
        is_over.store(true, Ordering::Relaxed);
        played.map_err(|error| assert!(!was_let_go, "the match is void: {error}"))
    });
    let Ok(played) = played else {
        return false;
    };
    assert!(played.seats.iter().all(|seat| seat.fault.is_none()));
    // They were started once more, the second bot first.
    let opened = std::fs::read_to_string(opened).unwrap();
    assert_eq!(opened.lines().count(), 2);
    true
}

#[test]
fn no_process_meets_a_block_twice_or_is_there_when_it_is_played_again() {
    let mut hall = Hall::new();
    let text = shell_bot("").replace(
        "\"actions\":true",
        "\"actions\":true,\"reuse\":true,\"version\":\"'$$'\"",
    );
    let [one, other] = ["one", "other"].map(|name| hall.shell(name, &format!("{text}# {name}\n")));
    let (there, back) = ([one.clone(), other.clone()], [other, one.clone()]);
    let is_there = |pid: &String| Path::new("/proc").join(pid).exists();
    // Two blocks in turns, with a bot that sits twice in one match.
    let mut met: Vec<(u64, Vec<String>)> = Vec::new();
    for (block, number, players) in [
        (1, 0, &there),
        (2, 2, &there),
        (1, 1, &back),
        (3, 4, &[one.clone(), one.clone()]),
        (2, 3, &back),
        (3, 5, &[one.clone(), one]),
        (4, 6, &there),
        (1, 7, &there),
    ] {
        let played = pids(&hall.play_match(&seeded(block, number, players)));
        for (_, pids) in met.iter().filter(|(other, _)| *other == block) {
            assert!(
                !pids.iter().any(is_there),
                "{pids:?} have met block {block}"
            );
            assert!(pids.iter().all(|pid| !played.contains(pid)));
        }
        met.push((block, played));
    }
    let in_a_row = met.iter().zip(&met[1..]);
    let again = in_a_row.filter(|(one, next)| one.1.iter().any(|pid| next.1.contains(pid)));
    assert!(again.count() >= 3, "they are used again otherwise: {met:?}");
    // When the referee goes, so do they.
    drop(hall);
    assert!(!met.iter().flat_map(|(_, pids)| pids).any(is_there));
}

/// A match of a block.
fn seeded(block: u64, number: u64, players: &[Player]) -> Match {
    Match {
        id: "test".into(),
        game: find("flipflop-3x3").unwrap(),
        options: "{}".into(),
        clock: CLOCK.parse().unwrap(),
        seed: MatchSeed::from_number(block).numbered(number),
        players: players.to_vec(),
        opening_plies: 0,
        patience: None,
    }
}

/// What the bots that are ready call their version, which is their process.
fn pids(played: &flipside_referee::PlayedMatch) -> Vec<String> {
    let ready = read(played)
        .lines
        .into_iter()
        .filter_map(|(_, line)| match line {
            Line::Ready(ready) => ready.version,
            _ => None,
        });
    ready.collect()
}

#[test]
fn a_bank_runs_down_and_the_record_tells_how() {
    let mut hall = Hall::new();
    // It sleeps at each turn, for ever in the end: where nobody looks for long, a clock stands still.
    let slow = hall.shell(
        "slow",
        &shell_bot("[ $turn -lt 2 ] || sleep 0.2; [ $turn -lt 9 ] || sleep 1000"),
    );
    let players = vec![hall.first(), slow];
    // What is left of the start is added to its first turn. The bank pays two slow moves.
    let played = hall.play(find("flipfour").unwrap(), "500ms+10ms,start=10m", players);
    let fault = played.seats[1]
        .fault
        .as_ref()
        .expect("the bank does not last");
    assert_eq!(fault.kind, FaultKind::Late);
    let acts = read(&played).lines.into_iter();
    let acts = acts.filter_map(|(_, line)| match line {
        Line::Acts { acts } => acts.into_iter().find(|act| act.seat == 1)?.us,
        _ => None,
    });
    let acts: Vec<u64> = acts.collect();
    assert_eq!(acts.len() as u64, played.result.seats[1].plies);
    // The record tells how it ran down.
    let timing: u64 = acts[1..].iter().sum();
    let bank = 500_000 + 10_000 * acts.len() as u64;
    assert!(
        timing <= bank && timing + fault.us >= bank,
        "{acts:?} {fault}"
    );
}

/// A module that counts for so long before it is ready, and then plays as `first.wat`.
fn slow_starter(turns: u64) -> String {
    let start = "(func (export \"_start\") (local $at i32)";
    let count = format!(
        "{start} (local $n i64)
         (loop $count
           (local.set $n (i64.add (local.get $n) (i64.const 1)))
           (br_if $count (i64.lt_u (local.get $n) (i64.const {turns}))))"
    );
    assert!(crate::common::FIRST_WAT.contains(start));
    crate::common::FIRST_WAT.replace(start, &count)
}

#[test]
fn a_module_that_computes_takes_no_time_from_another() {
    let mut hall = Hall::new();
    let ready_us = |played: &flipside_referee::PlayedMatch, seat: u8| {
        let lines = read(played).lines.into_iter();
        lines
            .filter_map(|(_, line)| match line {
                Line::Ready(ready) if ready.seat == seat => Some(ready.us),
                _ => None,
            })
            .next()
            .expect("the seat was ready")
    };
    let slow = hall.shell("slow.wat", &slow_starter(300_000_000));
    let quick = hall.first();
    let game = find("flipflop-3x3").unwrap();
    let played = hall.play(game, CLOCK, vec![slow, quick]);
    // The first counts for some tenths of a second; none of it is the other's.
    assert!(
        ready_us(&played, 0) > 10 * ready_us(&played, 1),
        "{}",
        played.record
    );
}

#[test]
fn a_bot_has_a_clock_memory_and_options_of_its_own() {
    let mut hall = Hall::new();
    let tells = |name| {
        let bot = shell_bot("").replace(
            "'\"type\":\"hello\"'*) ",
            "'\"type\":\"hello\"'*) echo \"$line\" >&2; ",
        );
        (
            name,
            bot.replace("turn=$((turn + 1))", "echo \"$line\" >&2; exit 1"),
        )
    };
    let settings: BotSettings = serde_json::from_str(
        r#"{"clock":"move=9m,start=8m","memory":"1G","options":{"b":[1.5],"a":"x"}}"#,
    )
    .unwrap();
    let (name, bot) = tells("own");
    let own = hall.shell(name, &bot).with_settings(settings.clone());
    let played = hall.play(
        find("flipfour").unwrap(),
        CLOCK,
        vec![own.clone(), hall.first()],
    );
    let said = &played.seats[0].fault.as_ref().unwrap().stderr;
    for field in [
        r#""clock":"move=9m,start=8m","bot_options":{"a":"x","b":[1.5]}"#,
        r#""memory":1073741824"#,
    ] {
        assert!(said.contains(field), "{said}");
    }
    // Both seats are told all clocks; what is left of the start is on top of the first move.
    let clocks = said.split_once(r#""clocks":["#).expect("a turn").1;
    let clocks: Vec<u64> = clocks
        .split_once(']')
        .unwrap()
        .0
        .split(',')
        .map(|ms| ms.parse().unwrap())
        .collect();
    assert!(
        (540_001..=1_020_000).contains(&clocks[0]) && clocks[1] > 600_000,
        "{clocks:?}"
    );
    let seats = read(&played).header.seats;
    assert_eq!(
        (&seats[0].settings, &seats[1].settings),
        (&settings, &BotSettings::default())
    );
    // The other one is told of nothing.
    let (name, bot) = tells("plain");
    let plain = hall.shell(name, &bot);
    let played = hall.play(find("flipfour").unwrap(), CLOCK, vec![plain, own]);
    let said = &played.seats[0].fault.as_ref().unwrap().stderr;
    assert!(
        said.contains(r#""clock":"move=10m,start=10m","limits""#),
        "{said}"
    );
    assert!(said.contains(r#""memory":268435456"#), "{said}");
}

#[test]
fn a_clock_of_its_own_is_enforced_and_verified() {
    let mut hall = Hall::new();
    let slower = hall.shell("slower", &shell_bot("[ $turn -lt 2 ] || sleep 1000"));
    let hasty = |clock: &str| BotSettings {
        clock: Some(clock.parse().unwrap()),
        ..BotSettings::default()
    };
    let game = find("flipfour").unwrap();
    let players = vec![
        slower.with_settings(hasty("move=100ms,start=10m")),
        hall.first(),
    ];
    let played = hall.play(game, CLOCK, players);
    assert_eq!(
        played.seats[0].fault.as_ref().map(|fault| fault.kind),
        Some(FaultKind::Late)
    );
    // With the clock of all, this would have been in time; so the record is not true without the bot's own.
    let without = sealed_again(&played.record, |line| {
        line.replace(r#","settings":{"clock":"move=100ms,start=10m"}"#, "")
    });
    assert_ne!(without, played.record);
    assert!(verified(&without).is_err());
    let slow = hall.shell("slow", &shell_bot("[ $turn -ne 2 ] || sleep 0.3"));
    let players = vec![slow, hall.first().with_settings(hasty("move=10m"))];
    assert_ne!(hall.play(game, CLOCK, players).result.reason, BY_FAULT);
}
