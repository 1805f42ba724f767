//! Whole matches, which the referee holds.

use std::time::Instant;

use flipside_games::AnyGame;
use flipside_protocol::Clock;
use flipside_referee::{Line, Match, MatchSeed, Played, Player, Record, Referee};

use flipside_tournament::report::words::counted;

use crate::check::lab::{Lab, Times};
use crate::check::talk::{Found, last_lines};
use crate::check::{CHECK_MATCH_TIME, CheckOutcome};
use crate::programs::{sample, sample_spec};
use crate::{Failure, drawn_id};

/// The clock of the matches at a bank.
const BANK: &str = "20s+200ms";

/// How many plies are drawn as an opening.
const OPENING_PLIES: u32 = 4;

struct Setting<'a> {
    game: &'static dyn AnyGame,
    options: &'a str,
    clock: Clock,
    opening_plies: u32,
    players: Vec<Player>,
}

/// Plays a match, within its time. The referee uses the bots of the match before again if they allow that.
fn play(lab: &mut Lab, setting: Setting<'_>) -> Found {
    let Setting {
        game,
        options,
        clock,
        opening_plies,
        players,
    } = setting;
    let own = lab.program().sha256().to_owned();
    let judged: Vec<bool> = players
        .iter()
        .map(|player| {
            player
                .program()
                .is_some_and(|program| program.sha256() == own)
        })
        .collect();
    // Each match has dice of its own, so that its bots may have played another one.
    lab.matches += 1;
    let the_match = Match {
        id: drawn_id(&format!("check-{}", game.info().id)),
        game,
        options: options.to_owned(),
        clock,
        seed: MatchSeed::from_number(lab.matches),
        players,
        opening_plies,
    };
    let time = CHECK_MATCH_TIME.min(lab.step_left());
    let mut end = Instant::now() + time;
    let earlier = lab.referee.take();
    let mut used = earlier.filter(|referee| referee.keeps_bots() && lab.reuse_failed.is_none());
    let mut failed_when_reused = None;
    loop {
        let is_new = used.is_none();
        let mut referee = match used.take() {
            Some(referee) => referee,
            None => Referee::new(lab.sandbox.clone()).map_err(Failure::from)?,
        };
        let played = referee
            .play_unless(&the_match, || {
                Instant::now() >= end || lab.asked_to_stop.is_asked()
            })
            .map_err(Failure::from)?;
        lab.go_on()?;
        let Some(played) = played else {
            return Ok(CheckOutcome::skipped(format!(
                "not over after {} s",
                time.as_secs()
            )));
        };
        let failed = fault_of(&the_match, &played, &judged);
        if failed.is_some() && !is_new {
            // Only what new processes do wrong, too, counts here.
            failed_when_reused = failed;
            end = Instant::now() + time;
            continue;
        }
        measure(lab, game, &played, &judged)?;
        if let Some(failed) = failed {
            return Ok(failed);
        }
        if let Some(earlier) = failed_when_reused {
            lab.fails_when_reused(earlier.about(game.info().id));
        }
        lab.referee = Some(referee);
        return Ok(CheckOutcome::ok(counted(played.result.plies, "ply")));
    }
}

/// The first fault of one of the judged seats.
fn fault_of(the_match: &Match, played: &Played, judged: &[bool]) -> Option<CheckOutcome> {
    let seats = judged.len();
    let mut at_fault = (0_usize..).zip(&played.seats).zip(judged);
    let (seat, fault, trace) = at_fault.find_map(|((seat, trace), own)| {
        let fault = trace.fault.as_ref().filter(|_| *own)?;
        Some((seat, fault, trace))
    })?;
    let again = again(the_match, seats);
    let outcome = CheckOutcome::failed(format!("seat {seat} of {seats}: {fault}"));
    let outcome = outcome.advise(match fault.hint {
        Some(hint) => format!("{hint}; to see it again: {again}"),
        None => again,
    });
    Some(CheckOutcome {
        said: trace.traffic.clone(),
        stderr: last_lines(&fault.stderr),
        ..outcome
    })
}

