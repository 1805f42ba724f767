//! The order of the schedule, while matches end in any order: it asks the director for matches, keeps
//! what came of them until it is their turn, and tells the director one after the other. What becomes of
//! the matches of paused bots is decided here, in that order too.

use std::collections::{BTreeMap, VecDeque};

use flipside_referee::MatchResult;
use flipside_tournament::{
    Director, Pairing, Pause, PolicyDecision, ScheduleCursor, ScoredPairing, Total, Tournament,
};

use crate::error::{Error, Result};
use crate::indices::Indices;
use crate::journal::matches::FinishedMatch;
use crate::journal::{Journal, unix_ms};

/// How many matches may be named before what came of the first of them is known: memory stays flat
/// while one match hangs.
pub const MAX_AHEAD: usize = 4_096;

/// A tournament, as far as it has come.
pub struct Scheduler<'a> {
    tournament: &'a Tournament,
    cursor: ScheduleCursor<'a>,
    /// The index of the first match whose result the director has not heard.
    first: u64,
    /// The matches that the director has named, from `first` on.
    named: VecDeque<ScheduledMatch>,
    /// Those of them that are to be handed out.
    due: VecDeque<Task>,
    /// Matches that an earlier run has journaled, and that the director has not named yet.
    journaled: Indices,
    /// How many matches are done: in the journal, or left out.
    done: u64,
    /// What has happened since it was asked last.
    news: Vec<SchedulerEvent>,
}

struct ScheduledMatch {
    pairing: Pairing,
    state: SchedulerState,
}

enum SchedulerState {
    /// To be played, or being played.
    Open,
    /// In the journal.
    Landed(MatchResult),
    /// The host failed to play it; it stays to be played another time.
    GivenUp,
}

/// A match that is to be played.
#[derive(Clone, Debug)]
pub struct Task {
    /// The match.
    pub pairing: Pairing,
    /// The seats whose bots do not come to it, and why not.
    pub away: Vec<(usize, String)>,
}

/// What there is to do.
pub enum Work {
    /// This match is to be played.
    Play(Task),
    /// There is news.
    Tell,
    /// Nothing until a result lands.
    Wait,
}

/// What has happened beside the playing of matches.
pub enum SchedulerEvent {
    /// A bot is paused from now on.
    Paused {
        /// The bot, by its number of entrant.
        entrant: usize,
        /// The pause.
        pause: Pause,
    },
    /// A match was forfeited. It is in the journal.
    Forfeited(Box<FinishedMatch>),
    /// A match was left out.
    LeftOut,
}

impl<'a> Scheduler<'a> {
    /// Before the first match, whatever is in the journal.
    pub fn new(tournament: &'a Tournament, director: &'a mut dyn Director) -> Self {
        Scheduler {
            cursor: ScheduleCursor::new(tournament, director),
            tournament,
            first: 0,
            named: VecDeque::new(),
            due: VecDeque::new(),
            journaled: Indices::default(),
            done: 0,
            news: Vec::new(),
        }
    }

    /// Tells the director what is in the journal, up to the first match that is missing there.
    ///
    /// # Errors
    /// When the journal cannot be read or written, or has other matches than the director names.
    pub fn replay(&mut self, journal: &mut Journal) -> Result<()> {
        let mut beyond = Vec::new();
        let mut paused = Vec::new();
        let tournament = self.tournament;
        journal.for_each_result(tournament, |scored| {
            let index = scored.pairing.index;
            while self.named.is_empty()
                && let Some((pairing, disposition)) = self.cursor.named()
            {
                if pairing.index < index && disposition == PolicyDecision::LeaveOut {
                    self.done += 1;
                    self.pass(&pairing);
                } else if pairing.index == index {
                    same_bots(&pairing, scored)?;
                    if disposition.fits(&scored.result) {
                        self.done += 1;
                        paused.extend(self.hear(&pairing, &disposition, &scored.result));
                        return Ok(());
                    }
                    self.open(pairing);
                } else {
                    self.open(pairing);
                }
            }
            self.done += 1;
            beyond.push(index);
            Ok(())
        })?;
        self.journaled = beyond.into_iter().collect();
        for pause in paused {
            self.pause(journal, pause)?;
        }
        if let Some(pairing) = self.named.pop_front().map(|named| named.pairing) {
            self.take_up(journal, pairing)?;
        }
        // Only who is paused is still worth telling.
        self.news
            .retain(|news| matches!(news, SchedulerEvent::Paused { .. }));
        Ok(())
    }

