//! Options that deserve a test of their own.

use super::extra_pro;
use super::model::{Aiming, Throwing};
use super::rush::{Options, Ruled, Values};
use super::view::Rim;
use crate::{Decimal, Whole};

/// Presets of a simultaneous game. Rounds are short: a match of the default is long enough.
pub(super) fn rush<R: Ruled>() -> Vec<(&'static str, Options<R>)> {
    let rules = |size, rim, ticks, rounds, team_wait| {
        R::with(Values {
            size: Whole::new(size),
            rim,
            max_ticks: Whole::new(ticks),
            max_rounds: Whole::new(rounds),
            team_wait,
        })
    };
    let sure = Throwing {
        fumble_bottom: Decimal::new(0.0),
        fumble_top: Decimal::new(0.0),
        across: Decimal::new(0.3),
        along: Decimal::new(0.3),
        along_per_row: Decimal::new(0.0),
        flight_spread: Whole::new(0),
        reload_spread: Whole::new(0),
        reaction_spread: Whole::new(0),
        ..Throwing::default()
    };
    // Lines take long to be claimed and much is in the air: claims meet, and are void.
    let crowded = Throwing {
        flight: Whole::new(6),
        flight_spread: Whole::new(5),
        reload: Whole::new(1),
        reload_spread: Whole::new(0),
        reaction: Whole::new(8),
        reaction_spread: Whole::new(7),
        pick_up: Whole::new(1),
        hand_over: Whole::new(0),
        ..Throwing::default()
    };
    let clumsy = Throwing {
        fumble_bottom: Decimal::new(0.5),
        fall: Decimal::new(1.0),
        wall: Decimal::new(0.4),
        rim_share: Decimal::new(1.0),
        flight: Whole::new(2),
        reload: Whole::new(3),
        pick_up: Whole::new(20),
        ..Throwing::default()
    };
    vec![
        (
            "sure",
            Options {
                rules: rules(4, Rim::Remove, 60, 2, false),
                model: sure,
            },
        ),
        (
            "crowded",
            Options {
                rules: rules(4, Rim::Leave, 40, 3, true),
                model: crowded,
            },
        ),
        (
            "clumsy",
            Options {
                rules: rules(6, Rim::Leave, 30, 2, false),
                model: clumsy,
            },
        ),
        (
            "one-tick",
            Options {
                rules: rules(5, Rim::Remove, 1, 1, true),
                model: Throwing::default(),
            },
        ),
    ]
}

/// Options of the simultaneous games with which a match is soon over.
pub(super) fn brief_rush<R: Ruled>() -> Options<R> {
    Options {
        rules: R::with(Values {
            max_ticks: Whole::new(60),
            max_rounds: Whole::new(1),
            ..R::default().values()
        }),
        model: Throwing::default(),
    }
}

/// Options of extra pro with which a match is soon over.
pub(super) fn brief_extra_pro() -> extra_pro::Options {
    let mut options = extra_pro::Options::default();
    options.rules.max_rounds = Whole::new(1);
    options
}

/// Presets of extra pro.
pub(super) fn extra_pro() -> Vec<(&'static str, extra_pro::Options)> {
    let rules = |size, rim, powers, rounds, lines_first| extra_pro::Rules {
        size: Whole::new(size),
        rim,
        powers_each: Whole::new(powers),
        lines_first,
        max_rounds: Whole::new(rounds),
    };
    let sure = Aiming {
        fumble_bottom: Decimal::new(0.0),
        fumble_top: Decimal::new(0.0),
        across: Decimal::new(0.0),
        along: Decimal::new(0.2),
        ..Aiming::default()
    };
    let clumsy = Aiming {
        fall: Decimal::new(1.0),
        wall: Decimal::new(0.5),
        ..Aiming::default()
    };
    vec![
        (
            "all-powers",
            extra_pro::Options {
                rules: rules(4, Rim::Remove, 5, 2, false),
                model: sure,
            },
        ),
        (
            "no-powers",
            extra_pro::Options {
                rules: rules(4, Rim::Leave, 0, 1, false),
                model: clumsy,
            },
        ),
        (
            "lines-first",
            extra_pro::Options {
                rules: rules(4, Rim::Leave, 5, 2, true),
                model: sure,
            },
        ),
        (
            "large",
            extra_pro::Options {
                rules: rules(6, Rim::Leave, 1, 1, false),
                model: Aiming::default(),
            },
        ),
    ]
}
