//! What all measurements need: their figures so far, a match, and the failure of a bot.

use std::fmt;

use flipside_games::AnyGame;
use flipside_operations::{Failure, Result, find_game};
use flipside_referee::{Match, MatchSeed, PlayedMatch, Player};
use flipside_runner::StopSignal;
use flipside_sandbox::Program;

use crate::files::Files;
use crate::plan::{BenchEvent, BenchPart, BenchPlan};
use crate::random::BenchRandom;
use crate::report::Figure;

/// The game of the plies that are measured.
pub(crate) const GAME: &str = "flipfour";

/// A clock that no bot here comes near.
pub(crate) const CLOCK: &str = "move=10s,start=30s";

/// What is measured, and what came of it so far.
pub(crate) struct Bench<'a> {
    pub(crate) plan: &'a BenchPlan,
    pub(crate) files: Files,
    pub(crate) random: BenchRandom,
    pub(crate) figures: Vec<Figure>,
    pub(crate) notes: Vec<String>,
    pub(crate) stop: &'a StopSignal,
    pub(crate) on: &'a mut dyn FnMut(BenchEvent),
}

impl Bench<'_> {
    pub(crate) fn begins(&mut self, part: BenchPart, step: &'static str, steps: u64) {
        (self.on)(BenchEvent::Begins { part, step, steps });
    }

    pub(crate) fn add(&mut self, figure: Result<Figure, String>) -> Result<()> {
        self.figures.push(figure.map_err(Failure::new)?);
        Ok(())
    }
}

/// Tells of a step, unless the run is to stop.
pub(crate) fn step(on: &mut dyn FnMut(BenchEvent), stop: &StopSignal) -> Result<()> {
    on(BenchEvent::Step);
    match stop.is_asked() {
        false => Ok(()),
        true => Err(Failure::new("measuring was stopped")),
    }
}

/// A match of a bot against itself.
pub(crate) fn the_match(game: &str, bot: &Program, number: u64) -> Result<Match> {
    Ok(match_at(find_game(game)?, bot, number))
}

/// A match of a bot against itself at a game that need not be known by its id.
pub(crate) fn match_at(game: &'static dyn AnyGame, bot: &Program, number: u64) -> Match {
    Match {
        id: format!("bench-{number}"),
        game,
        options: "{}".into(),
        clock: CLOCK.parse().expect("the clock is right"),
        seed: MatchSeed::from_number(number),
        players: vec![Player::of(bot.clone()); 2],
        opening_plies: 0,
        patience: None,
    }
}

/// A match with a fault is short, and says nothing of the others.
pub(crate) fn refuse_fault(played: &PlayedMatch) -> Result<()> {
    match played.seats.iter().find_map(|seat| seat.fault.as_ref()) {
        None => Ok(()),
        Some(fault) => Err(disqualified(fault)),
    }
}

pub(crate) fn disqualified(fault: impl fmt::Display) -> Failure {
    Failure::new(format!("the instant bot is disqualified: {fault}"))
}
