//! Playing what remains of a tournament: worker threads play, the calling thread owns the journal and
//! asks the director what comes next.

mod front;
mod live;
mod queue;
mod stop;
#[cfg(test)]
mod tests;
mod workers;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use flipside_referee::{Match, Played, Player, Referee};
use flipside_sandbox::Sandbox;

use crate::{
    Director, Error, Evidence, Finished, FinishedSeat, Journal, PackedRecord, Pairing, Pause,
    SeatFault, Total, Tournament, match_id, unix_ms,
};
use front::{Front, News, Task, Work};
use queue::{Closing, Queue, Taken};
use workers::Places;

pub use front::MOST_AHEAD;
pub use live::{Live, LiveMatch, LiveSeat};
pub use stop::Stop;
pub use workers::Workers;

/// How often a match is tried that the host fails to play.
pub const MOST_TRIES: u32 = 3;

/// The pause before a match is tried again; with every try it is longer.
const PAUSE: Duration = Duration::from_millis(100);

/// After so many matches in a row that could not be played, the tournament stops: something is
/// wrong that trying does not mend.
pub const MOST_GIVEN_UP_IN_A_ROW: u32 = 10;

/// How many matches a worker has at most, with the one that it plays: the less, the less is played in
/// vain when a result ends the tournament.
const HANDED_OUT: usize = 3;

/// The same where workers keep bots: these play one match of each block among so many, are ended, and then others
/// play the next of each.
const HANDED_OUT_TO_KEPT: usize = 64;

/// The same where moreover a result may end the tournament.
const HANDED_OUT_TO_A_RESULT: usize = 16;

/// After a longer match no bots are kept: it gains little, and the order of the matches would change.
const WORTH_KEEPING: Duration = Duration::from_secs(1);

/// When the bots that a worker keeps have met so many blocks, they are ended: what they have met is kept in
/// memory.
const MOST_MET: usize = 1_000;

/// What happens while a tournament runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// It begins, or goes on.
    Begins {
        /// Matches that are in the journal.
        landed: u64,
        /// Matches that there will be.
        total: Total,
    },
    /// A match is in the journal: it was played, or forfeited by a bot that is paused.
    Landed(&'a Finished),
    /// A match is left out, for bots of it are paused.
    LeftOut,
    /// A bot is paused.
    Paused(&'a Pause),
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
    /// Matches forfeited or left out, which bots that are paused had still to play.
    pub not_played: u64,
    /// Matches that do not count, and were taken out of the journal again: a result ended the tournament before them.
    pub beyond: u64,
    /// Times that a match was void.
    pub voids: u64,
    /// Matches that were void every time and stay open.
    pub given_up: u64,
    /// Whether it was asked to stop, and stopped before the end.
    pub stopped: bool,
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
    workers: impl Into<Workers>,
    stop: &Stop,
    on: impl FnMut(Event<'_>),
) -> Result<Ran, Error> {
    let workers = workers.into();
    let places = Places::new(workers.cores);
    let settings = &tournament.settings;
    let game = flipside_games::find(&settings.game)
        .ok_or_else(|| Error::Play(format!("the game {:?} is not known here", settings.game)))?;
    let options = settings.complete_options();
    let plan = |Task { pairing, away, why }: &Task| Match {
        id: match_id(&tournament.name, pairing.index),
        game,
        options: options.clone(),
        clock: settings.clock,
        seed: settings.match_seed(pairing),
        players: pairing
            .seats
            .iter()
            .map(|&entrant| players[entrant].clone())
            .enumerate()
            .map(|(seat, player)| match away.contains(&seat) {
                true => player.away(why),
                false => player,
            })
            .collect(),
        opening_plies: settings.opening_plies,
    };
    let worker = |number| {
        places.take()?;
        let mut referee =
            Referee::new(sandbox.clone()).map_err(|error| Error::Play(error.to_string()))?;
        referee = referee.halted_by(stop.halts());
        if let Some(live) = &workers.live {
            referee = referee.watched_by(live.desk(number));
        }
        let plan = &plan;
        Ok(Worker {
            referee,
            plan,
            tournament,
        })
    };
    let director = tournament.director()?;
    let numbers = AtomicUsize::new(0);
    let worker = || worker(numbers.fetch_add(1, Ordering::Relaxed));
    let number = workers.number;
    direct(journal, tournament, director, number, stop, worker, on)
}

/// Plays matches, one after the other.
trait Plays {
    /// Plays a match, unless it is abandoned; a failure of the host's is told in words.
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, String>;

    /// Whether bots that have played wait for their next match.
    fn keeps_bots(&self) -> bool {
        false
    }

    /// Ends these bots.
    fn end_kept(&mut self) {}
}

/// What keeps no bots.
impl<F> Plays for F
where
    F: FnMut(&Task, &dyn Fn() -> bool) -> Result<Option<Finished>, String>,
{
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, String> {
        self(task, abandoned)
    }
}

/// A referee, and what it plays.
struct Worker<'a, P> {
    referee: Referee,
    plan: &'a P,
    tournament: &'a Tournament,
}

impl<P: Fn(&Task) -> Match> Plays for Worker<'_, P> {
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, String> {
        let the_match = (self.plan)(task);
        let (started_at, began) = (unix_ms(), Instant::now());
        let played = self
            .referee
            .play_unless(&the_match, abandoned)
            .map_err(|error| error.to_string())?;
        Ok(played.map(|played| {
            let took = (started_at, began.elapsed());
            finished(self.tournament, &task.pairing, the_match.id, took, &played)
        }))
    }

    fn keeps_bots(&self) -> bool {
        self.referee.keeps_bots()
    }

    fn end_kept(&mut self) {
        self.referee.end_kept();
    }
}

