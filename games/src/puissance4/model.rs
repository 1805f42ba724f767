//! The launch model: where a launched token lands, and the delays. The model is our own and not
//! part of the rulebook; its numbers are options.

use std::ops::RangeInclusive;

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::trays::{LandingSpot, Side, Tray, TrayCell, TraySpot};
use crate::chance::{below, happens, normal};
use crate::options::{BoundedInt, Decimal, OptionsError, Probability};

/// A deviation or a factor.
type ModelFactor = Decimal<0, 10_000>;

/// A part of a cell, up to its middle.
type Half = Decimal<0, 500>;

/// A delay in ticks that has a spread.
type ModelTicks = BoundedInt<1, 100>;

/// The maximum deviation of a delay in ticks.
type ModelSpread = BoundedInt<0, 99>;

/// Defines the options of a model: the scatter of tokens, and the fields that follow.
macro_rules! model {
    ($(#[$about:meta])* $name:ident { $($(#[$more:meta])* $field:ident: $of:ty = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// The probability that a token aimed at the bottom tray misses both trays.
            pub fumble_bottom: Probability,
            /// The probability that a token aimed at the top tray misses both trays.
            pub fumble_top: Probability,
            /// The standard deviation from left to right, in cells.
            pub across: ModelFactor,
            /// The standard deviation away from the thrower, in cells.
            pub along: ModelFactor,
            /// What is added to `along` for each row between the aimed one and the row nearest to
            /// the thrower.
            pub along_per_row: ModelFactor,
            /// Both deviations are so many times as large for the top tray.
            pub top_factor: ModelFactor,
            /// A token that comes down nearer than this to a line between cells, or to the outer
            /// edge, hits a wall. In cells.
            pub wall: Half,
            /// The probability that a token that hits a wall stays on the rim.
            pub rim_share: Probability,
            /// The probability that a token aimed at the top tray that comes down beside it falls
            /// into the bottom tray.
            pub fall: Probability,
            $($(#[$more])* pub $field: $of,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    fumble_bottom: Probability::new(0.10),
                    fumble_top: Probability::new(0.15),
                    across: ModelFactor::new(0.45),
                    along: ModelFactor::new(0.50),
                    along_per_row: ModelFactor::new(0.05),
                    top_factor: ModelFactor::new(1.2),
                    wall: Half::new(0.08),
                    rim_share: Probability::new(0.5),
                    fall: Probability::new(0.15),
                    $($field: <$of>::new($value),)*
                }
            }
        }

        impl $name {
            pub(super) fn scatter(&self) -> Scatter {
                Scatter {
                    fumble_bottom: self.fumble_bottom.get(),
                    fumble_top: self.fumble_top.get(),
                    across: self.across.get(),
                    along: self.along.get(),
                    along_per_row: self.along_per_row.get(),
                    top_factor: self.top_factor.get(),
                    wall: self.wall.get(),
                    rim_share: self.rim_share.get(),
                    fall: self.fall.get(),
                }
            }
        }
    };
}

model! {
    /// The launch model of a game in turns: where tokens come down.
    Aiming {}
}

model! {
    /// The launch model of the simultaneous games: where tokens come down, and when. A delay is a
    /// whole number of ticks from the number less its spread to the number plus its spread, all
    /// alike; a tick stands for a quarter of a second.
    Throwing {
        /// The ticks from the launch to the landing.
        flight: ModelTicks = 3,
        /// How many ticks `flight` may be off; smaller than `flight`.
        flight_spread: ModelSpread = 1,
        /// The ticks from a launch until the launcher is ready again.
        reload: ModelTicks = 6,
        /// How many ticks `reload` may be off; smaller than `reload`.
        reload_spread: ModelSpread = 2,
        /// The ticks from a line to its claim.
        reaction: ModelTicks = 2,
        /// How many ticks `reaction` may be off; smaller than `reaction`.
        reaction_spread: ModelSpread = 1,
        /// The ticks until a token that missed both trays is back in the hand.
        pick_up: BoundedInt<1, 1000> = 8,
        /// The ticks that handing the launcher over adds to `reload` in a team.
        hand_over: BoundedInt<0, 100> = 3,
    }
}

