//! How a match ends for a bot, and what it leaves behind.

use std::time::Duration;

use flipside_games::words::counted;
use flipside_referee::OVER_ALLOWANCE;
use flipside_sandbox::{ProcessEnd, ProgramKind, STDERR_TAIL};

use crate::check::context::{BEGIN_ANEW, CheckContext, LISTEN};
use crate::check::conversation::{
    Conversation, PATIENCE, StepResult, by_the_bot, last_lines, over_line,
};
use crate::check::outcome::CheckOutcome;
use crate::check::playout::{RandomPlayout, play_turns};

/// The time that a bot has to exit when its input ends while a match runs.
const CUT_OFF_GRACE: Duration = Duration::from_secs(1);

/// How many turns are played before the end.
const TURNS: usize = 3;

/// How many matches are played after the first.
const MATCHES: usize = 3;

/// How long what is written to the error stream may take to come.
const STDERR_WAIT: Duration = Duration::from_millis(50);

/// How much a bot may write to its standard error in some turns before it is worth a word, in bytes.
const MUCH_STDERR: usize = STDERR_TAIL / 2;

/// A bot that has played some turns, and was told that the match is over.
fn until_over(context: &CheckContext) -> StepResult<(Conversation, RandomPlayout, bool)> {
    let (mut conversation, mut playout, seat) = context.first_turn()?;
    play_turns(&mut conversation, &mut playout, seat, TURNS)?;
    let taken = conversation.tell(&over_line(&*playout.table), OVER_ALLOWANCE);
    Ok((conversation, playout, taken))
}

pub(super) fn over_is_not_answered(context: &mut CheckContext) -> StepResult {
    let (mut conversation, _, _) = until_over(context)?;
    conversation.pause(LISTEN);
    if conversation.unread().is_none() {
        return Ok(conversation.ok("it says nothing to over"));
    }
    let advice = "over wants no answer: exit, or wait for the next hello";
    // Before the next match, it would be an answer that nobody asked for.
    Ok(match conversation.ready.reuse {
        true => conversation
            .failed("unasked: it answers over")
            .advise(advice),
        false => conversation.warning("it answers over").advise(advice),
    })
}

pub(super) fn several_in_a_pipe(context: &mut CheckContext) -> StepResult {
    // `over` is not answered, so the next `hello` may stand in the pipe together with it.
    let (mut conversation, playout, _) = context.first_turn()?;
    if !conversation.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = context.game()?;
    let over = over_line(&*playout.table);
    let hello = context.hello(game.info().id, &playout.options, 0, playout.seats);
    Ok(
        match by_the_bot(conversation.greet(&format!("{over}\n{hello}")))? {
            Ok(()) => conversation.ok("it reads two lines that come at once"),
            Err(outcome) => outcome
                .about("over and the next hello at once")
                .advise("keep what was read after the first newline for the next line"),
        },
    )
}

pub(super) fn exits_after_over(context: &mut CheckContext) -> StepResult {
    let (conversation, _, taken) = until_over(context)?;
    if !taken && conversation.bot().kind() == ProgramKind::Process {
        return Ok(conversation
            .warning("it ended before it had read over")
            .advise("read lines until the input ends"));
    }
    Ok(ended(conversation, OVER_ALLOWANCE))
}

pub(super) fn exits_when_input_ends(context: &mut CheckContext) -> StepResult {
    let (mut conversation, mut playout, seat) = context.first_turn()?;
    conversation.turn(&mut *playout.table, seat)?;
    Ok(ended(conversation, CUT_OFF_GRACE))
}

/// Ends the input of a bot, and tells how it ends.
fn ended(mut conversation: Conversation, grace: Duration) -> CheckOutcome {
    let finished = conversation.finish(grace);
    let outcome = match &finished.ended {
        ProcessEnd::Exited(0) => CheckOutcome::ok("it exits with code 0"),
        ProcessEnd::Killed => {
            let found = format!(
                "it did not exit within {} ms, and was killed",
                grace.as_millis()
            );
            CheckOutcome::warning(found)
                .advise("leave the loop when a read finds the end of the input")
        }
        other => CheckOutcome::warning(format!("it {other}"))
            .advise("exit with code 0 when the input ends; its standard error may say more"),
    };
    CheckOutcome {
        said: std::mem::take(&mut conversation.said),
        stderr: last_lines(&finished.stderr_tail),
        ..outcome
    }
}

pub(super) fn stderr(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        context.in_a_walk(game, 5, |conversation, playout, seat| {
            let turns = play_turns(conversation, playout, seat, 2 * TURNS)?.len();
            conversation.pause(STDERR_WAIT);
            let text = conversation.bot().stderr_tail();
            let found = format!("{} bytes in {}", text.len(), counted(turns as u64, "turn"));
            Ok(match text.len() > MUCH_STDERR {
                true => conversation
                    .warning(format!("much on standard error: {found}"))
                    .advise(format!("write less: the last {STDERR_TAIL} bytes are kept")),
                false => CheckOutcome {
                    stderr: String::new(),
                    ..conversation.ok(found)
                },
            })
        })
    })
}

pub(super) fn reuse(context: &mut CheckContext) -> StepResult {
    let (mut conversation, playout, _) = until_over(context)?;
    if !conversation.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = context.game()?;
    let again = |conversation: &mut Conversation| -> StepResult<()> {
        let (mut playout, seat) = RandomPlayout::of(game, 6)?;
        conversation.greet(&context.hello(
            game.info().id,
            &playout.options,
            seat,
            playout.seats,
        ))?;
        play_turns(conversation, &mut playout, seat, TURNS)?;
        Ok(())
    };
    for _ in 0..MATCHES {
        if let Err(outcome) = by_the_bot(again(&mut conversation))? {
            return Ok(outcome.about("a match after another").advise(BEGIN_ANEW));
        }
        if !conversation.tell(&over_line(&*playout.table), PATIENCE) {
            return Ok(conversation.failed("it ended though it wants to play again"));
        }
    }
    let found = conversation.ok("it plays match after match");
    // It plays one game after another in the same process, too.
    Ok(context.found_in_reuse().unwrap_or(found))
}
