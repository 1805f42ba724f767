//! What nobody may know of a simultaneous game, drawn anew: when a token comes down, when a
//! launcher is ready, when a line is claimed, and what the other side aims at.

use rand_core::Rng;

use super::super::trays::{Line, SIDES, Side, Spot, other};
use super::soundness::{refuse, require};
use super::view::sees_aims;
use super::{Flying, Found, Mode, Phase, Rush};
use crate::{Malformed, Viewer, chance};

/// The ticks from the first to the second.
type Bounds = (u32, u32);

fn is_within(tick: Option<u32>, (low, high): Bounds) -> bool {
    tick.is_some_and(|tick| (low..=high).contains(&tick))
}

fn draw_within((low, high): Bounds, rng: &mut dyn Rng) -> u32 {
    low + chance::below(rng, high - low + 1)
}

/// So often times are drawn anew when they do not fit together; then they are made to fit.
const TRIES: u32 = 10_000;

impl<M: Mode> Rush<M> {
    /// Draws anew what a viewer must not know.
    pub(super) fn forget(&mut self, viewer: Viewer, rng: &mut dyn Rng) {
        if viewer == Viewer::Open {
            return;
        }
        for at in 0..self.air.len() {
            if !sees_aims(viewer, self.air[at].side) {
                self.air[at].aim = self.any_aim(rng);
            }
        }
        let ready = SIDES.map(|side| self.hand(side).is_ready(self.tick));
        self.draw_times(ready, rng)
            .expect("the true times are within their bounds");
    }

    pub(super) fn any_aim(&self, rng: &mut dyn Rng) -> Spot {
        let size = u32::from(self.trays.size);
        let choice = chance::below(rng, 2 * size * size);
        let mut aims = Spot::all(self.trays.size);
        aims.nth(choice as usize).expect("there are so many cells")
    }

    /// Draws all times that nobody sees, as likely as they are after what was seen.
    pub(super) fn draw_times(
        &mut self,
        ready: [bool; 2],
        rng: &mut dyn Rng,
    ) -> Result<(), Malformed> {
        for side in SIDES {
            self.hands[usize::from(side)].reloaded = None;
            if let Some(bounds) = self.reload_bounds(side, ready[usize::from(side)])? {
                self.hands[usize::from(side)].reloaded = Some(draw_within(bounds, rng));
            }
        }
        self.draw_flights(rng)?;
        self.draw_claims(rng)
    }

    /// When a launcher is ready; nothing if that is not drawn yet.
    fn reload_bounds(&self, side: Side, ready: bool) -> Result<Option<Bounds>, Malformed> {
        let hand = self.hand(side);
        let launched = match hand.launched {
            None => return Ok(None),
            Some(launched) if self.phase == Phase::Delays && launched == self.tick => {
                return Ok(None);
            }
            Some(launched) => launched,
        };
        let reload = self.reload();
        let (mut low, mut high) = (launched + reload.least, launched + reload.most);
        match (ready, hand.tokens) {
            (true, _) => high = high.min(self.tick),
            // Without a token nobody sees whether the launcher is ready.
            (false, 0) => {}
            (false, _) => low = low.max(self.tick + 1),
        }
        match low <= high {
            true => Ok(Some((low, high))),
            false => refuse("a launcher is not ready at such a tick"),
        }
    }

    /// When a token comes down; nothing if that is not drawn yet.
    fn flight_bounds(&self, token: &Flying) -> Result<Option<Bounds>, Malformed> {
        if self.phase == Phase::Delays && token.launched == self.tick {
            return Ok(None);
        }
        // What is due comes down before anything else is done in a tick.
        let least = self.tick + u32::from(self.phase != Phase::Landings);
        let flight = self.pace.flight;
        let bounds = (
            (token.launched + flight.least).max(least),
            token.launched + flight.most,
        );
        match bounds.0 <= bounds.1 {
            true => Ok(Some(bounds)),
            false => refuse("a token is not in the air for so long"),
        }
    }

    fn draw_flights(&mut self, rng: &mut dyn Rng) -> Result<(), Malformed> {
        let bounds = self.air.iter().map(|token| self.flight_bounds(token));
        let bounds: Vec<Option<Bounds>> = bounds.collect::<Result<_, _>>()?;
        let now = self.tick;
        let draw = |rng: &mut dyn Rng| -> Vec<Option<u32>> {
            let each = |bounds: &Option<Bounds>| bounds.map(|bounds| draw_within(bounds, rng));
            bounds.iter().map(each).collect()
        };
        let mut lands = draw(rng);
        if self.phase == Phase::Landings {
            // At least one of them comes down now.
            let may = bounds
                .iter()
                .position(|bounds| bounds.is_some_and(|it| it.0 <= now));
            let Some(may) = may else {
                return refuse("no token can come down now");
            };
            let mut tries = 1..TRIES;
            while !lands.contains(&Some(now)) {
                lands = draw(rng);
                if tries.next().is_none() {
                    lands[may] = Some(now);
                }
            }
        }
        for (token, lands) in self.air.iter_mut().zip(lands) {
            token.lands = lands;
        }
        Ok(())
    }

