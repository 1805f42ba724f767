//! The one way through a tournament, match by match in order of the schedule: what is to become of each follows from
//! all results before it and from the changes of the tournament. Playing, resuming, importing, tables and audits all go
//! this way.

use std::iter;

use flipside_referee::MatchResult;

use crate::change::Changed;
use crate::director::{Director, Next, Total};
use crate::policy::{PauseCount, PausedBots, PolicyDecision};
use crate::schedule::Pairing;
use crate::scored_pairing::ScoredPairing;
use crate::tournament::Tournament;

/// What is wrong with a match to which others did not come than are paused or have left.
pub const OTHERS_AWAY: &str = "who forfeits it is not who is paused or has left";

/// Goes from match to match; each result is to be heard before the next match is asked for.
pub struct ScheduleCursor<'a> {
    /// The tournament that it goes through.
    pub tournament: &'a Tournament,
    director: &'a mut dyn Director,
    pauses: PauseCount,
    /// The changes that the director has not heard of, those that act last first.
    changes: Vec<&'a Changed>,
    /// The index of the first match that does not count, where the tournament was cancelled.
    end: Option<u64>,
    /// How many matches were heard of or left out until now.
    pub heard: u64,
    most_left_out: u64,
    /// How many matches were left out until now.
    pub left_out: u64,
}

impl<'a> ScheduleCursor<'a> {
    /// Before the first match; the director is the tournament's, and has named none yet.
    pub fn new(tournament: &'a Tournament, director: &'a mut dyn Director) -> Self {
        let settings = &tournament.settings;
        let changes = &tournament.changes[..];
        let pauses = PauseCount::new(
            settings.pause_after,
            settings.sides(),
            tournament.entrants.len(),
        );
        let mut in_order: Vec<&Changed> = changes.iter().collect();
        in_order.sort_by_key(|changed| changed.index);
        in_order.reverse();
        let mut cursor = ScheduleCursor {
            director,
            pauses: pauses.with_changes(changes),
            tournament,
            changes: in_order,
            end: tournament.cancelled_at(),
            heard: 0,
            most_left_out: u64::MAX,
            left_out: 0,
        };
        cursor.change();
        cursor
    }

    /// The director hears of the changes that act before the next match.
    fn change(&mut self) {
        let heard = self.heard;
        while let Some(next) = self.changes.pop_if(|next| next.index <= heard) {
            self.tell_absent(next.change.leaves());
            self.director.change(&next.change);
        }
    }

    /// The director hears who comes to no match any more.
    fn tell_absent(&mut self, entrants: impl IntoIterator<Item = usize>) {
        for entrant in entrants {
            self.director.absent(entrant);
        }
    }

    /// The same, and over where more matches than this in a row are left out.
    pub fn leaving_out(self, most: u64) -> Self {
        ScheduleCursor {
            most_left_out: most,
            ..self
        }
    }

    /// The next match that has a result, with what is to become of it; none when the tournament is over.
    /// What is left out is passed over.
    pub fn next_match(&mut self) -> Option<(Pairing, PolicyDecision)> {
        let mut left_out = 0;
        while left_out <= self.most_left_out
            && let Some((pairing, disposition)) = self.named()
        {
            if disposition != PolicyDecision::LeaveOut {
                return Some((pairing, disposition));
            }
            left_out += 1;
            self.pass(&pairing);
        }
        None
    }

    /// How many matches there will be.
    pub fn total(&self) -> Total {
        let total = self.director.total();
        match self.end {
            Some(end) if end <= total.most() => Total::Exactly(end),
            _ => total,
        }
    }

    /// A match further on that is to be played by all its bots, as far as is known now: what is named so is not
    /// heard any more.
    pub fn ahead(&mut self) -> Option<Pairing> {
        let mut named = iter::from_fn(|| self.named());
        let is_played =
            |named: &(Pairing, PolicyDecision)| matches!(named.1, PolicyDecision::Play(_));
        named.find(is_played).map(|(pairing, _)| pairing)
    }

    /// The next match that the director names, with what is to become of it, as far as is known now.
    pub fn named(&mut self) -> Option<(Pairing, PolicyDecision)> {
        let Next::Match(pairing) = self.director.next() else {
            return None;
        };
        if self.end.is_some_and(|end| pairing.index >= end) {
            return None;
        }
        let disposition = self.disposition(&pairing);
        Some((pairing, disposition))
    }

    /// What is to become of a match, after all results that were heard.
    pub fn disposition(&self, pairing: &Pairing) -> PolicyDecision {
        self.pauses.disposition(pairing)
    }

    /// Whether this is what was to come of a match.
    pub fn fits(
        pairing: &Pairing,
        disposition: &PolicyDecision,
        scored: &ScoredPairing,
    ) -> std::result::Result<(), &'static str> {
        if scored.pairing.seats != pairing.seats {
            return Err("it is between other bots than the tournament's settings say");
        }
        if disposition.fits(&scored.result) {
            Ok(())
        } else {
            Err(OTHERS_AWAY)
        }
    }

    /// Hears what came of a match, and gives who is paused after it.
    pub fn hear(
        &mut self,
        pairing: &Pairing,
        disposition: &PolicyDecision,
        result: &MatchResult,
    ) -> PausedBots {
        let paused = match disposition {
            PolicyDecision::Play(_) => self.pauses.take(&pairing.seats, result),
            // Who did not play has neither failed nor done well.
            PolicyDecision::Forfeit(_) | PolicyDecision::LeaveOut => Vec::new(),
        };
        // The result may decide on the next matches.
        self.tell_absent(paused.iter().map(|(entrant, _)| *entrant));
        self.director.take(pairing.index, result);
        self.heard = pairing.index + 1;
        self.change();
        paused
    }

    /// Passes over a match that is left out. The format hears that all sides forfeit it.
    pub fn pass(&mut self, pairing: &Pairing) {
        let result = self.pauses.forfeit(pairing, &self.pauses.away(pairing));
        self.director.take(pairing.index, &result);
        self.left_out += 1;
        self.heard = pairing.index + 1;
        self.change();
    }

    /// A match that these seats forfeit.
    pub fn forfeited(&self, pairing: &Pairing, away: &[usize]) -> ScoredPairing {
        let (pairing, result) = (pairing.clone(), self.pauses.forfeit(pairing, away));
        ScoredPairing { pairing, result }
    }

    /// Why the bot of a seat does not come to a match.
    pub fn why_away(&self, pairing: &Pairing, seat: usize) -> String {
        self.pauses.why(pairing.seats[seat], pairing.index)
    }
}
