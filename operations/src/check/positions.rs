//! How a bot answers in positions that are rare but legal. It is asked there first, without what came before: each turn
//! shows everything.

use flipside_games::words::counted;
use flipside_games::{AnyGame, Seat};

use crate::check::context::CheckContext;
use crate::check::conversation::StepResult;
use crate::check::edge_positions::{EdgePosition, EdgePositions, RareFeature};
use crate::check::outcome::{CheckOutcome, CheckStatus};

/// Asks in one position of every game. What it does wrong there breaks a rule only where a match can begin so: at board
/// games, by an opening.
pub(super) fn rare(context: &mut CheckContext, rare: RareFeature) -> StepResult {
    let positions = context.positions();
    context.each_game(|context, game| {
        let Some(position) = of(&positions, game).and_then(|positions| positions.kept.get(&rare))
        else {
            let what = match rare {
                RareFeature::MostActions | RareFeature::Longest | RareFeature::Late => "question",
                RareFeature::Forced => "forced move",
                RareFeature::Last => "end",
                RareFeature::Opening => "opening",
                RareFeature::Full => "larger table",
            };
            return Ok(CheckOutcome::skipped(format!("no {what} in random play")));
        };
        let outcome = ask(context, game, position, position.seen.seat)?;
        Ok(match outcome.status {
            CheckStatus::Ok => CheckOutcome {
                found: told(rare, position),
                ..outcome
            },
            _ => judged(game, outcome).about(&told(rare, position)),
        })
    })
}

/// What was found at this game.
fn of<'a>(positions: &'a [EdgePositions], game: &dyn AnyGame) -> Option<&'a EdgePositions> {
    let mut positions = positions.iter();
    positions.find(|positions| positions.game.info().id == game.info().id)
}

/// What is rare about a position, in words.
fn told(rare: RareFeature, position: &EdgePosition) -> String {
    let seen = position.seen;
    let plies = counted(seen.plies, "ply");
    match rare {
        RareFeature::MostActions => format!("{} actions", seen.actions),
        RareFeature::Forced => format!("one action after {plies}"),
        RareFeature::Longest => format!("a line of {} bytes", seen.bytes),
        RareFeature::Last => format!("the last move, after {plies}"),
        RareFeature::Opening => format!("an opening of {} plies", seen.plies),
        RareFeature::Late => format!("after {plies}"),
        RareFeature::Full => format!("seat {} of {}", seen.seat, position.seats),
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

fn ask(
    context: &mut CheckContext,
    game: &'static dyn AnyGame,
    position: &EdgePosition,
    seat: Seat,
) -> StepResult {
    context.in_a_match(
        game,
        &position.options,
        seat,
        position.seats,
        |conversation| {
            if position.seen.plies > 0 {
                let missed = format!("[{{\"missed\":{}}}]", position.seen.plies);
                conversation.events = missed.into_bytes();
            }
            conversation.turn(&mut *position.table.copy(), seat)?;
            Ok(conversation.ok(""))
        },
    )
}

pub(super) fn asked_together(context: &mut CheckContext) -> StepResult {
    let positions = context.positions();
    context.each_game(|context, game| {
        let together = of(&positions, game).and_then(|positions| positions.together.as_ref());
        let Some((asked, position)) = together else {
            return Ok(CheckOutcome::skipped("seats move one by one"));
        };
        for seat in *asked {
            let outcome = ask(context, game, position, seat)?;
            if outcome.status > CheckStatus::Ok {
                return Ok(judged(game, outcome).about(&format!("seat {seat}")));
            }
        }
        Ok(CheckOutcome::ok(format!("{} seats at once", asked.len())))
    })
}
