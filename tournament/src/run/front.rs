//! The order of the schedule, while matches end in any order: it asks the director for matches, keeps
//! what came of them until it is their turn, and tells the director one after the other.

use std::collections::{HashMap, VecDeque};

use crate::{
    BotId, Director, Error, Indices, Journal, Next, Outcome, Pairing, Result, Scored, Tournament,
};

/// How many matches may be named before what came of the first of them is known: memory stays flat
/// while one match hangs.
pub const MOST_AHEAD: usize = 4_096;

/// A tournament, as far as it has come.
pub(super) struct Front<'a> {
    tournament: &'a Tournament,
    numbers: HashMap<BotId, usize>,
    director: Box<dyn Director>,
    /// The index of the first match whose result the director has not heard.
    first: u64,
    /// The matches that the director has named, from `first` on.
    named: VecDeque<Named>,
    /// Those of them that are to be handed out.
    due: VecDeque<Pairing>,
    /// Matches that an earlier run has journaled, and that the director has not named yet.
    journaled: Indices,
    /// How many matches are in the journal.
    landed: u64,
}

struct Named {
    pairing: Pairing,
    state: State,
}

enum State {
    /// To be played, or being played.
    Open,
    /// In the journal.
    Landed(Outcome),
    /// The host failed to play it; it stays to be played another time.
    GivenUp,
}

impl<'a> Front<'a> {
    /// Before the first match, whatever is in the journal.
    pub(super) fn new(tournament: &'a Tournament, director: Box<dyn Director>) -> Self {
        Front {
            numbers: tournament
                .entrants
                .iter()
                .map(|bot| bot.id)
                .zip(0..)
                .collect(),
            tournament,
            director,
            first: 0,
            named: VecDeque::new(),
            due: VecDeque::new(),
            journaled: Indices::default(),
            landed: 0,
        }
    }

    /// Tells the director what is in the journal, up to the first match that is missing there.
    ///
    /// # Errors
    /// When the journal cannot be read, or has other matches than the director names.
    pub(super) fn replay(&mut self, journal: &Journal) -> Result<()> {
        let mut beyond = Vec::new();
        let numbers = self.numbers.clone();
        journal.scan_results(self.tournament.id, &numbers, |scored| {
            self.landed += 1;
            if self.named.is_empty()
                && let Next::Match(pairing) = self.director.next()
            {
                if pairing.index == scored.index {
                    same_bots(&pairing, scored)?;
                    return self.hear(pairing, &Outcome::of(scored));
                }
                self.open(pairing);
            }
            beyond.push(scored.index);
            Ok(())
        })?;
        self.journaled = beyond.into_iter().collect();
        Ok(())
    }

    /// The next match that is to be played; what the journal has is passed over. None until a result
    /// lands.
    ///
    /// # Errors
    /// When the journal cannot be read, or has other matches than the director names.
    pub(super) fn work(&mut self, journal: &Journal) -> Result<Option<Pairing>> {
        while self.due.is_empty() && self.named.len() < MOST_AHEAD && !self.is_over() {
            let Next::Match(pairing) = self.director.next() else {
                break;
            };
            let index = pairing.index;
            if !self.journaled.contains(index) {
                self.open(pairing);
                break;
            }
            let scored = journal.scored(self.tournament.id, index, &self.numbers)?;
            same_bots(&pairing, &scored)?;
            let state = State::Landed(Outcome::of(&scored));
            self.named.push_back(Named { pairing, state });
            self.advance()?;
        }
        Ok(self.due.pop_front())
    }

    /// A match is in the journal.
    pub(super) fn landed(&mut self, index: u64, outcome: Outcome) -> Result<()> {
        self.landed += 1;
        self.set(index, State::Landed(outcome));
        self.advance()
    }

    /// A match could not be played.
    pub(super) fn given_up(&mut self, index: u64) {
        self.set(index, State::GivenUp);
    }

    /// Whether a match counts: none does beyond the end of a tournament that is over by a result.
    pub(super) fn counts(&self, index: u64) -> bool {
        index < self.director.total().most()
    }

    /// Whether all matches that count have landed.
    pub(super) fn is_over(&self) -> bool {
        self.first >= self.director.total().most()
    }

    /// How many matches are in the journal, and how many there will be.
    pub(super) fn progress(&self) -> (u64, crate::Total) {
        (self.landed, self.director.total())
    }

    fn open(&mut self, pairing: Pairing) {
        self.due.push_back(pairing.clone());
        self.named.push_back(Named {
            pairing,
            state: State::Open,
        });
    }

    fn set(&mut self, index: u64, state: State) {
        let at = index
            .checked_sub(self.first)
            .and_then(|at| usize::try_from(at).ok());
        if let Some(named) = at.and_then(|at| self.named.get_mut(at)) {
            named.state = state;
        }
    }

    /// Tells the director all that it can hear in order.
    fn advance(&mut self) -> Result<()> {
        while let Some(Named {
            state: State::Landed(_),
            ..
        }) = self.named.front()
            && !self.is_over()
        {
            let Some(Named {
                pairing,
                state: State::Landed(outcome),
            }) = self.named.pop_front()
            else {
                unreachable!("it was looked at");
            };
            self.hear(pairing, &outcome)?;
        }
        Ok(())
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is used up")]
    fn hear(&mut self, pairing: Pairing, outcome: &Outcome) -> Result<()> {
        self.director.take(pairing.index, outcome);
        self.first = pairing.index + 1;
        Ok(())
    }
}

/// A journal that does not fit its settings must not be carried on.
fn same_bots(pairing: &Pairing, scored: &Scored) -> Result<()> {
    let seats = scored.seats.iter().map(|seat| seat.entrant);
    match seats.eq(pairing.seats.iter().copied()) {
        true => Ok(()),
        false => Err(Error::Damaged(format!(
            "match {} is between other bots than the tournament's settings say",
            pairing.index
        ))),
    }
}
