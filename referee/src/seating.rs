//! Who sits where: the bots of a match are started, or taken from those that wait.

use std::time::Instant;

use flipside_games::Seat;
use flipside_sandbox::{PonderGuard, Prepared, Sandbox, Start, StartError, Starting};

use crate::bot_pool::BotPool;
use crate::error::Error;
use crate::match_setup::Match;
use crate::seat::SeatedBot;

/// Compiles the modules of a match and unpacks its bundles, which stay so until its bots have begun: meanwhile no bot's
/// time must run. Bots that wait for their next match end where it lacks room.
pub(crate) fn prepare(
    sandbox: &Sandbox,
    pool: &mut BotPool,
    the_match: &Match,
) -> Result<Prepared, Error> {
    let seats = (0..).zip(&the_match.players);
    let here = seats.filter_map(|(seat, player)| match player.bot() {
        Some((program, None)) => Some((seat, (program, the_match.unit(seat)))),
        _ => None,
    });
    let (seats, programs): (Vec<Seat>, Vec<_>) = here.unzip();
    let prepared = sandbox.prepare_all(&programs, &mut || pool.end_all());
    prepared.map_err(|(at, error)| failed(the_match, seats[at], error.into()))
}

/// Starts the bots of a match, side by side. Where the machine fails to start one while others run already, these may
/// have taken what it lacks: then all are started anew, one after the other, and those before them that did not run
/// yet.
///
/// # Errors
/// Of several bots that do not start side by side, that of the lowest seat; one after the other, the first one.
pub(crate) fn seat_all(
    sandbox: &Sandbox,
    pool: &mut BotPool,
    the_match: &Match,
    ponder_guard: &PonderGuard,
) -> Result<Vec<SeatedBot>, Error> {
    let mut seats: Vec<Seat> = (0..the_match.players.len() as Seat).collect();
    let seated = match seat_side_by_side(sandbox, pool, the_match, &seats) {
        Err((seat, error)) if lacks_something(&error) => {
            tracing::warn!(%error, "all bots of the match are started anew");
            pool.end_all();
            // Those of lower seats ran.
            seats.sort_by_key(|&other| other < seat);
            let one_by_one = seats.iter().map(|&seat| {
                let seating = RefereeSeating::begin(sandbox, pool, the_match, seat)?;
                seating.seated(the_match)
            });
            let mut seated: Vec<_> = one_by_one.collect::<Result<_, _>>()?;
            seated.sort_by_key(|bot| bot.seat);
            Ok(seated)
        }
        seated => seated.map_err(|(_, error)| error),
    };
    let mut seated = seated?;
    let all_run = Instant::now();
    for bot in &mut seated {
        bot.all_run(all_run);
        bot.join(ponder_guard);
    }
    Ok(seated)
}

/// Begins to start all of them before it waits for the first one. An error comes with its seat, the lowest that has
/// one: those before it run then.
fn seat_side_by_side(
    sandbox: &Sandbox,
    pool: &mut BotPool,
    the_match: &Match,
    seats: &[Seat],
) -> Result<Vec<SeatedBot>, (Seat, Error)> {
    let mut begun = Vec::new();
    for &seat in seats {
        let seating = RefereeSeating::begin(sandbox, pool, the_match, seat);
        let is_last = seating.is_err();
        begun.push((seat, seating));
        if is_last {
            break;
        }
    }
    let seated = begun.into_iter().map(|(seat, seating)| {
        let seated = seating.and_then(|seating| seating.seated(the_match));
        seated.map_err(|error| (seat, error))
    });
    seated.collect()
}

/// Whether a bot could not be started for want of something that others may have.
fn lacks_something(error: &Error) -> bool {
    use StartError::{Busy, Host, Jail, Stage};
    let Error::Start { error, .. } = error else {
        return false;
    };
    matches!(error, Host(_) | Jail(_) | Stage { .. } | Busy(_))
}

/// Who is about to play on a seat.
enum RefereeSeating<'s> {
    Seated(Box<SeatedBot>),
    /// Its bot is being started since then.
    Starts(Seat, Starting<'s>, Instant),
}

impl<'s> RefereeSeating<'s> {
    /// Begins to start who plays on a seat, or takes one that waits for its next match.
    fn begin(
        sandbox: &'s Sandbox,
        pool: &mut BotPool,
        the_match: &'s Match,
        seat: Seat,
    ) -> Result<Self, Error> {
        let player = &the_match.players[usize::from(seat)];
        let began = Instant::now();
        let program = match player.bot() {
            None => return Ok(RefereeSeating::of(SeatedBot::new(seat, None, began))),
            Some((_, Some(why))) => {
                return Ok(RefereeSeating::of(SeatedBot::away(seat, why, began)));
            }
            Some((program, None)) => program,
        };
        if let Some((bot, met)) = pool.take(program) {
            let mut bot = SeatedBot::new(seat, Some(bot), began);
            bot.met = met;
            return Ok(RefereeSeating::of(bot));
        }
        let label = format!("{} seat {seat}", the_match.id);
        let start = Start {
            seed: the_match.seed.of_bot(seat),
            unit: the_match.unit(seat),
            label: &label,
        };
        let begun = sandbox.begin(program, &start);
        let starting = begun.map_err(|error| failed(the_match, seat, error))?;
        Ok(RefereeSeating::Starts(seat, starting, began))
    }

    fn of(bot: SeatedBot) -> Self {
        RefereeSeating::Seated(Box::new(bot))
    }

    /// Waits until its bot runs.
    fn seated(self, the_match: &Match) -> Result<SeatedBot, Error> {
        match self {
            RefereeSeating::Seated(bot) => Ok(*bot),
            RefereeSeating::Starts(seat, starting, began) => {
                let started = starting.started();
                let bot = started.map_err(|error| failed(the_match, seat, error))?;
                Ok(SeatedBot::new(seat, Some(bot), began))
            }
        }
    }
}

fn failed(the_match: &Match, seat: Seat, error: StartError) -> Error {
    let bot = the_match.players[usize::from(seat)].name.clone();
    Error::Start { seat, bot, error }
}