impl Throwing {
    /// Returns the delays.
    ///
    /// # Errors
    /// Names a spread that is not smaller than its delay.
    pub(super) fn pace(&self) -> Result<ModelPace, OptionsError> {
        Ok(ModelPace {
            flight: Delay::new("flight", self.flight, self.flight_spread)?,
            reload: Delay::new("reload", self.reload, self.reload_spread)?,
            reaction: Delay::new("reaction", self.reaction, self.reaction_spread)?,
            pick_up: self.pick_up.get(),
            hand_over: self.hand_over.get(),
        })
    }
}

/// The delays, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelPace {
    pub(super) flight: Delay,
    pub(super) reload: Delay,
    pub(super) reaction: Delay,
    pub(super) pick_up: u32,
    pub(super) hand_over: u32,
}

/// A delay that chance samples uniformly from `min` to `max` ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    pub(super) min: u32,
    pub(super) max: u32,
}

impl Delay {
    fn new(name: &str, ticks: ModelTicks, spread: ModelSpread) -> Result<Self, OptionsError> {
        let (ticks, spread) = (ticks.get(), spread.get());
        if spread >= ticks {
            return Err(OptionsError(format!(
                "option model.{name}_spread: {spread} is not smaller than model.{name}, which is \
                 {ticks}; with that it is a whole number from 0 to {}",
                ticks - 1
            )));
        }
        Ok(Delay {
            min: ticks - spread,
            max: ticks + spread,
        })
    }

    /// Returns the possible numbers of ticks.
    pub(super) fn range(self) -> RangeInclusive<u32> {
        self.min..=self.max
    }

    pub(super) fn sample(self, rng: &mut dyn Rng) -> u32 {
        self.min + below(rng, self.max - self.min + 1)
    }

    /// Returns the delay with some ticks added.
    pub(super) fn plus(self, ticks: u32) -> Self {
        Delay {
            min: self.min + ticks,
            max: self.max + ticks,
        }
    }
}

/// The scatter of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Scatter {
    fumble_bottom: f64,
    fumble_top: f64,
    across: f64,
    along: f64,
    along_per_row: f64,
    top_factor: f64,
    wall: f64,
    rim_share: f64,
    fall: f64,
}

impl Scatter {
    /// Samples where a token lands. The trays lie over the same square, in which a cell is 1 wide and
    /// `a1` has the corner (0, 0); x runs along the rows, y along the files.
    pub(super) fn land(
        &self,
        size: u8,
        side: Side,
        aim: TraySpot,
        rng: &mut dyn Rng,
    ) -> LandingSpot {
        if happens(rng, self.fumble(aim.tray)) {
            return LandingSpot::Miss;
        }
        let (across, along) = self.deviations(size, side, aim);
        let x = f64::from(aim.cell.file) + 0.5 + across * normal(rng);
        let y = f64::from(aim.cell.rank) + 0.5 + along * normal(rng);
        let tray = aim.tray;
        let most = f64::from(size);
        if (0.0..=most).contains(&x) && (0.0..=most).contains(&y) {
            return self.inside(size, tray, x, y, rng);
        }
        if tray == Tray::Top && happens(rng, self.fall) {
            let cell = TrayCell {
                file: nearest(x, size),
                rank: nearest(y, size),
            };
            let tray = Tray::Bottom;
            return LandingSpot::In(TraySpot { tray, cell });
        }
        LandingSpot::Miss
    }

