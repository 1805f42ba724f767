//! The hidden information of a simultaneous game, sampled anew: when a token lands, when a launcher
//! is ready, when a line is claimed, and the aims of the other side.

use rand_core::Rng;

use super::super::trays::{SIDES, Side, TrayLine, TraySpot, other};
use super::modes::Mode;
use super::state::{Flying, LineSet, RealTime, RushPhase};
use super::view::sees_aims;
use crate::chance;
use crate::game::{ParseError, malformed, require};
use crate::seats::Viewer;

/// The first and the last possible tick.
type SecretBounds = (u32, u32);

/// Refuses bounds without a tick.
fn possible(bounds: SecretBounds, why: &str) -> Result<Option<SecretBounds>, ParseError> {
    require!(bounds.0 <= bounds.1, "{why}");
    Ok(Some(bounds))
}

fn sample_within((low, high): SecretBounds, rng: &mut dyn Rng) -> u32 {
    low + chance::below(rng, high - low + 1)
}

/// Samples a tick within each of the bounds that there are.
fn sample_all(bounds: &[Option<SecretBounds>], rng: &mut dyn Rng) -> Vec<Option<u32>> {
    let each = |bounds: &Option<SecretBounds>| bounds.map(|bounds| sample_within(bounds, rng));
    bounds.iter().map(each).collect()
}

/// Samples the same, and at least one of them is this tick. Refuses bounds that do not allow it.
fn sample_one_at(
    now: u32,
    bounds: &[Option<SecretBounds>],
    why: &str,
    rng: &mut dyn Rng,
) -> Result<Vec<Option<u32>>, ParseError> {
    let may = |bounds: &Option<SecretBounds>| bounds.is_some_and(|(low, _)| low <= now);
    let may = bounds
        .iter()
        .position(may)
        .ok_or_else(|| malformed!("{why}"))?;
    for _ in 0..TRIES {
        let ticks = sample_all(bounds, rng);
        if ticks.contains(&Some(now)) {
            return Ok(ticks);
        }
    }
    let mut ticks = sample_all(bounds, rng);
    ticks[may] = Some(now);
    Ok(ticks)
}

/// The maximum number of times that times are sampled until they fit together. After that, one is
/// set to fit.
const TRIES: u32 = 10_000;