    /// What is to be done next; what the journal has is passed over.
    ///
    /// # Errors
    /// When the journal cannot be read or written, or has other matches than the director names.
    pub fn work(&mut self, journal: &mut Journal) -> Result<Work> {
        self.look_ahead(journal)?;
        Ok(match self.due.pop_front() {
            Some(task) => Work::Play(task),
            None if !self.news.is_empty() => Work::Tell,
            None => Work::Wait,
        })
    }

    /// Whether the next match that is to be played is known, and is one of this block.
    pub fn is_next_of(&self, block: u64) -> bool {
        let next = self.due.front();
        next.is_some_and(|task| task.pairing.block == block)
    }

    /// Finds the next match that is to be played, if there is one without news before it.
    ///
    /// # Errors
    /// As [`work`](Scheduler::work).
    pub fn look_ahead(&mut self, journal: &mut Journal) -> Result<()> {
        loop {
            // All that is left may be forfeits, of which nobody keeps more than one here.
            let is_enough = !self.due.is_empty() || !self.news.is_empty();
            if is_enough || self.named.len() >= MAX_AHEAD || self.is_over() {
                return Ok(());
            }
            let Some((pairing, _)) = self.cursor.named() else {
                return Ok(());
            };
            self.take_up(journal, pairing)?;
        }
    }

    /// Of what is to be handed out, the matches before an index: others that come after them have been begun.
    pub fn overdue(&mut self, before: u64) -> Vec<Task> {
        let due = std::mem::take(&mut self.due).into_iter();
        let (overdue, due) = due.partition(|task| task.pairing.index < before);
        self.due = due;
        overdue.into()
    }