    /// Samples where a token lands that comes down inside a tray's outer edge.
    fn inside(&self, size: u8, tray: Tray, x: f64, y: f64, rng: &mut dyn Rng) -> LandingSpot {
        let (files, ranks) = (self.touched(x, size), self.touched(y, size));
        let walled = files.1 || ranks.1;
        if walled && happens(rng, self.rim_share) {
            return LandingSpot::Rim(tray);
        }
        let ((files, _), (ranks, _)) = (files, ranks);
        let count = files.len() * ranks.len();
        let choice = match count {
            1 => 0,
            _ => below(rng, count as u32) as u8,
        };
        let (file, rank) = (choice / ranks.len() as u8, choice % ranks.len() as u8);
        let cell = TrayCell {
            file: files.start + file,
            rank: ranks.start + rank,
        };
        LandingSpot::In(TraySpot { tray, cell })
    }

    /// Returns the files (or ranks) where a token at this coordinate can land, and whether it hits a
    /// wall: two at a wall between them, one at the outer edge or away from walls.
    fn touched(&self, at: f64, size: u8) -> (std::ops::Range<u8>, bool) {
        let own = nearest(at, size);
        // The nearer of the two edges of this file.
        let part = at - f64::from(own);
        let (line, distance) = if part < 0.5 {
            (own, part)
        } else {
            (own + 1, 1.0 - part)
        };
        if distance < self.wall {
            (line.saturating_sub(1)..(line + 1).min(size), true)
        } else {
            (own..own + 1, false)
        }
    }

    /// Returns whether a token can land there.
    pub(super) fn could_land(
        &self,
        size: u8,
        side: Side,
        aim: TraySpot,
        place: LandingSpot,
    ) -> bool {
        let (across, along) = self.deviations(size, side, aim);
        let scatters = across > 0.0 || along > 0.0;
        let reaches = |file: bool, rank: bool| (across > 0.0 || file) && (along > 0.0 || rank);
        let fumble = self.fumble(aim.tray);
        match place {
            LandingSpot::Miss if fumble > 0.0 => true,
            _ if fumble >= 1.0 => false,
            LandingSpot::Miss => scatters && !(aim.tray == Tray::Top && self.fall >= 1.0),
            LandingSpot::Rim(tray) => {
                tray == aim.tray && scatters && self.wall > 0.0 && self.rim_share > 0.0
            }
            LandingSpot::In(TraySpot { tray, cell }) if tray == aim.tray => {
                cell.is_on(size) && reaches(cell.file == aim.cell.file, cell.rank == aim.cell.rank)
            }
            LandingSpot::In(TraySpot { tray, cell }) => {
                let at_edge = |line: u8| line == 0 || line + 1 == size;
                let (beside, beyond) = (at_edge(cell.file), at_edge(cell.rank));
                let over_the_side =
                    across > 0.0 && beside && reaches(true, cell.rank == aim.cell.rank);
                let over_the_end =
                    along > 0.0 && beyond && reaches(cell.file == aim.cell.file, true);
                tray == Tray::Bottom
                    && cell.is_on(size)
                    && self.fall > 0.0
                    && (over_the_side || over_the_end)
            }
        }
    }

    fn fumble(&self, tray: Tray) -> f64 {
        match tray {
            Tray::Bottom => self.fumble_bottom,
            Tray::Top => self.fumble_top,
        }
    }

    /// Returns the standard deviations across and along, in cells.
    fn deviations(&self, size: u8, side: Side, aim: TraySpot) -> (f64, f64) {
        let factor = match aim.tray {
            Tray::Bottom => 1.0,
            Tray::Top => self.top_factor,
        };
        let rows = f64::from(aim.cell.rows_from(side, size));
        let along = self.along + self.along_per_row * rows;
        (factor * self.across, factor * along)
    }
}

/// Returns the file (or rank) of a coordinate, or the nearest one.
fn nearest(at: f64, size: u8) -> u8 {
    // The conversion saturates.
    (at.floor() as i64).clamp(0, i64::from(size) - 1) as u8
}
