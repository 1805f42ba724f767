//! Whole matches, which the referee holds.

use std::time::Instant;

use flipside_games::AnyGame;
use flipside_referee::{Line, Match, MatchSeed, PlayedMatch, Player, Record, Referee};

use flipside_games::words::counted;
use flipside_sandbox::shell::quoted;

use crate::check::context::{CheckContext, Times};
use crate::check::conversation::{StepResult, last_lines};
use crate::check::outcome::CheckOutcome;
use crate::failure::Failure;
use crate::programs::{sample, sample_spec};
use crate::seed::drawn_id;

/// The clock of the matches at a bank.
const BANK: &str = "20s+200ms";

/// How many plies are drawn as an opening.
const OPENING_PLIES: u32 = 4;

/// A match of the bot against itself, at a game's options for short matches.
fn against_itself(context: &mut CheckContext, game: &'static dyn AnyGame, seats: u8) -> Match {
    // Each match has dice of its own, so that its bots may have played another one.
    context.matches += 1;
    Match {
        id: drawn_id(&format!("check-{}", game.info().id)),
        game,
        options: game.brief(),
        clock: context.clock,
        seed: MatchSeed::from_number(context.matches),
        players: vec![Player::of(context.program.clone()); seats.into()],
        opening_plies: 0,
        patience: None,
    }
}

/// Plays a match, within its time. The referee uses the bots of the match before again if they allow that.
fn play(the_match: &Match, context: &mut CheckContext) -> StepResult {
    let own = context.program.sha256().to_owned();
    let is_own = |player: &Player| player.program().is_some_and(|it| it.sha256() == own);
    let judged: Vec<bool> = the_match.players.iter().map(is_own).collect();
    let time = context.match_time.min(context.step_left());
    let mut end = Instant::now() + time;
    let earlier = context.referee.take();
    let mut used = earlier.filter(|referee| referee.keeps_bots() && context.reuse_failed.is_none());
    let mut failed_when_reused = None;
    loop {
        let is_new = used.is_none();
        let mut referee = match used.take() {
            Some(referee) => referee,
            None => Referee::new(context.sandbox.clone()).map_err(Failure::from)?,
        };
        let played = referee
            .play_unless(the_match, || {
                Instant::now() >= end || context.asked_to_stop.is_asked()
            })
            .map_err(Failure::from)?;
        context.go_on()?;
        let Some(played) = played else {
            return Ok(CheckOutcome::skipped(format!(
                "not over after {} s",
                time.as_secs()
            )));
        };
        let failed = fault_of(the_match, &played, &judged);
        if failed.is_some() && !is_new {
            // Only what new processes do wrong, too, counts here.
            failed_when_reused = failed;
            end = Instant::now() + time;
            continue;
        }
        measure(context, the_match.game, &played, &judged)?;
        if let Some(failed) = failed {
            return Ok(failed);
        }
        if let Some(earlier) = failed_when_reused {
            context.fails_when_reused(earlier.about(the_match.game.info().id));
        }
        context.referee = Some(referee);
        return Ok(CheckOutcome::ok(counted(played.result.plies, "ply")));
    }
}

/// The first fault of one of the judged seats.
fn fault_of(the_match: &Match, played: &PlayedMatch, judged: &[bool]) -> Option<CheckOutcome> {
    let seats = judged.len();
    let mut at_fault = (0_usize..).zip(&played.seats).zip(judged);
    let (seat, fault, trace) = at_fault.find_map(|((seat, trace), own)| {
        let fault = trace.fault.as_ref().filter(|_| *own)?;
        Some((seat, fault, trace))
    })?;
    let again = again(the_match);
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
fn again(the_match: &Match) -> String {
    let plies = match the_match.opening_plies {
        0 => String::new(),
        plies => format!(" --opening-plies {plies}"),
    };
    let bots = vec!["BOT"; the_match.players.len()].join(" ");
    let (game, options, clock) = (the_match.game, &the_match.options, the_match.clock);
    let game = game.info().id;
    let options = quoted(options);
    format!("flipside match {game} {bots} --options {options} --clock {clock}{plies}")
}

/// Keeps how long the bot's moves took.
fn measure(
    context: &mut CheckContext,
    game: &dyn AnyGame,
    played: &PlayedMatch,
    judged: &[bool],
) -> StepResult<()> {
    let record = Record::read(&played.record).map_err(Failure::new)?;
    let mut us = Vec::new();
    for (_, line) in &record.lines {
        if let Line::Acts { acts } = line {
            let own = acts.iter().filter(|act| judged[usize::from(act.seat)]);
            us.extend(own.filter_map(|act| act.us));
        }
    }
    context.times.push(Times {
        game: game.info().id,
        us,
    });
    Ok(())
}

pub(super) fn two_seats(context: &mut CheckContext) -> StepResult {
    context.every_game(|context, game| {
        let seats = game.info().least_seats();
        play(&against_itself(context, game, seats), context)
    })
}

pub(super) fn most_seats(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| match game.info().seats {
        [_, .., most] => play(&against_itself(context, game, *most), context),
        _ => Ok(CheckOutcome::skipped("it has one number of seats")),
    })
}

pub(super) fn all_options(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        let mut presets = game.presets();
        if context.quick {
            presets.truncate(1);
        }
        let mut last = CheckOutcome::skipped("it has no options");
        let number = presets.len();
        for (name, options) in presets {
            if context.step_is_up() {
                return Ok(CheckOutcome::out_of_time());
            }
            let usual = against_itself(context, game, game.info().least_seats());
            last = play(&Match { options, ..usual }, context)?;
            if last.status > super::outcome::CheckStatus::Ok {
                return Ok(last.about(&format!("options {name}")));
            }
        }
        Ok(CheckOutcome {
            found: counted(number as u64, "preset"),
            ..last
        })
    })
}

pub(super) fn an_opening(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        let opening_plies = OPENING_PLIES;
        if flipside_referee::opening_fits(game.info(), opening_plies).is_err() {
            return Ok(CheckOutcome::skipped("it has no openings"));
        }
        let usual = against_itself(context, game, game.info().least_seats());
        let the_match = Match {
            opening_plies,
            ..usual
        };
        play(&the_match, context)
    })
}

pub(super) fn a_bank(context: &mut CheckContext) -> StepResult {
    let clock = BANK.parse().expect("it is a clock");
    let game = context.game()?;
    let usual = against_itself(context, game, game.info().least_seats());
    play(&Match { clock, ..usual }, context)
}

pub(super) fn against_random(context: &mut CheckContext) -> StepResult {
    let random = sample(&sample_spec("random")?)?;
    context.each_game(|context, game| {
        let mut outcomes = Vec::new();
        for own in 0..game.info().least_seats() {
            let mut the_match = against_itself(context, game, game.info().least_seats());
            for (seat, player) in (0..).zip(&mut the_match.players) {
                if seat != own {
                    *player = Player::named("sample:random", random.clone());
                }
            }
            outcomes.push(play(&the_match, context)?);
        }
        Ok(super::context::worst(outcomes))
    })
}