    /// When lines are claimed; nothing if that is not drawn yet.
    fn claim_bounds(&self, found: &Found) -> Result<Option<Bounds>, Malformed> {
        if found.claimed.is_none() {
            return Ok(None);
        }
        let reaction = self.pace.reaction;
        let (mut low, mut high) = (found.since + reaction.least, found.since + reaction.most);
        match self.phase {
            // Claims that are due are still to be heard.
            Phase::Landings | Phase::Reactions | Phase::Claimant => low = low.max(self.tick),
            Phase::Claim(side, line) if found.side == side && found.lines.contains(&line) => {
                (low, high) = (low.max(self.tick), high.min(self.tick));
            }
            Phase::Claim(side, line) => {
                // Of one side's, this line was the first one due.
                let is_before = |other: &Line| other.rank() < line.rank();
                let later = found.side == side && found.lines.iter().any(is_before);
                low = low.max(self.tick + u32::from(later));
            }
            Phase::Choose | Phase::Delays | Phase::Void | Phase::Over(_) => {
                low = low.max(self.tick + 1);
            }
        }
        match low <= high {
            true => Ok(Some((low, high))),
            false => refuse("a line is not left unclaimed for so long"),
        }
    }

    fn draw_claims(&mut self, rng: &mut dyn Rng) -> Result<(), Malformed> {
        for side in SIDES {
            let own: Vec<usize> = (0..self.found.len())
                .filter(|&at| self.found[at].side == side)
                .collect();
            let bounds = own.iter().map(|&at| {
                let found = &self.found[at];
                self.claim_bounds(found)
            });
            let bounds: Vec<Option<Bounds>> = bounds.collect::<Result<_, _>>()?;
            let now = self.tick;
            let draw = |rng: &mut dyn Rng| -> Vec<Option<u32>> {
                let each = |bounds: &Option<Bounds>| bounds.map(|bounds| draw_within(bounds, rng));
                bounds.iter().map(each).collect()
            };
            let mut claimed = draw(rng);
            match self.phase {
                Phase::Claimant => {
                    let may = bounds
                        .iter()
                        .position(|bounds| bounds.is_some_and(|it| it.0 <= now));
                    let Some(may) = may else {
                        return refuse("no line can be claimed now");
                    };
                    let mut tries = 1..TRIES;
                    while !claimed.contains(&Some(now)) {
                        claimed = draw(rng);
                        if tries.next().is_none() {
                            claimed[may] = Some(now);
                        }
                    }
                }
                // Had this side claimed too, the other would have been heard first in one case of
                // two.
                Phase::Claim(claimant, _) if side == other(claimant) => {
                    while claimed.contains(&Some(now)) && chance::below(rng, 2) == 0 {
                        claimed = draw(rng);
                    }
                }
                _ => {}
            }
            for (at, claimed) in own.into_iter().zip(claimed) {
                self.found[at].claimed = claimed;
            }
        }
        Ok(())
    }

    /// Whether all times can be as they are.
    pub(super) fn check_times(&self) -> Result<(), Malformed> {
        let fits = |time: Option<u32>, bounds: Option<Bounds>| match bounds {
            None => time.is_none(),
            Some(bounds) => is_within(time, bounds),
        };
        let wrong = "the times do not fit what is seen";
        for side in SIDES {
            let hand = self.hand(side);
            let bounds = self.reload_bounds(side, hand.is_ready(self.tick))?;
            require(fits(hand.reloaded, bounds), wrong)?;
        }
        for token in &self.air {
            require(fits(token.lands, self.flight_bounds(token)?), wrong)?;
        }
        for found in &self.found {
            let bounds = self.claim_bounds(found)?;
            require(fits(found.claimed, bounds), wrong)?;
        }
        let now = Some(self.tick);
        let lands = self.air.iter().any(|token| token.lands == now);
        let claims = SIDES.map(|side| {
            let mut found = self.found.iter();
            found.any(|found| found.side == side && found.claimed == now)
        });
        match self.phase {
            Phase::Landings => require(lands, wrong),
            Phase::Claimant => require(claims == [true, true], wrong),
            _ => Ok(()),
        }
    }
}
