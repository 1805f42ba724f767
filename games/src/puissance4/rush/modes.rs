//! The two simultaneous games: what distinguishes them, and their settings.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::super::model::Throwing;
use super::super::trays::TraySize;
use super::super::view::{EdgeRule, Puissance4Reason};
use crate::game::{DescribedGame, Info};
use crate::options::{BoundedInt, Decimal};

/// What distinguishes the simultaneous games.
pub trait Mode: Clone + Debug + Send + DescribedGame + 'static {
    /// The facts of the game.
    const INFO: Info;
    /// The points that win a match.
    const TARGET: u8;
    /// What a line in the top tray counts; one in the bottom tray counts 1.
    const TOP: u8;
    /// The name of the rule by which a match is won.
    const WON_BY: Puissance4Reason;
    /// The default of `max_rounds`.
    const ROUNDS: BoundedInt<1, 1_000_000>;
}

/// Game 1: the first line wins.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Basic {}

/// Game 2: lines score, over rounds.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Championship {}

impl Mode for Basic {
    const INFO: Info = facts(
        "puissance4-basic",
        "Puissance 4 Flip, basic",
        "Flick tokens at two trays, all at once; the first four in a line win",
    );
    const TARGET: u8 = 1;
    const TOP: u8 = 1;
    const WON_BY: Puissance4Reason = Puissance4Reason::Line;
    const ROUNDS: BoundedInt<1, 1_000_000> = BoundedInt::new(20);
}

impl Mode for Championship {
    const INFO: Info = facts(
        "puissance4-championship",
        "Puissance 4 Flip, championship",
        "Flick tokens at two trays, all at once; four in a line score, first to five points",
    );
    const TARGET: u8 = 5;
    const TOP: u8 = 2;
    const WON_BY: Puissance4Reason = Puissance4Reason::Points;
    const ROUNDS: BoundedInt<1, 1_000_000> = BoundedInt::new(50);
}

const fn facts(id: &'static str, title: &'static str, summary: &'static str) -> Info {
    Info {
        id,
        title,
        summary,
        seats: &[2, 4, 6],
        chance: true,
        secrets: true,
        simultaneous: true,
    }
}

/// The settings of a simultaneous game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RushOptions<R: Default> {
    /// The rules of the game.
    pub rules: R,
    /// The launch model, which stands for the hands of the players.
    pub model: Throwing,
}

/// The rules that may differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "{M}Rules")
)]
#[serde(deny_unknown_fields, default)]
pub struct RushRules<M: Mode> {
    #[serde(skip)]
    mode: PhantomData<fn() -> M>,
    /// How many cells a tray has on a side.
    pub size: TraySize,
    /// What becomes of a token that comes down on a tray but in no cell.
    pub rim: EdgeRule,
    /// At this tick a round ends without a line.
    pub max_ticks: BoundedInt<1, 1_000_000>,
    /// After so many rounds without a winner the match is a draw.
    pub max_rounds: BoundedInt<1, 1_000_000>,
    /// Whether the holder of a team's launcher may wait, which the rulebook forbids. With two seats
    /// everybody may.
    pub team_wait: bool,
}

impl<M: Mode> Default for RushRules<M> {
    fn default() -> Self {
        RushRules {
            mode: PhantomData,
            size: TraySize::new(5),
            rim: EdgeRule::Remove,
            max_ticks: BoundedInt::new(2000),
            max_rounds: M::ROUNDS,
            team_wait: false,
        }
    }
}

/// Returns the presets of a simultaneous game. Rounds are short, since a match of the default is long.
pub(super) fn presets<M: Mode>() -> Vec<(&'static str, RushOptions<RushRules<M>>)> {
    let rules = |size, rim, ticks, rounds, team_wait| RushRules {
        mode: PhantomData,
        size: BoundedInt::new(size),
        rim,
        max_ticks: BoundedInt::new(ticks),
        max_rounds: BoundedInt::new(rounds),
        team_wait,
    };
    let sure = Throwing {
        fumble_bottom: Decimal::new(0.0),
        fumble_top: Decimal::new(0.0),
        across: Decimal::new(0.3),
        along: Decimal::new(0.3),
        along_per_row: Decimal::new(0.0),
        flight_spread: BoundedInt::new(0),
        reload_spread: BoundedInt::new(0),
        reaction_spread: BoundedInt::new(0),
        ..Throwing::default()
    };
    // Claims take long and many tokens are in the air, so claims meet and are void.
    let crowded = Throwing {
        flight: BoundedInt::new(6),
        flight_spread: BoundedInt::new(5),
        reload: BoundedInt::new(1),
        reload_spread: BoundedInt::new(0),
        reaction: BoundedInt::new(8),
        reaction_spread: BoundedInt::new(7),
        pick_up: BoundedInt::new(1),
        hand_over: BoundedInt::new(0),
        ..Throwing::default()
    };
    let clumsy = Throwing {
        fumble_bottom: Decimal::new(0.5),
        fall: Decimal::new(1.0),
        wall: Decimal::new(0.4),
        rim_share: Decimal::new(1.0),
        flight: BoundedInt::new(2),
        reload: BoundedInt::new(3),
        pick_up: BoundedInt::new(20),
        ..Throwing::default()
    };
    let preset = |name, rules, model| (name, RushOptions { rules, model });
    vec![
        preset("sure", rules(4, EdgeRule::Remove, 60, 2, false), sure),
        preset("crowded", rules(4, EdgeRule::Leave, 40, 3, true), crowded),
        preset("clumsy", rules(6, EdgeRule::Leave, 30, 2, false), clumsy),
        preset(
            "one-tick",
            rules(5, EdgeRule::Remove, 1, 1, true),
            Throwing::default(),
        ),
    ]
}

/// Returns options for short matches.
pub(super) fn brief<M: Mode>() -> RushOptions<RushRules<M>> {
    RushOptions {
        rules: RushRules {
            max_ticks: BoundedInt::new(60),
            max_rounds: BoundedInt::new(1),
            ..RushRules::default()
        },
        model: Throwing::default(),
    }
}
