//! A record that was changed is not believed, even when its hash was made to fit.

use crate::common::{Hall, find, sealed_again, shell_bot, verified};
use flipside_referee::{RecordError, VerifyError};

const CLOCK: &str = "move=10m,start=10m";

fn record_of(game: &str, seats: usize) -> String {
    let mut hall = Hall::new();
    let players = vec![hall.first(); seats];
    hall.play(find(game).unwrap(), CLOCK, players).record
}

/// The complaint about a record whose lines were changed and that was sealed again.
fn complaint(record: &str, change: impl Fn(&str) -> String) -> String {
    match verified(&sealed_again(record, change)) {
        Ok(_) => panic!("a changed record is believed"),
        Err(error) => error.to_string(),
    }
}

/// Changes the `nth` line of a type.
fn nth(kind: &str, nth: usize, change: impl Fn(&str) -> String) -> impl Fn(&str) -> String {
    let tag = format!("{{\"type\":\"{kind}\"");
    let seen = std::cell::Cell::new(0);
    move |line: &str| {
        if !line.starts_with(&tag) {
            return line.to_owned();
        }
        seen.set(seen.get() + 1);
        if seen.get() == nth {
            change(line)
        } else {
            line.to_owned()
        }
    }
}

#[test]
fn a_record_that_is_cut_anywhere_is_refused() {
    let record = record_of("flipflop-3x3", 2);
    for end in 0..record.len() {
        let error = verified(&record[..end]).expect_err("a part is believed");
        assert!(
            matches!(error, VerifyError::Record(_)),
            "cut at {end}: {error}"
        );
    }
}

#[test]
fn a_record_with_any_byte_changed_is_refused() {
    let record = record_of("flipflop-3x3", 2);
    for at in 0..record.len() {
        let mut bytes = record.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        assert!(
            verified(&text).is_err(),
            "byte {at} changed, and it is believed"
        );
    }
}

#[test]
fn what_follows_the_end_is_refused() {
    let record = record_of("flipflop-3x3", 2);
    assert!(verified(&(record + "\n")).is_err());
}

#[test]
fn a_changed_move_is_found_even_with_a_hash_that_fits() {
    let record = record_of("flipfour", 2);
    let told = complaint(&record, nth("acts", 3, |line| line.replace("+a3", "+a1")));
    assert!(told.contains("a1"), "{told}");
}

#[test]
fn a_move_left_out_is_found() {
    let record = record_of("flipfour", 2);
    // The line stays, empty of acts.
    let told = complaint(
        &record,
        nth("acts", 2, |_| "{\"type\":\"acts\",\"acts\":[]}".into()),
    );
    assert!(told.contains("seats"), "{told}");
}

#[test]
fn other_dice_are_found() {
    let record = record_of("test-race", 2);
    let told = complaint(
        &record,
        nth("chance", 1, |line| {
            let event = line
                .split_once("\"event\":")
                .unwrap()
                .1
                .trim_end_matches('}');
            let other = if event == "1" { "2" } else { "1" };
            format!("{{\"type\":\"chance\",\"event\":{other}}}")
        }),
    );
    assert!(told.contains("the seed draws"), "{told}");
}

#[test]
fn another_seed_is_found() {
    let record = record_of("test-race", 2);
    let told = complaint(
        &record,
        nth("over", 1, |line| {
            let (head, seed) = line.split_once("\"seed\":\"").unwrap();
            format!(
                "{head}\"seed\":\"{}{}",
                if seed.starts_with('0') { "1" } else { "0" },
                &seed[1..]
            )
        }),
    );
    assert!(told.contains("committed"), "{told}");
}

#[test]
fn another_outcome_is_found() {
    let record = record_of("flipflop-3x3", 2);
    let told = complaint(
        &record,
        nth("over", 1, |line| {
            line.replace("[1,0]", "[x]")
                .replace("[0,1]", "[1,0]")
                .replace("[x]", "[0,1]")
        }),
    );
    assert!(told.contains("the rules give"), "{told}");
}

#[test]
fn a_time_over_the_clock_is_found() {
    let record = record_of("flipflop-3x3", 2);
    let told = complaint(
        &record,
        nth("acts", 2, |line| {
            let (head, _) = line.split_once("\"us\":").unwrap();
            format!("{head}\"us\":990000000000}}]}}")
        }),
    );
    assert!(told.contains("too late"), "{told}");
}

