//! Whether a bot plays the same match again.

use std::cell::RefCell;

use flipside_games::AnyGame;
use flipside_games::words::counted;
use flipside_sandbox::{Program, ProgramKind};

use crate::check::context::CheckContext;
use crate::check::conversation::{Conversation, PATIENCE, StepResult, by_the_bot, over_line};
use crate::check::outcome::CheckOutcome;
use crate::check::playout::{RandomPlayout, play_turns};

/// How many turns are compared at each game.
const TURNS: usize = 10;

/// The actions of a program in a match of this seed.
fn actions_of(
    context: &CheckContext,
    program: &Program,
    game: &'static dyn AnyGame,
    seed: u64,
) -> StepResult<Vec<String>> {
    let mut conversation = context.start_program(program)?;
    actions(context, &mut conversation, game, seed)
}

fn actions(
    context: &CheckContext,
    conversation: &mut Conversation,
    game: &'static dyn AnyGame,
    seed: u64,
) -> StepResult<Vec<String>> {
    let (mut playout, seat) = RandomPlayout::of(game, seed)?;
    conversation.greet(&context.hello(game.info().id, &playout.options, seat, playout.seats))?;
    let actions = play_turns(conversation, &mut playout, seat, TURNS)?;
    conversation.tell(&over_line(&*playout.table), PATIENCE);
    Ok(actions)
}

/// Where two lists differ: what stands there in both.
fn difference(one: &[String], other: &[String]) -> Option<String> {
    let shown =
        |action: Option<&String>| action.map_or_else(|| "nothing".into(), |it| format!("{it:?}"));
    (0..one.len().max(other.len())).find_map(|at| {
        let (one, other) = (one.get(at), other.get(at));
        (one != other).then(|| format!("question {}: {} and {}", at + 1, shown(one), shown(other)))
    })
}

pub(super) fn same_seed(context: &mut CheckContext) -> StepResult {
    // Two processes play all games if they may. Where these differ, two new ones decide.
    let pair: RefCell<[Option<Conversation>; 2]> = RefCell::default();
    context.each_game(|context, game| {
        let (mut pair, mut played) = (pair.borrow_mut(), Vec::new());
        for place in &mut *pair {
            let mut conversation = match place.take() {
                Some(conversation) => conversation,
                None => context.start()?,
            };
            let Ok(theirs) = actions(context, &mut conversation, game, 7) else {
                continue;
            };
            played.push(theirs);
            if conversation.ready.reuse && conversation.bot().kind() == ProgramKind::Process {
                *place = Some(conversation);
            }
        }
        let (one, other) = match &played[..] {
            [one, other] if difference(one, other).is_none() => (one.clone(), other.clone()),
            _ => (
                actions_of(context, &context.program, game, 7)?,
                actions_of(context, &context.program, game, 7)?,
            ),
        };
        Ok(match difference(&one, &other) {
            None => CheckOutcome::ok(counted(one.len() as u64, "turn")),
            Some(where_) => CheckOutcome::warning(format!("the same match goes otherwise: {where_}")).advise(
                "take all randomness from `seed` in hello, and count work instead of time: then a loss can be debugged",
            ),
        })
    })
}

pub(super) fn same_after_reuse(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        let mut conversation = context.start()?;
        let fresh = actions(context, &mut conversation, game, 8)?;
        if !conversation.ready.reuse {
            return Ok(CheckOutcome::skipped("it plays one match only"));
        }
        actions(context, &mut conversation, game, 9)?;
        let used = actions(context, &mut conversation, game, 8)?;
        let Some(where_) = difference(&fresh, &used) else {
            return Ok(CheckOutcome::ok(counted(fresh.len() as u64, "turn")));
        };
        if difference(&fresh, &actions_of(context, &context.program, game, 8)?).is_some() {
            return Ok(CheckOutcome::skipped("it never plays the same match again"));
        }
        Ok(conversation
            .warning(format!("an earlier match changes this one: {where_}"))
            .advise("reset everything at hello, the random generator too"))
    })
}

pub(super) fn also(context: &mut CheckContext) -> StepResult {
    let Some(also) = context.also.clone() else {
        return Ok(CheckOutcome::skipped(
            "--also FILE names another build of the bot",
        ));
    };
    context.each_game(|context, game| {
        let one = actions_of(context, &context.program, game, 10)?;
        let other = match by_the_bot(actions_of(context, &also, game, 10))? {
            Ok(other) => other,
            Err(outcome) => return Ok(outcome.about("the other build")),
        };
        Ok(match difference(&one, &other) {
            None => CheckOutcome::ok(counted(one.len() as u64, "turn")),
            Some(where_) => CheckOutcome::failed(format!("the two builds differ: {where_}"))
                .advise("seed both from `seed` in hello, and avoid what depends on the machine: time, addresses, the order of hash maps"),
        })
    })
}