/// The command that plays such a match.
fn again(the_match: &Match, seats: usize) -> String {
    let Match {
        game,
        options,
        clock,
        opening_plies,
        ..
    } = the_match;
    let plies = match opening_plies {
        0 => String::new(),
        plies => format!(" --opening-plies {plies}"),
    };
    let bots = vec!["BOT"; seats].join(" ");
    let game = game.info().id;
    format!("flipside match {game} {bots} --options '{options}' --clock {clock}{plies}")
}

/// Keeps how long the bot's moves took.
fn measure(lab: &mut Lab, game: &dyn AnyGame, played: &Played, judged: &[bool]) -> Found<()> {
    let record = Record::read(&played.record).map_err(Failure::new)?;
    let mut us = Vec::new();
    for (_, line) in &record.lines {
        if let Line::Acts { acts } = line {
            let own = acts.iter().filter(|act| judged[usize::from(act.seat)]);
            us.extend(own.filter_map(|act| act.us));
        }
    }
    lab.times.push(Times {
        game: game.info().id,
        us,
    });
    Ok(())
}

/// A match of the bot against itself.
fn against_itself(
    lab: &mut Lab,
    game: &'static dyn AnyGame,
    options: &str,
    seats: u8,
    clock: Clock,
    opening_plies: u32,
) -> Found {
    let players = vec![Player::of(lab.program().clone()); seats.into()];
    play(
        lab,
        Setting {
            game,
            options,
            clock,
            opening_plies,
            players,
        },
    )
}

pub(super) fn two_seats(lab: &mut Lab) -> Found {
    let clock = lab.clock;
    lab.every_game(|lab, game| {
        against_itself(
            lab,
            game,
            &game.brief(),
            game.info().least_seats(),
            clock,
            0,
        )
    })
}

pub(super) fn most_seats(lab: &mut Lab) -> Found {
    let clock = lab.clock;
    lab.each_game(|lab, game| {
        let seats = game.info().seats;
        match seats {
            [_] => Ok(CheckOutcome::skipped("it has one number of seats")),
            [.., most] => against_itself(lab, game, &game.brief(), *most, clock, 0),
            [] => unreachable!("a game has seats"),
        }
    })
}

pub(super) fn all_options(lab: &mut Lab) -> Found {
    let clock = lab.clock;
    lab.each_game(|lab, game| {
        let mut presets = game.presets();
        if lab.quick {
            presets.truncate(1);
        }
        let mut last = CheckOutcome::skipped("it has no options");
        let number = presets.len();
        for (name, options) in presets {
            if lab.step_is_up() {
                return Ok(CheckOutcome::out_of_time());
            }
            let seats = game.info().least_seats();
            last = against_itself(lab, game, &options, seats, clock, 0)?;
            if last.status > super::CheckStatus::Ok {
                return Ok(last.about(&format!("options {name}")));
            }
        }
        Ok(CheckOutcome {
            found: counted(number as u64, "preset"),
            ..last
        })
    })
}

pub(super) fn an_opening(lab: &mut Lab) -> Found {
    let clock = lab.clock;
    lab.each_game(|lab, game| {
        if flipside_referee::opening_fits(game.info(), OPENING_PLIES).is_err() {
            return Ok(CheckOutcome::skipped("it has no openings"));
        }
        let seats = game.info().least_seats();
        against_itself(lab, game, &game.brief(), seats, clock, OPENING_PLIES)
    })
}

pub(super) fn a_bank(lab: &mut Lab) -> Found {
    let clock: Clock = BANK.parse().expect("it is a clock");
    let game = lab.game()?;
    against_itself(
        lab,
        game,
        &game.brief(),
        game.info().least_seats(),
        clock,
        0,
    )
}

pub(super) fn against_random(lab: &mut Lab) -> Found {
    let random = sample(&sample_spec("random")?)?;
    lab.each_game(|lab, game| {
        let mut outcomes = Vec::new();
        for own in 0..game.info().least_seats() {
            let players = (0..game.info().least_seats()).map(|seat| match seat == own {
                true => Player::of(lab.program().clone()),
                false => Player::named("sample:random", random.clone()),
            });
            let setting = Setting {
                game,
                options: &game.brief(),
                clock: lab.clock,
                opening_plies: 0,
                players: players.collect(),
            };
            outcomes.push(play(lab, setting)?);
        }
        Ok(super::lab::worst(outcomes))
    })
}
