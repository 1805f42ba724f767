//! A tournament, match by match in order of the schedule: what is to become of each follows from all
//! results before it.

use std::collections::BTreeMap;

use crate::policy::{Disposition, Pauses};
use crate::{
    Director, Finished, Journal, Next, Outcome, Pairing, Result, SeatScore, Total, Tournament,
};

/// Goes from match to match; each result is to be heard before the next match is asked for.
pub(crate) struct Walk<'a> {
    pub(crate) tournament: &'a Tournament,
    director: &'a mut dyn Director,
    pauses: Pauses,
    most_left_out: u64,
    /// How many matches were left out until now.
    left_out: u64,
}

impl<'a> Walk<'a> {
    /// Before the first match; the director is the tournament's, and has named none yet.
    pub(crate) fn new(tournament: &'a Tournament, director: &'a mut dyn Director) -> Self {
        let settings = &tournament.settings;
        Walk {
            director,
            pauses: Pauses::new(settings.policy, settings.sides(), tournament.entrants.len()),
            tournament,
            most_left_out: u64::MAX,
            left_out: 0,
        }
    }

    /// The same, and over where more matches than this in a row are left out.
    pub(crate) fn leaving_out(self, most: u64) -> Self {
        Walk {
            most_left_out: most,
            ..self
        }
    }

    /// The next match that has a result, with what is to become of it; none when the tournament is over.
    /// What is left out is passed over.
    pub(crate) fn next(&mut self) -> Option<(Pairing, Disposition)> {
        let mut left_out = 0;
        while left_out <= self.most_left_out
            && let Next::Match(pairing) = self.director.next()
        {
            left_out += 1;
            match self.pauses.disposition(&pairing) {
                Disposition::LeaveOut => {
                    let outcome = self.pauses.as_if_forfeited(&pairing);
                    self.director.take(pairing.index, &outcome);
                    self.left_out += 1;
                }
                disposition => return Some((pairing, disposition)),
            }
        }
        None
    }

    /// Hears what is in the journal, up to the first match that is missing there, and gives that.
    pub(crate) fn up_to_now(
        &mut self,
        journal: &Journal,
    ) -> Result<Option<(Pairing, Disposition)>> {
        let mut next = self.next();
        journal.for_each_result(self.tournament, |scored| {
            if let Some((pairing, disposition)) =
                next.as_ref().filter(|(next, _)| next.index == scored.index)
            {
                self.hear(pairing, disposition, &scored.seats);
                next = self.next();
            }
        })?;
        Ok(next)
    }

    /// How many matches were left out until now.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// How many matches there will be.
    pub(crate) fn total(&self) -> Total {
        self.director.total()
    }

    /// A match further on that is to be played by all its bots, as far as is known now: what is named so is not
    /// heard any more.
    pub(crate) fn ahead(&mut self) -> Option<Pairing> {
        while let Some((pairing, disposition)) = self.named() {
            if matches!(disposition, Disposition::Play(_)) {
                return Some(pairing);
            }
        }
        None
    }

    /// A match further on with what is to become of it, as far as is known now; it is not heard any more.
    pub(crate) fn named(&mut self) -> Option<(Pairing, Disposition)> {
        let Next::Match(pairing) = self.director.next() else {
            return None;
        };
        let disposition = self.pauses.disposition(&pairing);
        Some((pairing, disposition))
    }

    /// Whether these seats are what was to come of a match.
    pub(crate) fn fits(
        pairing: &Pairing,
        disposition: &Disposition,
        seats: &[SeatScore],
    ) -> std::result::Result<(), &'static str> {
        let bots = seats.iter().map(|seat| seat.entrant);
        if !bots.eq(pairing.seats.iter().copied()) {
            return Err("it is between other bots than the tournament's settings say");
        }
        match Pauses::fits(disposition, seats) {
            true => Ok(()),
            false => Err("who forfeits it is not who is paused"),
        }
    }

    /// Hears what came of a match, and gives who is paused after it: the number of each, and its faults.
    pub(crate) fn hear(
        &mut self,
        pairing: &Pairing,
        disposition: &Disposition,
        seats: &[SeatScore],
    ) -> Vec<(usize, BTreeMap<String, u32>)> {
        self.director.take(pairing.index, &Outcome::of(seats));
        match disposition {
            Disposition::Play(_) => self.pauses.take(seats),
            // Who did not play has neither failed nor done well.
            Disposition::Forfeit(_) | Disposition::LeaveOut => Vec::new(),
        }
    }

    /// The result of a match that these seats forfeit.
    pub(crate) fn forfeit(&self, pairing: &Pairing, away: &[usize], at: u64) -> Finished {
        self.pauses.forfeit(self.tournament, pairing, away, at)
    }
}
