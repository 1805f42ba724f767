//! Whether a match of a simultaneous game can have come about, whatever its times are.

use super::super::trays::{Control, Line, Place, SIDES, Side, Spot, TOKENS, Token, Tray};
use super::super::view::{Rim, Tally};
use super::{Found, Hand, Landed, Mode, Phase, Rush};
use crate::Malformed;
use crate::course::malformed;

/// Says that a view cannot be.
pub(super) fn refuse<T>(why: &str) -> Result<T, Malformed> {
    Err(malformed(why))
}

/// Refuses a view of which something does not hold.
pub(super) fn require(holds: bool, why: &str) -> Result<(), Malformed> {
    match holds {
        true => Ok(()),
        false => refuse(why),
    }
}

impl<M: Mode> Rush<M> {
    /// Refuses what cannot come about, whatever the times are.
    pub(super) fn check_state(&self) -> Result<(), Malformed> {
        for side in SIDES {
            self.check_launches(side)?;
        }
        self.check_trays()?;
        self.check_lines()?;
        self.check_landed()?;
        self.check_phase()?;
        let is_over = matches!(self.phase, Phase::Over(_));
        Tally {
            rounds: self.round - u32::from(!is_over),
            score: self.score,
            scored: self.scored.as_ref(),
            winner: match self.phase {
                Phase::Over(winner) => winner,
                _ => None,
            },
            target: M::TARGET,
            worth: Self::worth,
        }
        .check(self.trays.size)
    }

    /// A side launches one token at a time, and has to reload between.
    fn check_launches(&self, side: Side) -> Result<(), Malformed> {
        let hand = self.hand(side);
        let mut launches: Vec<u32> = self
            .air
            .iter()
            .filter(|token| token.side == side)
            .map(|token| token.launched)
            .collect();
        let Some(last) = hand.launched else {
            let nothing_yet = hand.tokens == TOKENS && (self.may_wait || self.tick == 0);
            return require(nothing_yet, "nothing was launched");
        };
        if launches.last() != Some(&last) {
            launches.push(last);
        }
        let reload = self.reload().least;
        let apart = |pair: &[u32]| pair[0] < pair[1] && pair[1] - pair[0] >= reload;
        require(
            launches.windows(2).all(apart),
            "a side reloads between two launches",
        )?;
        let most = 1 + last / reload;
        require(
            u32::from(TOKENS - hand.tokens) <= most,
            "a side cannot have launched so many tokens",
        )?;
        let just_now = last == self.tick;
        let in_air = self
            .air
            .iter()
            .any(|token| (token.side, token.launched) == (side, last));
        require(
            just_now
                == (self.phase == Phase::Delays && in_air && launches.last() == Some(&self.tick)),
            "launches are followed by their delays",
        )
    }

    fn check_trays(&self) -> Result<(), Malformed> {
        let is_plain = self
            .trays
            .tokens()
            .all(|token| token == Token::plain(token.side));
        require(is_plain, "marks mean nothing in this game")?;
        let on_rims = Tray::ALL
            .iter()
            .any(|&tray| self.trays.rim(tray).next().is_some());
        let out = self.hands.iter().any(|hand| hand.out > 0);
        match self.rim {
            Rim::Remove => require(!on_rims, "no token stays on a rim"),
            Rim::Leave => require(!out, "no token is removed"),
        }
    }

    /// The lines that are known are those that stand.
    fn check_lines(&self) -> Result<(), Malformed> {
        let sorted = |lines: &[Line]| lines.is_sorted_by(|one, next| one.rank() < next.rank());
        require(
            self.found.is_sorted_by_key(|found| found.since)
                && self
                    .found
                    .iter()
                    .all(|found| found.since > 0 && sorted(&found.lines)),
            "lines are in order",
        )?;
        for side in SIDES {
            let own = self.found.iter().filter(|found| found.side == side);
            let mut known: Vec<Line> = own.flat_map(|found| found.lines.clone()).collect();
            known.sort_by_key(|line| line.rank());
            let mut stand = self.trays.lines(side, Control::Topmost);
            if let (Phase::Over(_), Some((of, line))) = (self.phase, self.counted()) {
                stand.retain(|&other| (of, line) != (side, other));
            }
            require(known == stand, "the lines are those that stand")?;
        }
        Ok(())
    }

