//! Whether a match of extra pro can have come about.

use super::super::trays::{Cell, Control, Kind, Place, SIDES, Side, Spot, Token, Tray, other};
use super::super::view::{Rim, Tally};
use super::{ExtraPro, Landing, Phase, TARGET};
use crate::Malformed;
use crate::course::malformed;

/// Refuses a view of which something does not hold.
pub(super) fn require(holds: bool, why: &str) -> Result<(), Malformed> {
    match holds {
        true => Ok(()),
        false => Err(malformed(why)),
    }
}

impl ExtraPro {
    /// Refuses what cannot come about.
    pub(super) fn check_state(&self) -> Result<(), Malformed> {
        let is_over = matches!(self.phase, Phase::Over(_));
        Tally {
            rounds: self.round - u32::from(!is_over),
            score: self.score,
            scored: self.scored.as_ref(),
            winner: match self.phase {
                Phase::Over(winner) => winner,
                _ => None,
            },
            target: TARGET,
            worth: Self::worth,
        }
        .check(self.trays.size)?;
        require(self.rims_are_right(), "what lies on a rim is removed")?;
        require(
            self.phase_is_right(),
            "this is not what the match waits for",
        )?;
        require(self.landed_is_right(), "what came down lies elsewhere")?;
        require(self.lines_are_right(), "a line ends the round")?;
        require(self.turns_are_right(), "the sides launch in turns")
    }

    fn rims_are_right(&self) -> bool {
        self.rim == Rim::Leave
            || Tray::ALL
                .iter()
                .all(|&tray| self.trays.rim(tray).next().is_none())
    }

    fn phase_is_right(&self) -> bool {
        let full = self.hands == [self.full_hand(); 2];
        let is_landed = |side: Side, kind: Kind, at: Spot| {
            let place = Place::In(at);
            self.landed == Some(Landing { side, kind, place })
        };
        let was_started = self.first.is_some();
        match self.phase {
            Phase::Starter => !was_started && self.round == 1 && full && self.landed.is_none(),
            Phase::Launch(side) => was_started && self.has_tokens(side),
            Phase::Double(side) => {
                let double = |landing: &Landing| {
                    (landing.side, landing.kind) == (side, Kind::Double)
                        && matches!(landing.place, Place::In(_))
                };
                was_started && self.has_tokens(side) && self.landed.as_ref().is_some_and(double)
            }
            Phase::Landing(_, _, aim) => was_started && aim.cell.is_on(self.trays.size),
            Phase::Line(side, at) => was_started && is_landed(side, Kind::Line, at),
            Phase::Cell(side, at) => was_started && is_landed(side, Kind::Cell, at),
            Phase::Over(Some(_)) => was_started,
            Phase::Over(None) => {
                let scored = self.scored.as_ref();
                let won = scored.is_some_and(|scored| scored.round == self.round);
                let all_out = !SIDES.iter().any(|&side| self.has_tokens(side));
                was_started && self.round == self.max_rounds && (won || all_out)
            }
        }
    }

    fn landed_is_right(&self) -> bool {
        let out = |side: Side| self.out(side).unwrap_or_default();
        let Some(Landing { side, kind, place }) = self.landed else {
            let nothing = self.trays.tokens().next().is_none();
            return nothing && SIDES.iter().all(|&side| out(side) == [0; 5]);
        };
        if !SIDES.contains(&side) {
            return false;
        }
        let token = Token { side, kind };
        match place {
            Place::In(spot) if !spot.cell.is_on(self.trays.size) => false,
            Place::In(spot) => {
                let top = self.trays.stack(spot).last();
                if self.ended_before_its_power(side, spot) {
                    return top == Some(token);
                }
                // What a line token empties, it empties to itself.
                let is_used = kind == Kind::Line && !matches!(self.phase, Phase::Line(..));
                let cells = Cell::all(self.trays.size).filter(|cell| cell.is_next_to(spot.cell));
                let is_empty = |cell: Cell| {
                    let tray = spot.tray;
                    self.trays.stack(Spot { tray, cell }).next().is_none()
                };
                let fits = if is_used {
                    top.is_none()
                } else {
                    top == Some(token)
                };
                fits && (kind != Kind::Bomb || cells.into_iter().all(is_empty))
            }
            Place::Rim(tray) if self.rim == Rim::Leave => {
                self.trays.rim(tray).last() == Some(token)
            }
            Place::Rim(_) | Place::Miss => out(side)[kind as usize] > 0,
        }
    }

    /// Whether the token that came down last completed the line that ended the match, so that its
    /// power did not act.
    fn ended_before_its_power(&self, side: Side, spot: Spot) -> bool {
        let is_over = matches!(self.phase, Phase::Over(_));
        let scored = self.scored.as_ref();
        let scored = scored.filter(|scored| scored.round == self.round && scored.side == side);
        let line = scored.and_then(|scored| scored.line.line(self.trays.size).ok());
        self.lines_first && is_over && line.is_some_and(|line| line.has(spot))
    }

    fn lines_are_right(&self) -> bool {
        let lines = SIDES.map(|side| self.trays.lines(side, Control::Most));
        let scored = self.scored.as_ref();
        let scored = scored.filter(|scored| scored.round == self.round);
        SIDES.iter().all(|&side| {
            let own = &lines[usize::from(side)];
            match (self.phase, scored) {
                (Phase::Line(mover, at) | Phase::Cell(mover, at), _)
                    if mover == side && !self.lines_first =>
                {
                    own.iter().all(|line| line.has(at))
                }
                (Phase::Over(_), Some(scored)) if scored.side == side => {
                    let line = scored.line.line(self.trays.size);
                    line.is_ok_and(|line| own.first() == Some(&line))
                }
                _ => own.is_empty(),
            }
        })
    }

    /// While both sides have tokens, their turns alternate.
    fn turns_are_right(&self) -> bool {
        let in_air = match self.phase {
            Phase::Landing(side, kind, _) => Some((side, kind)),
            _ => None,
        };
        let (mover, begun) = match (self.phase, in_air) {
            (Phase::Launch(side), _) => (side, 0),
            (_, Some((side, _))) => (side, 1),
            (_, None) => match self.mover() {
                Some(side) => (side, 1),
                None => return true,
            },
        };
        let has_run_out = |side: &Side| {
            !self.has_tokens(*side) && in_air.is_none_or(|(thrower, _)| thrower != *side)
        };
        if SIDES.iter().any(has_run_out) {
            return true;
        }
        let Some(first) = self.first else {
            return false;
        };
        // The fewest and the most turns that a side's launches may have been.
        let turns = |side: Side| {
            let count = |hand: [u8; 5]| i32::from(hand.iter().sum::<u8>());
            let (full, hand) = (self.full_hand(), self.hands[usize::from(side)]);
            let launches = count(full) - count(hand);
            let doubles = i32::from(full[Kind::Double as usize] - hand[Kind::Double as usize]);
            let flying = i32::from(in_air == Some((side, Kind::Double)));
            let extra = (doubles - flying).min((launches - 1).max(0));
            (launches - extra, launches)
        };
        // By how many turns the first side is ahead.
        let ahead = match (mover == first, begun) {
            (true, begun) => begun,
            (false, begun) => 1 - begun,
        };
        let ((few, many), (others_few, others_many)) = (turns(first), turns(other(first)));
        few - others_many <= ahead && ahead <= many - others_few
    }
}
