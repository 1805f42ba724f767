//! Playing what remains of a tournament: worker threads play, the calling thread owns the journal.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use flipside_referee::{Match, MatchSeed, Played, Player, Referee};
use flipside_sandbox::Sandbox;

use crate::{
    Error, Finished, FinishedSeat, Journal, PackedRecord, Pairing, SeatFault, Tournament, match_id,
    match_seed, unix_ms,
};

/// How often a match is tried that the host fails to play.
pub const MOST_TRIES: u32 = 3;

/// The pause before a match is tried again; with every try it is longer.
const PAUSE: Duration = Duration::from_millis(100);

/// After so many matches in a row that could not be played, the tournament stops: something is
/// wrong that trying does not mend.
pub const MOST_GIVEN_UP_IN_A_ROW: u32 = 10;

/// What happens while a tournament runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A match is in the journal.
    Landed(&'a Finished),
    /// A match is void: the host, not a bot, was at fault.
    Void {
        /// Its id.
        id: &'a str,
        /// Why.
        reason: &'a str,
        /// Whether it is played again now; if not, it stays open.
        again: bool,
    },
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Matches played and journaled.
    pub played: u64,
    /// Times that a match was void.
    pub voids: u64,
    /// Matches that were void every time and stay open.
    pub given_up: u64,
}

/// A match as a worker hands it over.
enum Done {
    Finished(Box<Finished>),
    Void {
        index: u64,
        id: String,
        reason: String,
        again: bool,
    },
    /// The worker itself cannot work.
    Failed(flipside_referee::Error),
}

/// Plays all matches of a tournament that the journal does not have. `players` are the entrants, in
/// their order. May be called again at any time, and goes on where the journal ends.
///
/// # Errors
/// When the journal cannot be written, or too many matches in a row could not be played. What was
/// journaled until then stays.
pub fn run(
    journal: &mut Journal,
    tournament: &Tournament,
    players: &[Player],
    sandbox: &Sandbox,
    concurrency: NonZeroUsize,
    mut on: impl FnMut(Event<'_>),
) -> Result<Ran, Error> {
    let settings = &tournament.settings;
    let game = flipside_games::find(&settings.game)
        .ok_or_else(|| Error::Play(format!("the game {:?} is not known here", settings.game)))?;
    let schedule = tournament.schedule()?;
    let played = journal.played(tournament.id)?;
    let remaining = Mutex::new(
        played
            .missing(schedule.total())
            .filter_map(|index| schedule.pairing(index)),
    );
    let plan = |pairing: &Pairing| Match {
        id: match_id(&tournament.name, pairing.index),
        game,
        options: settings.options.clone(),
        clock: settings.clock,
        seed: MatchSeed(match_seed(settings.seed, pairing.block)),
        players: pairing
            .seats
            .iter()
            .map(|&entrant| players[entrant].clone())
            .collect(),
    };
    let mut ran = Ran::default();
    std::thread::scope(|scope| {
        // A small queue: workers wait for a slow disk instead of filling the memory.
        let (hand_over, landing) = sync_channel(2 * concurrency.get());
        for worker in 0..concurrency.get() {
            let hand_over = hand_over.clone();
            let (remaining, plan) = (&remaining, &plan);
            let work = move || {
                let mut referee = match Referee::new(sandbox.clone()) {
                    Ok(referee) => referee,
                    Err(error) => return drop(hand_over.send(Done::Failed(error))),
                };
                loop {
                    let next = remaining
                        .lock()
                        .expect("no worker panics while it takes a pairing")
                        .next();
                    let Some(pairing) = next else { return };
                    let the_match = plan(&pairing);
                    for tries in 1..=MOST_TRIES {
                        let done = play(&mut referee, &the_match, tournament, &pairing, tries);
                        let again = matches!(done, Done::Void { again: true, .. });
                        // When nobody takes it, the run has ended with an error.
                        if hand_over.send(done).is_err() {
                            return;
                        }
                        if !again {
                            break;
                        }
                        // What the host lacks now it may have in a moment.
                        std::thread::sleep(PAUSE * tries);
                    }
                }
            };
            std::thread::Builder::new()
                .name(format!("match-{worker}"))
                .spawn_scoped(scope, work)
                .map_err(|error| Error::Play(format!("cannot start a thread: {error}")))?;
        }
        drop(hand_over);
        let mut given_up_in_a_row = 0;
        for done in landing {
            match done {
                Done::Finished(finished) => {
                    journal.land(&finished)?;
                    given_up_in_a_row = 0;
                    ran.played += 1;
                    on(Event::Landed(&finished));
                }
                Done::Void {
                    index,
                    id,
                    reason,
                    again,
                } => {
                    journal.void(tournament.id, index, &reason, unix_ms())?;
                    ran.voids += 1;
                    on(Event::Void {
                        id: &id,
                        reason: &reason,
                        again,
                    });
                    if again {
                        continue;
                    }
                    ran.given_up += 1;
                    given_up_in_a_row += 1;
                    if given_up_in_a_row >= MOST_GIVEN_UP_IN_A_ROW {
                        return Err(Error::Play(format!(
                            "{given_up_in_a_row} matches in a row could not be played; the last: {reason}"
                        )));
                    }
                }
                Done::Failed(error) => return Err(Error::Play(error.to_string())),
            }
        }
        Ok(())
    })?;
    journal.settle()?;
    Ok(ran)
}

/// Plays a match once; a match that the host fails to play is void.
fn play(
    referee: &mut Referee,
    the_match: &Match,
    tournament: &Tournament,
    pairing: &Pairing,
    tries: u32,
) -> Done {
    let (started_at, began) = (unix_ms(), Instant::now());
    match referee.play(the_match) {
        Ok(played) => {
            let duration_us = began.elapsed().as_micros() as u64;
            Done::Finished(Box::new(finished(
                tournament,
                pairing,
                &the_match.id,
                started_at,
                duration_us,
                &played,
            )))
        }
        Err(error) => {
            tracing::error!(id = the_match.id, %error, tries, "a match is void");
            Done::Void {
                index: pairing.index,
                id: the_match.id.clone(),
                reason: error.to_string(),
                again: tries < MOST_TRIES,
            }
        }
    }
}

fn finished(
    tournament: &Tournament,
    pairing: &Pairing,
    id: &str,
    started_at: u64,
    duration_us: u64,
    played: &Played,
) -> Finished {
    let seat = |(seat, &entrant): (usize, &usize)| {
        let report = &played.seats[seat];
        FinishedSeat {
            bot: tournament.entrants[entrant].id,
            points: played.verdict.points[seat],
            place: played.verdict.places[seat],
            fault: report.fault.as_ref().map(|fault| SeatFault {
                name: fault.kind.name().to_owned(),
                detail: fault.detail.clone(),
            }),
            used_us: report.used_us,
            plies: report.plies,
        }
    };
    Finished {
        tournament: tournament.id,
        index: pairing.index,
        round: pairing.round,
        block: pairing.block,
        id: id.to_owned(),
        started_at,
        duration_us,
        reason: played.verdict.reason.clone(),
        plies: played.plies,
        seats: pairing.seats.iter().enumerate().map(seat).collect(),
        record: PackedRecord::pack(&played.record),
    }
}