#[test]
fn an_invented_fault_is_found() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("action=+a1"));
    let players = vec![hall.first(), bad];
    let record = hall.play(find("flipfour").unwrap(), CLOCK, players).record;
    assert_eq!(verified(&record).unwrap().faults_shown, 1);
    // The evidence now shows a legal action.
    let told = complaint(&record, nth("fault", 1, |line| line.replace("+a1", "+b1")));
    assert!(told.contains("evidence"), "{told}");
    // No evidence at all.
    let told = complaint(
        &record,
        nth("fault", 1, |line| {
            line.replace("\"evidence\"", "\"stderr\"")
        }),
    );
    assert!(told.contains("is not there"), "{told}");
    // A fault of time that was none.
    let told = complaint(
        &record,
        nth("fault", 1, |line| line.replace("\"illegal\"", "\"late\"")),
    );
    assert!(told.contains("not late"), "{told}");
    // The other seat, which was not asked.
    let told = complaint(
        &record,
        nth("fault", 1, |line| line.replace("\"seat\":1", "\"seat\":0")),
    );
    assert!(told.contains("not asked"), "{told}");
}

#[test]
fn a_fault_in_the_first_turn_is_shown_by_its_evidence_as_later_ones_are() {
    let mut hall = Hall::new();
    for (action, shows) in [("a1-a2", "illegal"), ("z9", "malformed")] {
        let bad = hall.shell("bad", &shell_bot(&format!("action={action}")));
        let players = vec![bad, hall.first()];
        let played = hall.play(find("flipfour").unwrap(), CLOCK, players);
        let fault = played.seats[0].fault.as_ref().unwrap();
        assert_eq!((fault.kind.name(), played.result.plies), (shows, 0));
        assert_eq!(verified(&played.record).unwrap().faults_shown, 1);
    }
    let bad = hall.shell("bad", &shell_bot("action=a1-a2"));
    let players = vec![bad, hall.first()];
    let record = hall.play(find("flipfour").unwrap(), CLOCK, players).record;
    let told = complaint(
        &record,
        nth("fault", 1, |line| line.replace("a1-a2", "+a1")),
    );
    assert!(told.contains("evidence"), "{told}");
    // Before the other seat was ready there was no turn in which it could fall.
    let told = complaint(
        &record,
        nth("ready", 2, |line| line.replace("\"seat\":1", "\"seat\":0")),
    );
    assert!(told.contains("not asked"), "{told}");
}

#[test]
fn another_stand_in_is_found() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("exit 1"));
    let players = vec![hall.first(), bad, hall.first()];
    let record = hall.play(find("test-race").unwrap(), CLOCK, players).record;
    let stood_in = record
        .lines()
        .filter(|line| line.starts_with("{\"type\":\"acts\"") && !line.contains("\"us\""))
        .count();
    assert!(stood_in > 0);
    let first_stand_in = std::cell::Cell::new(true);
    let told = complaint(&record, |line| {
        if line.starts_with("{\"type\":\"acts\"")
            && !line.contains("\"us\"")
            && first_stand_in.replace(false)
        {
            return line.replace("}]}", ",\"us\":5}]}");
        }
        line.to_owned()
    });
    assert!(told.contains("was disqualified"), "{told}");
}

#[test]
fn what_is_no_record_is_told_so() {
    for text in [
        "",
        "hello",
        "{}",
        "[1]",
        "{\"type\":\"over\",\"format\":1}",
        "\0\0",
    ] {
        let error = verified(text).unwrap_err();
        assert!(
            matches!(error, VerifyError::Record(RecordError::NotARecord(_))),
            "{text:?}: {error}"
        );
    }
}

/// A record of format 1.
const GOLDEN: &str = include_str!("../records/format-1.jsonl");

#[test]
fn a_record_of_format_1_verifies() {
    // From the first release on, the file is never made anew.
    let verified = flipside_referee::verify(GOLDEN).unwrap();
    assert_eq!(verified.record.header.format, flipside_referee::FORMAT);
}

