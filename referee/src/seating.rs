//! Who sits where: the bots of a match are started, or taken from those that wait.

use std::time::Instant;

use flipside_games::Seat;
use flipside_sandbox::{PonderGuard, Sandbox, Start, StartError};

use crate::error::Error;
use crate::kept::Kept;
use crate::players::Match;
use crate::seat::SeatedBot;

/// Compiles the modules of a match: meanwhile no bot's time must run.
pub(crate) fn prepare(sandbox: &Sandbox, the_match: &Match) -> Result<(), Error> {
    for (seat, player) in (0..).zip(&the_match.players) {
        if let Some((program, None)) = player.bot() {
            let prepared = sandbox.prepare(program, the_match.unit(seat));
            prepared.map_err(|error| Error::Start {
                bot: player.name.clone(),
                error: error.into(),
            })?;
        }
    }
    Ok(())
}

/// Starts the bots of a match. Where the machine fails to start one while others run already, these may have
/// taken what it lacks: then all are started anew, that one before them.
pub(crate) fn seat_all(
    sandbox: &Sandbox,
    kept: &mut Kept,
    the_match: &Match,
    ponder_guard: &PonderGuard,
) -> Result<Vec<SeatedBot>, Error> {
    let mut seats: Vec<Seat> = (0..the_match.players.len() as Seat).collect();
    let mut seated = Vec::with_capacity(seats.len());
    let mut is_again = false;
    let mut left = seats.clone().into_iter();
    while let Some(seat) = left.next() {
        match seat_one(sandbox, kept, the_match, seat) {
            Ok(mut bot) => {
                bot.join(ponder_guard);
                seated.push(bot);
            }
            Err(error) if !is_again && lacks_something(&error) => {
                tracing::warn!(%error, "all bots of the match are started anew");
                seated.clear();
                kept.end_all();
                is_again = true;
                seats.sort_by_key(|&other| other != seat);
                left = seats.clone().into_iter();
            }
            Err(error) => return Err(error),
        }
    }
    seated.sort_by_key(|bot: &SeatedBot| bot.seat);
    Ok(seated)
}

/// Whether a bot could not be started for want of something that others may have.
fn lacks_something(error: &Error) -> bool {
    use StartError::{Busy, Host, Jail, Stage};
    let Error::Start { error, .. } = error else {
        return false;
    };
    matches!(error, Host(_) | Jail(_) | Stage { .. } | Busy(_))
}

/// Starts who plays on a seat, or takes one that waits for its next match.
fn seat_one(
    sandbox: &Sandbox,
    kept: &mut Kept,
    the_match: &Match,
    seat: Seat,
) -> Result<SeatedBot, Error> {
    let player = &the_match.players[usize::from(seat)];
    let began = Instant::now();
    let program = match player.bot() {
        None => return Ok(SeatedBot::new(seat, None, began)),
        Some((_, Some(why))) => return Ok(SeatedBot::away(seat, why, began)),
        Some((program, None)) => program,
    };
    if let Some((bot, met)) = kept.take(program) {
        let mut bot = SeatedBot::new(seat, Some(bot), began);
        bot.met = met;
        return Ok(bot);
    }
    let label = format!("{} seat {seat}", the_match.id);
    let start = Start {
        seed: the_match.seed.of_bot(seat),
        unit: the_match.unit(seat),
        label: &label,
    };
    let started = sandbox.start(program, &start);
    let bot = started.map_err(|error| Error::Start {
        bot: player.name.clone(),
        error,
    })?;
    Ok(SeatedBot::new(seat, Some(bot), began))
}