    /// What came down last lies where it came down.
    fn check_landed(&self) -> Result<(), Malformed> {
        let Some(Landed { tick, tokens }) = &self.landed else {
            let all_there = |side: &Side| {
                let hand = self.hand(*side);
                let in_air = self.air.iter().filter(|token| token.side == *side);
                usize::from(hand.tokens) + in_air.count() == usize::from(TOKENS)
            };
            return require(SIDES.iter().all(all_there), "nothing came down yet");
        };
        let now = self.tick;
        let fits = match self.phase {
            Phase::Landings => *tick < now,
            Phase::Void => *tick == now,
            _ => *tick <= now,
        };
        require(
            fits && *tick > 0 && !tokens.is_empty(),
            "tokens come down at some tick",
        )?;
        for (at, token) in tokens.iter().enumerate() {
            let same = |side: Side, launched: u32| (side, launched) == (token.side, token.launched);
            let later = self.hands.get(usize::from(token.side));
            let later = later.and_then(|hand| hand.launched);
            let is_known = token.launched < *tick
                && token.place.is_on(self.trays.size)
                && later.is_some_and(|last| token.launched <= last)
                && !self
                    .air
                    .iter()
                    .any(|other| same(other.side, other.launched))
                && !tokens[..at]
                    .iter()
                    .any(|other| same(other.side, other.launched));
            require(is_known, "a token comes down once, after its launch")?;
        }
        let sides_at = |place: Place| -> Vec<Side> {
            let there = tokens.iter().filter(|token| token.place == place);
            there.map(|token| token.side).collect()
        };
        for spot in Spot::all(self.trays.size) {
            let stack: Vec<Side> = self.trays.stack(spot).map(|token| token.side).collect();
            let fits = stack.ends_with(&sides_at(Place::In(spot)));
            require(fits, "what came down lies on top")?;
        }
        let on_rims = |tray: Tray| sides_at(Place::Rim(tray));
        for side in SIDES {
            let count = |sides: Vec<Side>| sides.iter().filter(|&&other| other == side).count();
            let hand = self.hand(side);
            let fits = match self.rim {
                Rim::Remove => {
                    let removed: usize = Tray::ALL.map(|tray| count(on_rims(tray))).iter().sum();
                    removed <= usize::from(hand.out)
                }
                Rim::Leave => Tray::ALL.iter().all(|&tray| {
                    let rim: Vec<Side> = self.trays.rim(tray).map(|token| token.side).collect();
                    rim.ends_with(&on_rims(tray))
                }),
            };
            require(fits, "what came down on a rim is there, or out")?;
            let back = tick + self.pace.pick_up;
            let then = hand.picked_up.iter().filter(|&&at| at == back).count();
            let missed = match back > now {
                true => count(sides_at(Place::Miss)),
                false => 0,
            };
            let latest = hand.picked_up.last().is_none_or(|&last| last <= back);
            require(then == missed && latest, "what missed is picked up")?;
        }
        Ok(())
    }

    fn check_phase(&self) -> Result<(), Malformed> {
        let tick = self.tick;
        let new: Vec<&Found> = self
            .found
            .iter()
            .filter(|found| found.claimed.is_none())
            .collect();
        let waits = matches!(self.phase, Phase::Reactions | Phase::Void);
        let is_over = matches!(self.phase, Phase::Over(_));
        let new_fit = new.iter().all(|found| found.since == tick)
            && SIDES
                .iter()
                .all(|&side| new.iter().filter(|found| found.side == side).count() <= 1);
        require(
            is_over || (waits != new.is_empty() && new_fit),
            "chance draws how long new lines take",
        )?;
        let has_time = tick < self.max_ticks;
        let fits = match self.phase {
            Phase::Choose => has_time,
            Phase::Delays => has_time && self.air.iter().any(|token| token.launched == tick),
            Phase::Landings | Phase::Reactions | Phase::Claimant => tick > 0,
            Phase::Claim(side, line) => {
                let mut own = self.found.iter().filter(|found| found.side == side);
                let own = own.find(|found| found.lines.contains(&line));
                !self.air.is_empty() && own.is_some_and(|found| found.lines[0] == line)
            }
            Phase::Void => self.air.is_empty(),
            Phase::Over(Some(side)) => {
                let stands = |line: &Line| self.trays.lines(side, Control::Topmost).contains(line);
                let scored = self.scored.as_ref();
                let line = scored.and_then(|scored| scored.line.line(self.trays.size).ok());
                self.air.is_empty() && line.as_ref().is_some_and(stands)
            }
            Phase::Over(None) => {
                let has_none = |hand: &Hand| hand.tokens == 0 && hand.picked_up.is_empty();
                let nothing_left = self.air.is_empty() && self.found.is_empty();
                let all_out = nothing_left && self.hands.iter().all(has_none);
                let won = self.counted().is_some();
                self.round == self.max_rounds && (all_out || won || tick == self.max_ticks)
            }
        };
        require(fits, "this is not what the match waits for")
    }
}