#[test]
fn a_record_of_another_format_is_refused_with_both_numbers() {
    for other in [0, 2, u32::MAX] {
        let text = GOLDEN.replacen("\"format\":1", &format!("\"format\":{other}"), 1);
        let error = verified(&text).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the record has format {other}, and this flipside reads format 1")
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn options_that_are_not_written_out_in_full_are_refused() {
    let record = record_of("flipfour", 2);
    let full = r#""options":{"max_plies":1000}"#;
    assert!(record.contains(full));
    for other in ["{}", "{\"max_plies\": 1000}"] {
        let changed = format!("\"options\":{other}");
        let told = complaint(
            &record,
            nth("match", 1, |line| line.replace(full, &changed)),
        );
        assert!(told.contains("written out in full"), "{told}");
    }
}

#[test]
fn a_forged_opening_is_found_out() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", &shell_bot("exit 1"));
    for game in flipside_games::GAMES
        .iter()
        .filter(|game| !game.info().chance)
    {
        let players = vec![hall.first(), hall.first()];
        let played = hall.play_from(*game, CLOCK, players, 4);
        let record = played.record;
        let bots: u64 = played.result.seats.iter().map(|seat| seat.plies).sum();
        assert_eq!(
            played.result.plies,
            bots + 4,
            "nobody was asked for the opening"
        );
        let opening = record
            .lines()
            .find(|line| line.contains("\"opening\""))
            .unwrap();
        // One ply less, none at all, another number of plies, and an opening that was never asked for.
        let shorter = opening.rsplit_once(",{").unwrap().0.to_owned() + "]}";
        let told = complaint(&record, nth("opening", 1, |_| shorter.clone()));
        assert!(told.contains("another opening"), "{told}");
        let empty = r#"{"type":"opening","acts":[]}"#;
        let told = complaint(&record, nth("opening", 1, |_| empty.into()));
        assert!(told.contains("another opening"), "{told}");
        let told = complaint(
            &record,
            nth("match", 1, |line| {
                line.replace("\"opening_plies\":4", "\"opening_plies\":3")
            }),
        );
        assert!(told.contains("another opening"), "{told}");
        let told = complaint(
            &record,
            nth("match", 1, |line| line.replace(",\"opening_plies\":4", "")),
        );
        assert!(told.contains("where there is none"), "{told}");
        let told = complaint(
            &record,
            nth("match", 1, |line| {
                line.replace("\"opening_plies\":4", "\"opening_plies\":400")
            }),
        );
        assert!(told.contains("at most"), "{told}");
        let told = complaint(&record, nth("opening", 1, |line| format!("{line}\n{line}")));
        assert!(told.contains("where there is none"), "{told}");
        let acts = r#"{"type":"acts","acts":[]}"#;
        let told = complaint(&record, nth("opening", 1, |line| format!("{acts}\n{line}")));
        assert!(told.contains("is missing"), "{told}");

        // Who falls in the first turn falls after the opening; who never was ready, without one.
        let fallen = hall.play_from(*game, CLOCK, vec![bad.clone(), hall.first()], 4);
        let told = complaint(&fallen.record, |line| match line.contains("\"opening\",") {
            true => r#"{"type":"opening","acts":[]}"#.into(),
            false => line.to_owned(),
        });
        assert!(told.contains("another opening"), "{told}");
        let late = hall.shell("late", "#!/bin/sh\nexit 1\n");
        let never = hall.play_from(*game, CLOCK, vec![late, hall.first()], 4);
        assert_eq!(never.result.plies, 0);
        assert!(!never.record.contains("\"type\":\"opening\""));
    }
}

#[test]
fn the_matches_of_a_seed_begin_with_the_same_opening_whoever_sits_where() {
    let mut hall = Hall::new();
    let shell = hall.shell("shell", &shell_bot(""));
    let yonmoque = find("yonmoque").unwrap();
    let mut opening = |players| {
        let played = hall.play_from(yonmoque, CLOCK, players, 6);
        let mut lines = played.record.lines();
        lines
            .find(|line| line.contains("\"opening\","))
            .unwrap()
            .to_owned()
    };
    let first = Hall::new().first();
    let one = opening(vec![first.clone(), shell.clone()]);
    assert_eq!(one, opening(vec![shell, first]));
    assert_eq!(one.matches("seat").count(), 6);
}
