//! The two simultaneous games: what distinguishes them, and their settings.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::model::Throwing;
use super::super::trays::Size;
use super::super::view::{Reason, Rim};
use crate::{Described, Info, Later, Whole};

/// What distinguishes the simultaneous games.
pub trait Mode: Clone + Debug + Send + 'static {
    /// The rules that may differ.
    type Rules: Ruled;
    /// The facts of the game.
    const INFO: Info;
    /// The points that win a match.
    const TARGET: u8;
    /// What a line in the top tray counts; one in the bottom tray counts 1.
    const TOP: u8;
    /// The name of the rule by which a match is won.
    const WON_BY: Reason;
}

/// Rules as a match has them.
pub trait Ruled:
    Clone + Default + Debug + Send + Serialize + DeserializeOwned + Described + 'static
{
    /// Rules with these values.
    fn with(values: Values) -> Self;
    /// Its values.
    fn values(&self) -> Values;
}

/// The rules that may differ, whatever the mode.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// How many cells a tray has on a side.
    pub size: Size,
    /// What becomes of a token that comes down on a tray but in no cell.
    pub rim: Rim,
    /// At this tick a round ends without a line.
    pub max_ticks: Whole<1, 1_000_000>,
    /// After so many rounds without a winner the match is a draw.
    pub max_rounds: Whole<1, 1_000_000>,
    /// Whether a member of a team may wait.
    pub team_wait: bool,
}

/// The options that were added when records without them had been written.
pub(super) const LATER: &[Later] = &[Later {
    name: "rules.team_wait",
    before: true,
}];

/// The settings of a simultaneous game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options<R: Default> {
    /// The rules of the game.
    pub rules: R,
    /// The launch model, which stands for the hands of the players.
    pub model: Throwing,
}

/// Makes a mode and its rules.
macro_rules! mode {
    (
        $(#[$about:meta])* $name:ident, $rules:ident, $id:literal, $title:literal, $summary:literal,
        target $target:literal, top $top:literal, $won_by:ident, rounds $rounds:literal
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        /// The rules that may differ.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct $rules {
            /// How many cells a tray has on a side.
            pub size: Size,
            /// What becomes of a token that comes down on a tray but in no cell.
            pub rim: Rim,
            /// At this tick a round ends without a line.
            pub max_ticks: Whole<1, 1_000_000>,
            /// After so many rounds without a winner the match is a draw.
            pub max_rounds: Whole<1, 1_000_000>,
            /// Whether the holder of a team's launcher may wait, which the rulebook forbids. With two seats
            /// everybody may.
            pub team_wait: bool,
        }

        impl Default for $rules {
            fn default() -> Self {
                $rules {
                    size: Size::new(5),
                    rim: Rim::Remove,
                    max_ticks: Whole::new(2000),
                    max_rounds: Whole::new($rounds),
                    team_wait: false,
                }
            }
        }

        impl Ruled for $rules {
            fn with(values: Values) -> Self {
                let Values { size, rim, max_ticks, max_rounds, team_wait } = values;
                $rules { size, rim, max_ticks, max_rounds, team_wait }
            }

            fn values(&self) -> Values {
                let &$rules { size, rim, max_ticks, max_rounds, team_wait } = self;
                Values { size, rim, max_ticks, max_rounds, team_wait }
            }
        }

        impl Mode for $name {
            type Rules = $rules;
            const INFO: Info = Info {
                id: $id,
                title: $title,
                summary: $summary,
                seats: &[2, 4, 6],
                chance: true,
                secrets: true,
                simultaneous: true,
            };
            const TARGET: u8 = $target;
            const TOP: u8 = $top;
            const WON_BY: Reason = Reason::$won_by;
        }
    };
}

mode! {
    /// Game 1: the first line wins.
    Basic, BasicRules, "puissance4-basic", "Puissance 4 Flip, basic",
    "Flick tokens at two trays, all at once; the first four in a line win",
    target 1, top 1, Line, rounds 20
}

mode! {
    /// Game 2: lines score, over rounds.
    Championship, ChampionshipRules, "puissance4-championship", "Puissance 4 Flip, championship",
    "Flick tokens at two trays, all at once; four in a line score, first to five points",
    target 5, top 2, Points, rounds 50
}
