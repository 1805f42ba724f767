//! What a seat was sent, from its record: the very bytes that it read in the match.

use std::path::{Path, PathBuf};

use crate::common::{Hall, read, shell_bot};
use flipside_games::{AnyGame, GAMES};
use flipside_protocol::{FromReferee, TurnEvent};
use flipside_referee::{
    Line, Match, MatchSeed, PlayedMatch, Player, Questions, Record, RecordedAnswer,
};

const CLOCK: &str = "30m+100ms,start=20m";

/// A bot for each seat that plays the first action and writes down what it is sent. What `misbehave` says of a seat
/// is done before its answers.
struct Scribes {
    hall: Hall,
    folder: tempfile::TempDir,
}

impl Scribes {
    fn new() -> Self {
        let (hall, folder) = (Hall::new(), tempfile::tempdir().unwrap());
        Scribes { hall, folder }
    }

    fn log(&self, seat: u8) -> PathBuf {
        self.folder.path().join(format!("log-{seat}"))
    }

    fn player(&self, seat: u8, misbehave: &str) -> Player {
        let text = shell_bot(misbehave).replace("reuse", "").replacen(
            "  case $line in",
            &format!(
                "  printf '%s\\n' \"$line\" >> {}\n  case $line in",
                self.log(seat).display()
            ),
            1,
        );
        // Every other one wants to know what happened between its turns.
        let text = match seat % 2 {
            0 => text,
            _ => text.replacen("\"actions\":true", "\"actions\":true,\"events\":true", 1),
        };
        self.hall.shell(&format!("scribe-{seat}"), &text)
    }

    fn play(
        &mut self,
        game: &'static dyn AnyGame,
        options: String,
        opening_plies: u32,
        misbehave: &[&str],
    ) -> PlayedMatch {
        let seats = 0..misbehave.len() as u8;
        for seat in seats.clone() {
            let _ = std::fs::remove_file(self.log(seat));
        }
        let players = seats.map(|seat| self.player(seat, misbehave[usize::from(seat)]));
        let the_match = Match {
            id: format!("{}-0123", game.info().id),
            game,
            options,
            clock: CLOCK.parse().unwrap(),
            seed: MatchSeed::from_number(opening_plies.into()).numbered(7),
            players: players.collect(),
            opening_plies,
            patience: None,
        };
        self.hall.play_match(&the_match)
    }

    /// Checks what every seat was sent; gives the number of lines.
    fn agree(&self, played: &PlayedMatch, seats: u8) -> usize {
        (0..seats)
            .map(|seat| agrees(&self.log(seat), played, seat))
            .sum()
    }
}

fn agrees(log: &Path, played: &PlayedMatch, seat: u8) -> usize {
    let record = read(played);
    let live = std::fs::read_to_string(log).unwrap_or_default();
    let mut questions = Questions::of(&record, seat).unwrap();
    let mut lines = 0;
    let mut live = live.lines();
    while let Some(sent) = questions.next_sent().unwrap() {
        let ending = matches!(sent.answer, RecordedAnswer::Fault(_));
        match live.next() {
            Some(line) => assert_eq!(line, sent.line, "seat {seat}"),
            // A bot may end without having read its last line, and has little time for `over`.
            None => {
                let is_over = sent.line.contains("\"type\":\"over\"");
                assert!(ending || is_over, "seat {seat} was not sent {}", sent.line);
            }
        }
        lines += 1;
    }
    assert_eq!(
        live.next(),
        None,
        "seat {seat} was sent more\n{}",
        played.record
    );
    lines
}

#[test]
fn every_line_to_every_seat_is_written_again_byte_for_byte() {
    let mut scribes = Scribes::new();
    let mut lines = 0;
    for game in GAMES {
        for &seats in game.info().seats {
            let played = scribes.play(*game, game.brief(), 0, &vec![""; seats.into()]);
            lines += scribes.agree(&played, seats);
        }
        for (_, options) in game.presets() {
            let seats = game.info().least_seats();
            // The first action for ever may make a long match; it is cut short.
            let stop = "[ $turn -lt 20 ] || exit 3";
            let played = scribes.play(*game, options, 0, &vec![stop; seats.into()]);
            lines += scribes.agree(&played, seats);
        }
    }
    assert!(lines > 1000, "{lines}");
}

