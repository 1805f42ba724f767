//! Named options that tests must cover.

use super::extra_pro;
use super::model::{Aiming, Throwing};
use super::rush::{Options, Ruled, Values};
use super::view::Rim;
use crate::{Decimal, Whole};

/// Returns the presets of a simultaneous game. Rounds are short, since a match of the default is long.
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
    // Claims take long and many tokens are in the air, so claims meet and are void.
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
    let preset = |name, rules, model| (name, Options { rules, model });
    vec![
        preset("sure", rules(4, Rim::Remove, 60, 2, false), sure),
        preset("crowded", rules(4, Rim::Leave, 40, 3, true), crowded),
        preset("clumsy", rules(6, Rim::Leave, 30, 2, false), clumsy),
        preset(
            "one-tick",
            rules(5, Rim::Remove, 1, 1, true),
            Throwing::default(),
        ),
    ]
}

/// Returns options for short matches of the simultaneous games.
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

/// Returns options for short matches of extra pro.
pub(super) fn brief_extra_pro() -> extra_pro::Options {
    let mut options = extra_pro::Options::default();
    options.rules.max_rounds = Whole::new(1);
    options
}

/// Returns the presets of extra pro.
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
    let preset = |name, rules, model| (name, extra_pro::Options { rules, model });
    vec![
        preset("all-powers", rules(4, Rim::Remove, 5, 2, false), sure),
        preset("no-powers", rules(4, Rim::Leave, 0, 1, false), clumsy),
        preset("lines-first", rules(4, Rim::Leave, 5, 2, true), sure),
        preset(
            "large",
            rules(6, Rim::Leave, 1, 1, false),
            Aiming::default(),
        ),
    ]
}
