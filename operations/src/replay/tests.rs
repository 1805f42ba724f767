use flipside_games::{GAMES, Seat, SeatTurn, Viewer, unmarked};
use flipside_referee::{Line, Record, Replay};
use serde_json::Value;

use super::parts::{MatchReplay, ReplayStep, StepKind};
use crate::replay::last_board;

/// A record of each game, as the fuzzer keeps them.
fn records() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/record");
    let files = std::fs::read_dir(folder).unwrap();
    let mut records: Vec<String> = files
        .filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok())
        .filter(|text| Record::read(text).is_ok())
        .collect();
    records.sort();
    for game in GAMES {
        let id = format!("\"game\":\"{}\"", game.info().id);
        let known = records.iter().any(|text| text.contains(&id));
        assert!(known, "there is no record of {id}");
    }
    records
}

fn viewers(seats: usize) -> impl Iterator<Item = Viewer> {
    let seats = (0..seats as Seat).map(Viewer::Seat);
    [Viewer::Open, Viewer::Public].into_iter().chain(seats)
}

fn view(table: &dyn flipside_games::Table, viewer: Viewer) -> String {
    let mut view = Vec::new();
    table.write_view(viewer, &mut view);
    String::from_utf8(view).unwrap()
}

#[test]
fn frames_are_what_the_table_shows_forwards_and_backwards() {
    for text in records() {
        let record = Record::read(&text).unwrap();
        let replay = MatchReplay::read(&text, Viewer::Open).unwrap();
        let mut frames = replay.frames().unwrap();
        let mut walk = Replay::new(&record).unwrap();
        let mut at = 0;
        let mut seen = Vec::new();
        loop {
            for viewer in viewers(record.header.seats.len()) {
                let shown = view(walk.table(), viewer);
                assert_eq!(frames.view(at, viewer).unwrap(), shown, "{at}");
                assert_eq!(frames.text(at, viewer).unwrap(), walk.table().text(viewer));
                let drawn = frames.svg(at, viewer).unwrap();
                assert_eq!(drawn, unmarked(&walk.table().svg(viewer)));
                assert!(!drawn.contains("data-mark"), "{drawn}");
            }
            seen.push(view(walk.table(), Viewer::Open));
            if walk.step().unwrap().is_none() {
                break;
            }
            at += 1;
        }
        assert_eq!(replay.steps.len(), record.lines.len() + 2);
        for (at, shown) in seen.iter().enumerate().rev() {
            assert_eq!(&frames.view(at, Viewer::Open).unwrap(), shown, "{at}");
        }
        let end = frames.text(replay.steps.len() - 1, Viewer::Open).unwrap();
        assert_eq!(end, last_board(&text).unwrap());
    }
}

/// What is written for a seat, without the ending and what is open from then on.
fn before_the_end(text: &str, seat: Seat) -> (String, usize) {
    let replay = MatchReplay::read(text, Viewer::Seat(seat)).unwrap();
    let mut lines = String::new();
    let mut number = 0;
    let open_from = replay.open_from;
    replay
        .write_json(|line| {
            let line = std::str::from_utf8(line).unwrap();
            if (1..=open_from).contains(&number) {
                lines += line;
            }
            number += 1;
            Ok(())
        })
        .unwrap();
    for step in &replay.steps[..open_from] {
        lines += &replay.told(step);
        lines += &replay.sentence(step);
    }
    (lines, open_from)
}

#[test]
fn a_seat_is_shown_its_own_view_and_nothing_hidden_before_the_end() {
    for text in records() {
        let record = Record::read(&text).unwrap();
        for seat in 0..record.header.seats.len() as Seat {
            let replay = MatchReplay::read(&text, Viewer::Seat(seat)).unwrap();
            let mut frames = replay.frames().unwrap();
            let mut walk = Replay::new(&record).unwrap();
            for (at, step) in replay.steps.iter().enumerate() {
                let is_over = matches!(walk.table().turn(), SeatTurn::Over(_));
                let own = if is_over || step.kind == StepKind::Over {
                    Viewer::Open
                } else {
                    Viewer::Seat(seat)
                };
                // Whatever is asked for, only the seat's own view is drawn.
                for viewer in viewers(record.header.seats.len()) {
                    let shown = frames.view(at, viewer).unwrap();
                    assert_eq!(shown, view(walk.table(), own), "{at}");
                }
                assert_hidden(step, &record, at, seat, &walk);
                walk.step().unwrap();
            }
        }
    }
}