#[test]
fn so_are_those_after_an_opening_and_around_faults() {
    let mut scribes = Scribes::new();
    for id in ["yonmoque", "flipfour", "flipflop-5x5"] {
        let game = flipside_games::find(id).unwrap();
        let played = scribes.play(game, game.brief(), 6, &["", ""]);
        scribes.agree(&played, 2);
    }
    let game = flipside_games::find("phase10-flip").unwrap();
    let faults = [
        "[ $turn -lt 3 ] || exit 1",
        // Refused by the rules: its time was taken off its clock before.
        "[ $turn -lt 4 ] || action=nonsense",
        "[ $turn -lt 5 ] || echo '{\"type\":\"act\",\"id\":1,\"action\":\"draw\"}'",
        "[ $turn -lt 6 ] || id=99",
        "[ $turn -lt 3 ] || kill -9 $$",
    ];
    for fault in faults {
        for at in 0..4 {
            let mut misbehave = [""; 4];
            misbehave[at] = fault;
            let played = scribes.play(game, game.brief(), 0, &misbehave);
            assert!(played.seats[at].fault.is_some());
            scribes.agree(&played, 4);
        }
    }
}

#[test]
fn a_question_is_found_by_the_plies_before_it() {
    let mut scribes = Scribes::new();
    for game in GAMES {
        let played = scribes.play(*game, game.brief(), 0, &["", ""]);
        let record = read(&played);
        let mut asked = vec![0; played.result.plies as usize];
        for seat in 0..2 {
            let mut questions = Questions::of(&record, seat).unwrap();
            let mut own = 0;
            while let Some(sent) = questions.next_sent().unwrap() {
                assert_eq!(
                    sent.question.is_some(),
                    sent.line.starts_with("{\"type\":\"turn\"")
                );
                let Some(question) = sent.question else {
                    continue;
                };
                own += 1;
                assert_eq!(question, own);
                assert!(sent.asks_at(sent.plies) && !sent.asks_at(sent.plies + 1));
                asked[sent.plies as usize] += 1;
            }
            assert_eq!(own, played.result.seats[usize::from(seat)].plies);
        }
        let alone = asked.iter().all(|&seats| seats == 1);
        assert!(alone || game.info().simultaneous, "{asked:?}");
        assert_eq!(asked.iter().sum::<u64>(), played.result.plies);
    }
}