    /// A match was played: if that is still what is to become of it, it lands. Says whether it did.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn played(&mut self, journal: &mut Journal, finished: &FinishedMatch) -> Result<bool> {
        let ScoredPairing { pairing, result } = &finished.scored;
        let Some(at) = self.open_at(pairing.index) else {
            return Ok(false);
        };
        let disposition = self.cursor.disposition(&self.named[at].pairing);
        let fits = disposition.fits(result);
        if fits {
            journal.land(finished)?;
            self.done += 1;
            self.named[at].state = SchedulerState::Landed(result.clone());
        } else {
            self.settle(journal, at)?;
        }
        self.advance(journal)?;
        Ok(fits)
    }

    /// A match that was handed out is not wanted as it was: it is decided anew what becomes of it.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn withdrawn(&mut self, journal: &mut Journal, index: u64) -> Result<()> {
        if let Some(at) = self.open_at(index) {
            self.settle(journal, at)?;
            self.advance(journal)?;
        }
        Ok(())
    }

    /// A match could not be played.
    pub fn given_up(&mut self, index: u64) {
        if let Some(at) = self.open_at(index) {
            self.named[at].state = SchedulerState::GivenUp;
        }
    }

    /// Whether all matches that count have landed.
    pub fn is_over(&self) -> bool {
        self.first >= self.cursor.total().most()
    }

    /// How many matches are done, and how many there will be.
    pub fn progress(&self) -> (u64, Total) {
        (self.done, self.cursor.total())
    }

    /// What has happened since this was asked last.
    pub fn news(&mut self) -> Vec<SchedulerEvent> {
        std::mem::take(&mut self.news)
    }

    /// Takes a match up that the director has just named.
    fn take_up(&mut self, journal: &mut Journal, pairing: Pairing) -> Result<()> {
        let index = pairing.index;
        self.open(pairing);
        let at = self.named.len() - 1;
        if self.journaled.contains(index) {
            let scored = journal.scored(self.tournament, index)?;
            same_bots(&self.named[at].pairing, &scored)?;
            self.named[at].state = SchedulerState::Landed(scored.result);
        } else {
            self.settle(journal, at)?;
        }
        self.advance(journal)
    }

    fn open(&mut self, pairing: Pairing) {
        let state = SchedulerState::Open;
        self.named.push_back(ScheduledMatch { pairing, state });
    }

    /// Where a match is that is still wanted; none does count beyond the end.
    fn open_at(&self, index: u64) -> Option<usize> {
        let at = usize::try_from(index.checked_sub(self.first)?).ok()?;
        let named = self.named.get(at)?;
        (matches!(named.state, SchedulerState::Open) && index < self.cursor.total().most())
            .then_some(at)
    }

    /// Decides what becomes of an open match, as far as is known now: it is due, or, once it is its turn, forfeited or
    /// left out. Before its turn, a stop would leave a gap in front of the forfeit.
    fn settle(&mut self, journal: &mut Journal, at: usize) -> Result<()> {
        let pairing = self.named[at].pairing.clone();
        match self.cursor.disposition(&pairing) {
            PolicyDecision::Play(away) => {
                let why = |seat: usize| (seat, self.cursor.why_away(&pairing, seat));
                let away = away.into_iter().map(why).collect();
                self.due.push_back(Task { pairing, away });
            }
            PolicyDecision::Forfeit(away) if at == 0 => {
                let finished = FinishedMatch::forfeited(&self.cursor, &pairing, &away, unix_ms());
                journal.land(&finished)?;
                self.done += 1;
                self.named[at].state = SchedulerState::Landed(finished.scored.result.clone());
                self.news
                    .push(SchedulerEvent::Forfeited(Box::new(finished)));
            }
            PolicyDecision::Forfeit(_) | PolicyDecision::LeaveOut => {}
        }
        Ok(())
    }

    /// Tells the director all that it can hear in order.
    fn advance(&mut self, journal: &mut Journal) -> Result<()> {
        while !self.is_over()
            && let Some(named) = self.named.front()
        {
            let disposition = self.cursor.disposition(&named.pairing);
            let (id, index) = (self.tournament.id, named.pairing.index);
            match (&named.state, &disposition) {
                (SchedulerState::Landed(result), _) if disposition.fits(result) => {
                    let (pairing, result) = (named.pairing.clone(), result.clone());
                    self.named.pop_front();
                    for pause in self.hear(&pairing, &disposition, &result) {
                        self.pause(journal, pause)?;
                    }
                }
                // A bot of it was paused while it was played: what came of it does not count.
                (SchedulerState::Landed(_), PolicyDecision::Forfeit(away)) => {
                    let forfeit =
                        FinishedMatch::forfeited(&self.cursor, &named.pairing, away, unix_ms());
                    journal.supersede(id, index, Some(&forfeit))?;
                    self.named[0].state = SchedulerState::Landed(forfeit.scored.result);
                }
                (SchedulerState::Landed(_), _) => {
                    journal.supersede(id, index, None)?;
                    self.done -= 1;
                    self.named[0].state = SchedulerState::Open;
                    self.settle(journal, 0)?;
                }
                (SchedulerState::Open | SchedulerState::GivenUp, PolicyDecision::LeaveOut) => {
                    let named = self.named.pop_front().expect("it was looked at");
                    self.done += 1;
                    self.news.push(SchedulerEvent::LeftOut);
                    self.pass(&named.pairing);
                }
                // It need not be waited for.
                (SchedulerState::Open | SchedulerState::GivenUp, PolicyDecision::Forfeit(_)) => {
                    self.settle(journal, 0)?;
                }
                (SchedulerState::Open | SchedulerState::GivenUp, PolicyDecision::Play(_)) => break,
            }
        }
        Ok(())
    }

    /// The director hears what came of the next match; who is paused after it is given.
    fn hear(
        &mut self,
        pairing: &Pairing,
        disposition: &PolicyDecision,
        result: &MatchResult,
    ) -> Vec<(usize, u64, BTreeMap<String, u32>)> {
        self.first = pairing.index + 1;
        let paused = self.cursor.hear(pairing, disposition, result);
        let after = |(entrant, faults)| (entrant, pairing.index, faults);
        paused.into_iter().map(after).collect()
    }

    /// The next match was left out.
    fn pass(&mut self, pairing: &Pairing) {
        self.cursor.pass(pairing);
        self.first = pairing.index + 1;
    }

    fn pause(
        &mut self,
        journal: &mut Journal,
        (entrant, index, faults): (usize, u64, BTreeMap<String, u32>),
    ) -> Result<()> {
        let bot = &self.tournament.entrants[entrant];
        let pause = journal.pause(self.tournament.id, bot, index, faults)?;
        self.news.push(SchedulerEvent::Paused { entrant, pause });
        Ok(())
    }
}

/// Notes in the journal who is paused, after matches that were not played here.
pub(crate) fn note_pauses(journal: &mut Journal, tournament: &Tournament) -> Result<()> {
    Scheduler::new(tournament, &mut *tournament.director()?).replay(journal)
}

/// A tournament whose matches do not fit its settings must not be carried on.
fn same_bots(pairing: &Pairing, there: &ScoredPairing) -> Result<()> {
    if there.pairing.seats == pairing.seats {
        Ok(())
    } else {
        Err(Error::OtherSchedule {
            index: pairing.index,
        })
    }
}
