//! A bot that cannot play leaves the tournament, and the others play on, whatever the format.

use flipside_store::change_rows;
use flipside_tournament::{ChangeWord, FORMATS, ScoredPairing, forfeits};
use tempfile::TempDir;

use super::changes::{begin, content, settings};
use super::*;

/// The entrant that cannot play.
const UNABLE: usize = 2;

/// Plays, but for one bot.
struct Lacks<'a>(&'a Tournament, Option<usize>);

impl MatchPlayer for Lacks<'_> {
    fn play(
        &mut self,
        task: &Task,
        _: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedMatch>, NotPlayed> {
        let seats = task.pairing.seats.iter();
        let is_away = |seat: usize| task.away.iter().any(|(away, _)| *away == seat);
        let mut sits = seats.enumerate().filter(|(seat, _)| !is_away(*seat));
        match sits.find(|(_, entrant)| self.1 == Some(**entrant)) {
            None => Ok(Some(failing(self.0, task, 0))),
            Some((seat, _)) => Err(NotPlayed {
                reason: "bot2@1: its file is not there any more".into(),
                seat: Some(seat),
                of_game: false,
            }),
        }
    }
}

/// Runs a tournament in which a bot cannot play: when it is made ready, or when it is started.
fn run(
    format: &str,
    seats: u8,
    at_start: bool,
) -> Result<(TempDir, Journal, Tournament, RunSummary), RunnerError> {
    let (folder, mut journal, cup) = begin(&settings(format, seats));
    let lacks = (!at_start).then_some(UNABLE);
    let worker = |_, _: &Arc<Tournament>| Ok(Lacks(&cup, lacks));
    let ready = |now: &Tournament| {
        let bot = &now.entrants[UNABLE.min(now.entrants.len() - 1)];
        let why = format!("the file of {}\nis missing", bot.label());
        let entrant = now.entrants.iter().position(|one| one.id == bot.id);
        Ok(match at_start {
            true => vec![(entrant.unwrap(), why)],
            false => Vec::new(),
        })
    };
    let stop = StopSignal::default();
    let ran = through_changes(
        &mut journal,
        &cup,
        many(2).into(),
        &stop,
        (ready, worker),
        |_| {},
    )?;
    let now = journal.tournament("cup").unwrap();
    Ok((folder, journal, now, ran))
}

#[test]
fn a_bot_that_cannot_play_leaves_and_the_others_play_on_in_every_format() {
    let mut played = 0;
    for format in FORMATS.iter().filter(|format| **format != "sprt") {
        for (seats, at_start) in [(2, true), (2, false), (4, true), (4, false)] {
            if !settings_fit(format, seats) {
                continue;
            }
            let about = format!("{format}, {seats} seats, at start: {at_start}");
            let (_folder, journal, now, ran) = run(format, seats, at_start).expect(&about);
            assert_eq!(ran.given_up, 0, "{about}");
            let rows = change_rows(&journal, &now).unwrap();
            let [row] = &rows[..] else {
                panic!("{about}: {rows:?}");
            };
            assert_eq!(
                (row.what, row.bot.as_deref()),
                (ChangeWord::Withdrawn, Some("bot2@1"))
            );
            let reason = row.reason.as_ref().unwrap().as_str();
            let due = match at_start {
                true => "the file of bot2@1 is missing",
                false => "bot2@1: its file is not there any more",
            };
            assert_eq!(reason, due, "{about}");
            // It is over, and the bot came to no match.
            content(&journal);
            let away = |scored: &mut ScoredPairing| {
                let seats = scored.pairing.seats.iter().zip(&scored.result.seats);
                let mut own = seats.filter(|(entrant, _)| **entrant == UNABLE);
                assert!(own.all(|(_, seat)| forfeits(seat)), "{about}");
                Ok(())
            };
            journal.for_each_result(&now, away).unwrap();
            played += 1;
        }
    }
    assert!(played >= 2 * (FORMATS.len() - 1), "{played}");
}

/// Whether a format can be played so.
fn settings_fit(format: &str, seats: u8) -> bool {
    settings(format, seats).director(6).is_ok()
}

#[test]
fn a_test_between_two_bots_ends_with_the_reason_when_one_of_them_cannot_play() {
    let error = run("sprt", 2, true).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bot1@1 cannot play: the file of bot1@1\nis missing"
    );
}

#[test]
fn nobody_is_set_aside_where_fewer_than_two_bots_would_be_left() {
    let (_folder, mut journal, cup) = begin(&settings("round-robin", 2));
    let all: Vec<(usize, String)> = (1..6)
        .map(|bot| (bot, "no Python is here".into()))
        .collect();
    let error = set_aside(&mut journal, &cup, &all).unwrap_err();
    assert_eq!(error.to_string(), "bot1@1 cannot play: no Python is here");
    assert!(!journal.has_requests(cup.id).unwrap());
    // With two left it may go on. Whoever has left already is not sent away again.
    set_aside(&mut journal, &cup, &all[1..]).unwrap();
    let requested = journal.requested_changes(cup.id).unwrap().len();
    assert_eq!(requested, 4);
    set_aside(&mut journal, &cup, &all[1..]).unwrap();
    assert_eq!(journal.requested_changes(cup.id).unwrap().len(), 4);
    // The next one would leave one bot alone.
    set_aside(&mut journal, &cup, &all[..1]).unwrap_err();
}

#[test]
fn whatever_is_said_of_a_bot_makes_a_reason() {
    let (_folder, mut journal, cup) = begin(&settings("round-robin", 2));
    for (entrant, why) in [(0, "\u{1b}[2J\n"), (1, ""), (2, &"ä".repeat(1_000) as &str)] {
        set_aside(&mut journal, &cup, &[(entrant, why.into())]).unwrap();
    }
    let now = flipside_store::settle_changes(&mut journal, cup.id).unwrap();
    let reasons = now
        .changes
        .iter()
        .map(|changed| changed.reason.as_ref().unwrap().as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert_eq!(reasons[..2], ["[2J", "it cannot play"]);
    assert_eq!(reasons[2].chars().count(), 200);
}
