//! How a bot answers in positions that are rare but legal. It is asked there first, without what came before: each turn
//! shows everything.

use flipside_games::AnyGame;
use flipside_tournament::report::words::counted;

use crate::check::CheckOutcome;
use crate::check::lab::{Lab, worst};
use crate::check::spots::{Spot, Spots};
use crate::check::talk::{Found, Stop};

/// Asks in one position of every game. What it does wrong there breaks a rule only where a match can begin so: at board
/// games, by an opening.
fn in_each(
    lab: &mut Lab,
    what: &str,
    pick: fn(&Spots) -> Option<&Spot>,
    tell: fn(&Spot) -> String,
) -> Found {
    let spots = lab.spots();
    let mut outcomes = Vec::new();
    for spots in spots.iter() {
        let id = spots.game.info().id;
        let outcome = match pick(spots) {
            _ if lab.step_is_up() => CheckOutcome::out_of_time(),
            None => CheckOutcome::skipped(format!("no {what} in random play")),
            Some(spot) => match ask(lab, spots.game, spot) {
                Ok(outcome) => CheckOutcome {
                    found: tell(spot),
                    ..outcome
                },
                Err(Stop::Bot(outcome)) => judged(spots.game, *outcome).about(&tell(spot)),
                Err(host) => return Err(host),
            },
        };
        outcomes.push(outcome.about(id));
    }
    Ok(worst(outcomes))
}

fn plies(spot: &Spot) -> String {
    counted(spot.plies.into(), "ply")
}

fn judged(game: &dyn AnyGame, outcome: CheckOutcome) -> CheckOutcome {
    let info = game.info();
    if info.chance || info.secrets || info.simultaneous {
        return CheckOutcome {
            advice: Some(
                "each turn shows all that the seat may know; a bot that counts on earlier turns should check that they came"
                    .into(),
            ),
            ..outcome.at_most_a_warning()
        };
    }
    outcome
}

fn ask(lab: &Lab, game: &dyn AnyGame, spot: &Spot) -> Found {
    let mut talk = lab.ready(game, &spot.options, spot.seat, spot.seats)?;
    let mut table = spot.table.copy();
    talk.turn(&mut *table, spot.seat)?;
    Ok(talk.ok(""))
}

pub(super) fn most_actions(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "question",
        |spots| spots.most_actions.as_ref(),
        |spot| format!("{} actions", spot.actions),
    )
}

pub(super) fn forced_move(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "forced move",
        |spots| spots.forced.as_ref(),
        |spot| format!("one action after {}", plies(spot)),
    )
}

pub(super) fn longest_turn(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "question",
        |spots| spots.longest.as_ref(),
        |spot| format!("a line of {} bytes", spot.bytes),
    )
}

pub(super) fn last_move(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "end",
        |spots| spots.last.as_ref(),
        |spot| format!("the last move, after {}", plies(spot)),
    )
}

pub(super) fn late_position(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "question",
        |spots| spots.late.as_ref(),
        |spot| format!("after {}", plies(spot)),
    )
}

pub(super) fn after_an_opening(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "opening",
        |spots| spots.opening.as_ref(),
        |spot| format!("an opening of {} plies", spot.plies),
    )
}

pub(super) fn full_table(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "larger table",
        |spots| spots.full.as_ref(),
        |spot| format!("seat {} of {}", spot.seat, spot.seats),
    )
}

pub(super) fn asked_together(lab: &mut Lab) -> Found {
    let spots = lab.spots();
    let mut outcomes = Vec::new();
    for spots in spots.iter() {
        let id = spots.game.info().id;
        let Some((asked, spot)) = &spots.together else {
            outcomes.push(CheckOutcome::skipped("seats move one by one").about(id));
            continue;
        };
        for seat in *asked {
            let spot = Spot {
                seat,
                ..spot.copy()
            };
            match ask(lab, spots.game, &spot) {
                Ok(_) => {}
                Err(Stop::Bot(outcome)) => {
                    outcomes
                        .push(judged(spots.game, *outcome).about(&format!("{id}, seat {seat}")));
                }
                Err(host) => return Err(host),
            }
        }
        let found = format!("{} seats at once", asked.len());
        outcomes.push(CheckOutcome::ok(found).about(id));
    }
    Ok(worst(outcomes))
}