/// Notes in the journal who is paused, after matches that were not played by [`run`].
pub(crate) fn note_pauses(journal: &mut Journal, tournament: &Tournament) -> Result<(), Error> {
    Front::new(tournament, tournament.director()?).replay(journal)
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
    Failed(Error),
}

/// Plays what a director names. Each worker is made on its thread.
fn direct<W: Plays>(
    journal: &mut Journal,
    tournament: &Tournament,
    director: Box<dyn Director>,
    concurrency: NonZeroUsize,
    stop: &Stop,
    worker: impl Fn() -> Result<W, Error> + Sync,
    mut on: impl FnMut(Event<'_>),
) -> Result<Ran, Error> {
    let mut front = Front::new(tournament, director);
    front.replay(journal)?;
    let (landed, total) = front.progress();
    on(Event::Begins { landed, total });
    let mut ran = Ran::default();
    let queue = Queue::new(concurrency.get(), stop);
    std::thread::scope(|scope| {
        let _closing = Closing(&queue);
        // A small channel: workers wait for a slow disk instead of filling the memory.
        let (hand_over, landing) = sync_channel(2 * concurrency.get());
        for number in 0..concurrency.get() {
            let (hand_over, queue, worker) = (hand_over.clone(), &queue, &worker);
            let name = |index| match_id(&tournament.name, index);
            std::thread::Builder::new()
                .name(format!("match-{number}"))
                .spawn_scoped(scope, move || {
                    work((number, queue), worker, &hand_over, name);
                })
                .map_err(|error| Error::Play(format!("cannot start a thread: {error}")))?;
        }
        drop(hand_over);
        let mut handed_out = 0;
        let mut given_up_in_a_row = 0;
        loop {
            let most = match front.progress() {
                _ if !queue.keeps_bots() => HANDED_OUT,
                (_, Total::Exactly(_)) => HANDED_OUT_TO_KEPT,
                (_, Total::AtMost(_)) => HANDED_OUT_TO_A_RESULT,
            };
            while handed_out < most * concurrency.get() && !stop.is_asked() {
                match front.work(journal)? {
                    Work::Play(task) => {
                        queue.put(task);
                        handed_out += 1;
                    }
                    Work::Tell => {
                        handed_out -= tell(&mut front, journal, &queue, &mut ran, &mut on)?;
                    }
                    Work::Wait => break,
                }
            }
            if handed_out == 0 || front.is_over() {
                break;
            }
            // All workers have gone when the run is to stop.
            let Ok(done) = landing.recv() else { break };
            match done {
                Done::Finished(finished) => {
                    handed_out -= 1;
                    given_up_in_a_row = 0;
                    if front.played(journal, &finished)? {
                        ran.played += 1;
                        on(Event::Landed(&finished));
                    }
                    handed_out -= tell(&mut front, journal, &queue, &mut ran, &mut on)?;
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
                    handed_out -= 1;
                    front.given_up(index);
                    ran.given_up += 1;
                    given_up_in_a_row += 1;
                    if given_up_in_a_row >= MOST_GIVEN_UP_IN_A_ROW {
                        return Err(Error::Play(format!(
                            "{given_up_in_a_row} matches in a row could not be played; the last: {reason}"
                        )));
                    }
                }
                Done::Failed(error) => return Err(error),
            }
        }
        Ok(())
    })?;
    if front.is_over() {
        let (_, total) = front.progress();
        ran.beyond = journal.forget_from(tournament.id, total.most())?;
    }
    ran.stopped = stop.is_asked() && !front.is_over();
    journal.settle()?;
    Ok(ran)
}

/// Tells the news. Tasks of bots that are paused since are decided anew: gives how many were withdrawn.
fn tell(
    front: &mut Front<'_>,
    journal: &mut Journal,
    queue: &Queue<'_, Task>,
    ran: &mut Ran,
    on: &mut impl FnMut(Event<'_>),
) -> Result<usize, Error> {
    let mut withdrawn = 0;
    loop {
        let all = front.news();
        if all.is_empty() {
            return Ok(withdrawn);
        }
        for news in all {
            match news {
                News::Forfeited(finished) => {
                    ran.not_played += 1;
                    on(Event::Landed(&finished));
                }
                News::LeftOut => {
                    ran.not_played += 1;
                    on(Event::LeftOut);
                }
                News::Paused { entrant, pause } => {
                    on(Event::Paused(&pause));
                    let tasks = queue.withdraw(|task| task.pairing.seats.contains(&entrant));
                    withdrawn += tasks.len();
                    for task in tasks {
                        front.withdrawn(journal, task.pairing.index)?;
                    }
                }
            }
        }
    }
}

/// What a worker does until there is nothing to do any more.
fn work<W: Plays>(
    (number, queue): (usize, &Queue<'_, Task>),
    worker: impl Fn() -> Result<W, Error>,
    hand_over: &SyncSender<Done>,
    name: impl Fn(u64) -> String,
) {
    let mut worker = match worker() {
        Ok(worker) => worker,
        Err(error) => return drop(hand_over.send(Done::Failed(error))),
    };
    while let Some(Taken { task, met }) = queue.take(number) {
        if met || queue.met(number) > MOST_MET {
            worker.end_kept();
            queue.ended(number, Some(&task));
        }
        let began = Instant::now();
        for tries in 1..=MOST_TRIES {
            let done = match worker.play(&task, &|| queue.is_abandoned()) {
                Ok(Some(finished)) => Done::Finished(Box::new(finished)),
                Ok(None) => return,
                Err(reason) => {
                    let index = task.pairing.index;
                    let id = name(index);
                    tracing::error!(id, reason, tries, "a match is void");
                    Done::Void {
                        index,
                        id,
                        reason,
                        again: tries < MOST_TRIES,
                    }
                }
            };
            let again = matches!(done, Done::Void { again: true, .. });
            // When nobody takes it, the run has ended.
            if hand_over.send(done).is_err() {
                return;
            }
            if !again {
                break;
            }
            // What the host lacks now it may have in a moment.
            std::thread::sleep(PAUSE * tries);
        }
        if began.elapsed() > WORTH_KEEPING {
            worker.end_kept();
        }
        if !worker.keeps_bots() {
            queue.ended(number, None);
        }
    }
}

fn finished(
    tournament: &Tournament,
    pairing: &Pairing,
    id: String,
    (started_at, took): (u64, Duration),
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
            evidence: report.fault.as_ref().map(|fault| {
                let evidence = Evidence {
                    stderr: fault.stderr.clone(),
                    traffic: report.traffic.clone(),
                };
                let json = serde_json::to_string(&evidence).expect("texts and numbers are JSON");
                PackedRecord::pack(&json)
            }),
        }
    };
    Finished {
        tournament: tournament.id,
        index: pairing.index,
        round: pairing.round,
        block: pairing.block,
        id,
        started_at,
        duration_us: took.as_micros() as u64,
        reason: played.verdict.reason.clone(),
        plies: played.plies,
        seats: pairing.seats.iter().enumerate().map(seat).collect(),
        record: Some(PackedRecord::pack(&played.record)),
    }
}