impl<M: Mode> RealTime<M> {
    /// Samples the information anew that is hidden from a viewer.
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
        let before = self.clone();
        // In a match that is played the times fit. A view made by hand may lead to one without such
        // times; it keeps those that it has.
        if self.sample_times(ready, rng).is_err() {
            *self = before;
        }
    }

    pub(super) fn any_aim(&self, rng: &mut dyn Rng) -> TraySpot {
        let size = u32::from(self.trays.size);
        let choice = chance::below(rng, 2 * size * size);
        let mut aims = TraySpot::all(self.trays.size);
        aims.nth(choice as usize).expect("there are so many cells")
    }

    /// Samples all hidden times from their distribution given what was seen.
    pub(super) fn sample_times(
        &mut self,
        ready: [bool; 2],
        rng: &mut dyn Rng,
    ) -> Result<(), ParseError> {
        for side in SIDES {
            let bounds = self.reload_bounds(side, ready[usize::from(side)])?;
            let reloaded = bounds.map(|bounds| sample_within(bounds, rng));
            self.hands[usize::from(side)].reloaded = reloaded;
        }
        self.sample_flights(rng)?;
        self.sample_claims(rng)
    }

    /// Returns when a launcher can be ready, or nothing if that is not sampled yet.
    fn reload_bounds(&self, side: Side, ready: bool) -> Result<Option<SecretBounds>, ParseError> {
        let hand = self.hand(side);
        let launched = match hand.launched {
            None => return Ok(None),
            Some(launched) if self.phase == RushPhase::Delays && launched == self.tick => {
                return Ok(None);
            }
            Some(launched) => launched,
        };
        let reload = self.reload();
        let (mut low, mut high) = (launched + reload.min, launched + reload.max);
        match (ready, hand.tokens) {
            (true, _) => high = high.min(self.tick),
            // The view does not show whether a launcher without a token is ready.
            (false, 0) => {}
            (false, _) => low = low.max(self.tick + 1),
        }
        possible((low, high), "a launcher is not ready at such a tick")
    }

    /// Returns when a token can land, or nothing if that is not sampled yet.
    fn flight_bounds(&self, token: &Flying) -> Result<Option<SecretBounds>, ParseError> {
        if self.phase == RushPhase::Delays && token.launched == self.tick {
            return Ok(None);
        }
        // In a tick the tokens that are due land first.
        let least = self.tick + u32::from(self.phase != RushPhase::Landings);
        let flight = self.pace.flight;
        let bounds = (
            (token.launched + flight.min).max(least),
            token.launched + flight.max,
        );
        possible(bounds, "a token is not in the air for so long")
    }

    fn sample_flights(&mut self, rng: &mut dyn Rng) -> Result<(), ParseError> {
        let bounds = self.air.iter().map(|token| self.flight_bounds(token));
        let bounds: Vec<Option<SecretBounds>> = bounds.collect::<Result<_, _>>()?;
        let lands = if self.phase == RushPhase::Landings {
            sample_one_at(self.tick, &bounds, "no token can come down now", rng)?
        } else {
            sample_all(&bounds, rng)
        };
        for (token, lands) in self.air.iter_mut().zip(lands) {
            token.lands = lands;
        }
        Ok(())
    }

    /// Returns when lines can be claimed, or nothing if that is not sampled yet.
    fn claim_bounds(&self, found: &LineSet) -> Result<Option<SecretBounds>, ParseError> {
        if found.claimed.is_none() {
            return Ok(None);
        }
        let reaction = self.pace.reaction;
        let (mut low, mut high) = (found.since + reaction.min, found.since + reaction.max);
        match self.phase {
            // Claims that are due come later in this tick.
            RushPhase::Landings | RushPhase::Reactions | RushPhase::Claimant => {
                low = low.max(self.tick);
            }
            RushPhase::Claim(side, line) if found.side == side && found.lines.contains(&line) => {
                (low, high) = (low.max(self.tick), high.min(self.tick));
            }
            RushPhase::Claim(side, line) => {
                // The claimed line was the first one of its side that was due.
                let is_before = |other: &TrayLine| other.rank() < line.rank();
                let later = found.side == side && found.lines.iter().any(is_before);
                low = low.max(self.tick + u32::from(later));
            }
            RushPhase::Choose | RushPhase::Delays | RushPhase::Void | RushPhase::Over(_) => {
                low = low.max(self.tick + 1);
            }
        }
        possible((low, high), "a line is not left unclaimed for so long")
    }

    fn sample_claims(&mut self, rng: &mut dyn Rng) -> Result<(), ParseError> {
        let now = self.tick;
        for side in SIDES {
            let own = self.found.iter().filter(|found| found.side == side);
            let bounds: Vec<Option<SecretBounds>> = own
                .map(|found| self.claim_bounds(found))
                .collect::<Result<_, _>>()?;
            let claimed = match self.phase {
                RushPhase::Claimant => {
                    sample_one_at(now, &bounds, "no line can be claimed now", rng)?
                }
                // If this side had claimed too, the other claim would have come first in half of the
                // cases.
                RushPhase::Claim(claimant, _) if side == other(claimant) => loop {
                    let claimed = sample_all(&bounds, rng);
                    if !claimed.contains(&Some(now)) || chance::below(rng, 2) == 1 {
                        break claimed;
                    }
                },
                _ => sample_all(&bounds, rng),
            };
            let own = self.found.iter_mut().filter(|found| found.side == side);
            for (found, claimed) in own.zip(claimed) {
                found.claimed = claimed;
            }
        }
        Ok(())
    }
}