/// Actions and events that the table hides from the seat are missing in the step.
fn assert_hidden(step: &ReplayStep, record: &Record, at: usize, seat: Seat, walk: &Replay<'_>) {
    let viewer = Viewer::Seat(seat);
    let Some((_, line)) = at.checked_sub(1).and_then(|at| record.lines.get(at)) else {
        return;
    };
    match line {
        Line::Acts { acts } => {
            for (shown, act) in step.acts.iter().zip(acts) {
                let sees = walk.table().sees_action(viewer, act.seat, &act.action);
                assert_eq!(shown.action.is_some(), sees);
                assert_eq!(shown.words.is_some(), sees);
                assert!(shown.note.is_none() || act.seat == seat);
            }
        }
        Line::Chance { event } => {
            let sees = walk.table().sees_chance(viewer, event.get());
            let shown = step.chance.as_ref().unwrap();
            assert_eq!((shown.event.is_some(), shown.words.is_some()), (sees, sees));
        }
        _ => {}
    }
}

#[test]
fn the_public_sees_no_more_at_the_end_than_before() {
    for text in records() {
        let record = Record::read(&text).unwrap();
        let replay = MatchReplay::read(&text, Viewer::Public).unwrap();
        assert_eq!(replay.viewers(), [Viewer::Public]);
        let mut frames = replay.frames().unwrap();
        let mut walk = Replay::new(&record).unwrap();
        for at in 0..replay.steps.len() {
            for viewer in viewers(record.header.seats.len()) {
                let shown = frames.view(at, viewer).unwrap();
                assert_eq!(shown, view(walk.table(), Viewer::Public), "{at}");
            }
            walk.step().unwrap();
        }
    }
}

#[test]
fn the_cards_of_others_are_not_written_for_a_seat() {
    let text = records()
        .into_iter()
        .find(|text| text.contains("\"game\":\"phase10-flip\""))
        .unwrap();
    let (lines, open_from) = before_the_end(&text, 0);
    assert!(open_from > 5);
    assert!(!lines.contains("\"deal\":["), "the order of the cards");
    assert!(!lines.contains("\"open\":{"), "a view of everything");
    let replay = MatchReplay::read(&text, Viewer::Open).unwrap();
    let mut all = String::new();
    replay
        .write_json(|line| {
            all += std::str::from_utf8(line).unwrap();
            Ok(())
        })
        .unwrap();
    assert!(all.contains("\"deal\":[") && all.contains("\"open\":{"));
}

#[test]
fn the_json_says_what_the_record_says() {
    for text in records() {
        let record = Record::read(&text).unwrap();
        let replay = MatchReplay::read(&text, Viewer::Open).unwrap();
        let mut lines: Vec<Value> = Vec::new();
        replay
            .write_json(|line| {
                lines.push(serde_json::from_slice(line).unwrap());
                Ok(())
            })
            .unwrap();
        assert_eq!(lines.len(), record.lines.len() + 3);
        let head = &lines[0];
        assert_eq!(head["type"], "replay");
        assert_eq!(head["id"], record.header.id.as_str());
        assert_eq!(head["plies"], record.over.plies);
        for (seat, place) in record.over.places.iter().enumerate() {
            assert_eq!(head["seats"][seat]["place"], *place);
        }
        let points = |seat: &Value| seat["points"].as_f64().unwrap();
        let all: f64 = head["seats"].as_array().unwrap().iter().map(points).sum();
        assert_eq!(
            all,
            record.over.places.len() as f64 / 2.0,
            "half a point each"
        );
        for ((_, line), shown) in record.lines.iter().zip(&lines[2..]) {
            match line {
                Line::Acts { acts } | Line::Opening { acts } => {
                    for (act, shown) in acts.iter().zip(shown["acts"].as_array().unwrap()) {
                        assert_eq!(shown["seat"], act.seat);
                        assert_eq!(shown["action"], act.action.as_str());
                        assert_eq!(shown["us"].as_u64(), act.us);
                        assert_eq!(shown["note"].as_str(), act.note.as_deref());
                    }
                }
                Line::Chance { event } => {
                    let event: Value = serde_json::from_str(event.get()).unwrap();
                    assert_eq!(shown["chance"]["event"], event);
                }
                Line::Fault(fault) => {
                    assert_eq!(shown["fault"]["fault"], fault.fault.name());
                    assert_eq!(shown["fault"]["detail"], fault.detail.as_str());
                }
                _ => {}
            }
        }
        let last = lines.last().unwrap();
        assert_eq!(last["type"], "over");
        assert_eq!(last["ply"], record.over.plies);
    }
}
