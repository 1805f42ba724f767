//! How a bot answers in positions that are rare but legal. It is asked there first, without what came before: each turn
//! shows everything.

use flipside_games::{AnyGame, Seat};
use flipside_tournament::report::words::counted;

use crate::check::lab::Lab;
use crate::check::spots::{Spot, Spots};
use crate::check::talk::Found;
use crate::check::{CheckOutcome, CheckStatus};

/// Asks in one position of every game. What it does wrong there breaks a rule only where a match can begin so: at board
/// games, by an opening.
fn in_each(
    lab: &mut Lab,
    what: &str,
    pick: fn(&Spots) -> Option<&Spot>,
    tell: fn(&Spot) -> String,
) -> Found {
    let spots = lab.spots();
    lab.each_game(|lab, game| {
        let Some(spot) = of(&spots, game).and_then(pick) else {
            return Ok(CheckOutcome::skipped(format!("no {what} in random play")));
        };
        let outcome = ask(lab, game, spot, spot.seen.seat)?;
        Ok(match outcome.status {
            CheckStatus::Ok => CheckOutcome {
                found: tell(spot),
                ..outcome
            },
            _ => judged(game, outcome).about(&tell(spot)),
        })
    })
}

/// What was found at this game.
fn of<'a>(spots: &'a [Spots], game: &dyn AnyGame) -> Option<&'a Spots> {
    let mut spots = spots.iter();
    spots.find(|spots| spots.game.info().id == game.info().id)
}

fn plies(spot: &Spot) -> String {
    counted(spot.seen.plies.into(), "ply")
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

fn ask(lab: &mut Lab, game: &'static dyn AnyGame, spot: &Spot, seat: Seat) -> Found {
    lab.in_a_match(game, &spot.options, seat, spot.seats, |talk| {
        if spot.seen.plies > 0 {
            let missed = format!("[{{\"missed\":{}}}]", spot.seen.plies);
            talk.events = missed.into_bytes();
        }
        talk.turn(&mut *spot.table.copy(), seat)?;
        Ok(talk.ok(""))
    })
}

pub(super) fn most_actions(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "question",
        |spots| spots.most_actions.as_ref(),
        |spot| format!("{} actions", spot.seen.actions),
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
        |spot| format!("a line of {} bytes", spot.seen.bytes),
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
        |spot| format!("an opening of {} plies", spot.seen.plies),
    )
}

pub(super) fn full_table(lab: &mut Lab) -> Found {
    in_each(
        lab,
        "larger table",
        |spots| spots.full.as_ref(),
        |spot| format!("seat {} of {}", spot.seen.seat, spot.seats),
    )
}

pub(super) fn asked_together(lab: &mut Lab) -> Found {
    let spots = lab.spots();
    lab.each_game(|lab, game| {
        let together = of(&spots, game).and_then(|spots| spots.together.as_ref());
        let Some((asked, spot)) = together else {
            return Ok(CheckOutcome::skipped("seats move one by one"));
        };
        for seat in *asked {
            let outcome = ask(lab, game, spot, seat)?;
            if outcome.status > CheckStatus::Ok {
                return Ok(judged(game, outcome).about(&format!("seat {seat}")));
            }
        }
        Ok(CheckOutcome::ok(format!("{} seats at once", asked.len())))
    })
}