#[test]
fn seats_that_were_sent_nothing_are_refused() {
    let mut scribes = Scribes::new();
    let game = flipside_games::find("flipflop-3x3").unwrap();
    let played = scribes.play(game, game.brief(), 0, &["", ""]);
    let record = read(&played);
    assert!(Questions::of(&record, 2).is_err());
    let mut person = record.clone();
    person.header.seats[1].kind = flipside_referee::PERSON.into();
    let told = Questions::of(&person, 1).err().unwrap().to_string();
    assert!(told.contains("person"), "{told}");
    // A record that leaves out a line is no match.
    let mut cut = record;
    cut.lines.pop();
    let mut questions = Questions::of(&cut, 0).unwrap();
    let told = loop {
        match questions.next_sent() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it is taken for whole"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(told.contains("stops before"), "{told}");
}

/// Asks for all that a seat was sent; a record that was changed may end with an error.
fn all_sent(record: &Record, seat: u8) {
    let Ok(mut questions) = Questions::of(record, seat) else {
        return;
    };
    while let Ok(Some(_)) = questions.next_sent() {}
}

#[test]
fn no_change_of_a_record_makes_it_panic() {
    let mut scribes = Scribes::new();
    for id in ["phase10-flip", "puissance4-championship", "flipfour"] {
        let game = flipside_games::find(id).unwrap();
        let mut misbehave = vec![""; usize::from(*game.info().seats.last().unwrap())];
        misbehave[1] = "[ $turn -lt 2 ] || exit 1";
        let whole = read(&scribes.play(game, game.brief(), 0, &misbehave));
        for at in 0..whole.lines.len().min(40) {
            let changed = |change: &dyn Fn(&mut Record)| {
                let mut record = whole.clone();
                change(&mut record);
                (0..3).for_each(|seat| all_sent(&record, seat));
            };
            changed(&|record| drop(record.lines.remove(at)));
            changed(&|record| record.lines.insert(at, record.lines[at].clone()));
            changed(&|record| record.lines.swap(at, 0));
            changed(&|record| record.lines.truncate(at));
            for seat in [0, 7, 8, 200] {
                changed(&|record| match &mut record.lines[at].1 {
                    Line::Ready(line) => line.seat = seat,
                    Line::Fault(line) => line.seat = seat,
                    Line::Acts { acts } => acts[0].seat = seat,
                    _ => {}
                });
            }
            changed(&|record| match &mut record.lines[at].1 {
                Line::Ready(line) => line.us = u64::MAX,
                Line::Fault(line) => line.us = u64::MAX,
                Line::Acts { acts } => acts[0].us = Some(u64::MAX),
                _ => {}
            });
        }
    }
}

/// The events that a seat was told of in all its turns, one behind the other.
fn events(log: &Path) -> Vec<TurnEvent> {
    let live = std::fs::read_to_string(log).unwrap();
    let turns = live
        .lines()
        .filter_map(|line| match FromReferee::read(line) {
            Ok(FromReferee::Turn(turn)) => Some(turn.events.expect("it asked for them")),
            _ => None,
        });
    turns.flatten().collect()
}

#[test]
fn turns_tell_everything_that_happened_where_nothing_is_hidden() {
    let mut scribes = Scribes::new();
    for (id, opening_plies) in [("flipfour", 6), ("flip4", 0), ("puissance4-extra-pro", 0)] {
        let game = flipside_games::find(id).unwrap();
        let played = scribes.play(game, game.brief(), opening_plies, &["", ""]);
        let mut happened = Vec::new();
        for (_, line) in &read(&played).lines {
            match line {
                Line::Opening { acts } => {
                    happened.extend(acts.iter().map(|act| act.action.clone()));
                }
                Line::Acts { acts } => happened.extend(acts.iter().map(|act| act.action.clone())),
                Line::Chance { event } => happened.push(event.get().to_owned()),
                _ => {}
            }
        }
        let told = events(&scribes.log(1))
            .into_iter()
            .flat_map(|event| match event {
                TurnEvent::Acts(acts) => acts
                    .into_iter()
                    .map(|act| act.action.expect("nothing is hidden"))
                    .collect(),
                TurnEvent::Chance(event) => {
                    vec![event.expect("nothing is hidden").get().to_owned()]
                }
                other => panic!("{other:?}"),
            });
        let told: Vec<String> = told.collect();
        // What came after its last turn it was not told any more.
        assert!(told.len() > 3 && told.len() < happened.len());
        assert_eq!(told, happened[..told.len()]);
    }
}

#[test]
fn turns_do_not_tell_what_is_hidden() {
    let mut scribes = Scribes::new();
    let game = flipside_games::find("phase10-flip").unwrap();
    scribes.play(
        game,
        game.brief(),
        0,
        &["", "[ $turn -lt 6 ] || exit 1", "", ""],
    );
    let told = events(&scribes.log(3));
    let (mut dealers, mut hidden, mut faults) = (0, 0, 0);
    for event in &told {
        match event {
            TurnEvent::Chance(Some(event)) => {
                assert!(event.get().contains("dealer"), "{event}");
                dealers += 1;
            }
            TurnEvent::Chance(None) => hidden += 1,
            TurnEvent::Fault(fault) => {
                assert_eq!((fault.seat, &*fault.fault), (1, "closed"));
                faults += 1;
            }
            TurnEvent::Acts(acts) => assert!(acts.iter().all(|act| act.action.is_some())),
            TurnEvent::Missed(_) => panic!("they are few"),
        }
    }
    assert!(dealers == 1 && hidden >= 2 && faults == 1, "{told:?}");
    let game = flipside_games::find("puissance4-basic").unwrap();
    scribes.play(game, game.brief(), 0, &["", ""]);
    let mut launches = [0; 2];
    for event in events(&scribes.log(1)) {
        match event {
            TurnEvent::Acts(acts) => {
                for act in acts {
                    let is_hidden = act.action.is_none();
                    assert!(!is_hidden || act.seat == 0);
                    let launch = act.action.is_none_or(|action| action.starts_with("launch"));
                    assert!(!launch || is_hidden == (act.seat == 0));
                    launches[usize::from(act.seat)] += u32::from(launch);
                }
            }
            TurnEvent::Chance(Some(event)) => {
                let event = event.get();
                assert!(
                    event.contains("landings") || event.contains("claimant"),
                    "{event}"
                );
            }
            TurnEvent::Chance(None) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(
        launches.iter().all(|&launches| launches > 1),
        "{launches:?}"
    );
}
