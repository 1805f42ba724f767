//! How a bot answers in positions that are rare but legal. It is asked there first, without what came before: each turn
//! shows everything.

use flipside_games::words::counted;
use flipside_games::{AnyGame, Seat};

use crate::check::lab::Lab;
use crate::check::spots::{Rare, Spot, Spots};
use crate::check::talk::Found;
use crate::check::{CheckOutcome, CheckStatus};

/// Asks in one position of every game. What it does wrong there breaks a rule only where a match can begin so: at board
/// games, by an opening.
pub(super) fn rare(lab: &mut Lab, rare: Rare) -> Found {
    let spots = lab.spots();
    lab.each_game(|lab, game| {
        let Some(spot) = of(&spots, game).and_then(|spots| spots.kept.get(&rare)) else {
            let what = match rare {
                Rare::MostActions | Rare::Longest | Rare::Late => "question",
                Rare::Forced => "forced move",
                Rare::Last => "end",
                Rare::Opening => "opening",
                Rare::Full => "larger table",
            };
            return Ok(CheckOutcome::skipped(format!("no {what} in random play")));
        };
        let outcome = ask(lab, game, spot, spot.seen.seat)?;
        Ok(match outcome.status {
            CheckStatus::Ok => CheckOutcome {
                found: told(rare, spot),
                ..outcome
            },
            _ => judged(game, outcome).about(&told(rare, spot)),
        })
    })
}

/// What was found at this game.
fn of<'a>(spots: &'a [Spots], game: &dyn AnyGame) -> Option<&'a Spots> {
    let mut spots = spots.iter();
    spots.find(|spots| spots.game.info().id == game.info().id)
}

/// What is rare about a position, in words.
fn told(rare: Rare, spot: &Spot) -> String {
    let seen = spot.seen;
    let plies = counted(seen.plies, "ply");
    match rare {
        Rare::MostActions => format!("{} actions", seen.actions),
        Rare::Forced => format!("one action after {plies}"),
        Rare::Longest => format!("a line of {} bytes", seen.bytes),
        Rare::Last => format!("the last move, after {plies}"),
        Rare::Opening => format!("an opening of {} plies", seen.plies),
        Rare::Late => format!("after {plies}"),
        Rare::Full => format!("seat {} of {}", seen.seat, spot.seats),
    }
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
