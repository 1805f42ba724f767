//! How a match ends for a bot, and what it leaves behind.

use std::time::Duration;

use flipside_games::words::counted;
use flipside_referee::OVER_ALLOWANCE;
use flipside_sandbox::{Kind, ProcessEnd, STDERR_TAIL};

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
    let (mut talk, mut walk, seat) = context.first_turn()?;
    play_turns(&mut talk, &mut walk, seat, TURNS)?;
    let taken = talk.tell(&over_line(&*walk.table), OVER_ALLOWANCE);
    Ok((talk, walk, taken))
}

pub(super) fn over_is_not_answered(context: &mut CheckContext) -> StepResult {
    let (mut talk, _, _) = until_over(context)?;
    talk.pause(LISTEN);
    if talk.unread().is_none() {
        return Ok(talk.ok("it says nothing to over"));
    }
    let advice = "over wants no answer: exit, or wait for the next hello";
    // Before the next match, it would be an answer that nobody asked for.
    Ok(match talk.ready.reuse {
        true => talk.failed("unasked: it answers over").advise(advice),
        false => talk.warning("it answers over").advise(advice),
    })
}

pub(super) fn several_in_a_pipe(context: &mut CheckContext) -> StepResult {
    // `over` is not answered, so the next `hello` may stand in the pipe together with it.
    let (mut talk, walk, _) = context.first_turn()?;
    if !talk.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = context.game()?;
    let over = over_line(&*walk.table);
    let hello = context.hello(game.info().id, &walk.options, 0, walk.seats);
    Ok(match by_the_bot(talk.greet(&format!("{over}\n{hello}")))? {
        Ok(()) => talk.ok("it reads two lines that come at once"),
        Err(outcome) => outcome
            .about("over and the next hello at once")
            .advise("keep what was read after the first newline for the next line"),
    })
}

pub(super) fn exits_after_over(context: &mut CheckContext) -> StepResult {
    let (talk, _, taken) = until_over(context)?;
    if !taken && talk.bot().kind() == Kind::Process {
        return Ok(talk
            .warning("it ended before it had read over")
            .advise("read lines until the input ends"));
    }
    Ok(ended(talk, OVER_ALLOWANCE))
}

pub(super) fn exits_when_input_ends(context: &mut CheckContext) -> StepResult {
    let (mut talk, mut walk, seat) = context.first_turn()?;
    talk.turn(&mut *walk.table, seat)?;
    Ok(ended(talk, CUT_OFF_GRACE))
}

/// Ends the input of a bot, and tells how it ends.
fn ended(mut talk: Conversation, grace: Duration) -> CheckOutcome {
    let finished = talk.finish(grace);
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
        said: std::mem::take(&mut talk.said),
        stderr: last_lines(&finished.stderr_tail),
        ..outcome
    }
}

pub(super) fn stderr(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        context.in_a_walk(game, 5, |talk, walk, seat| {
            let turns = play_turns(talk, walk, seat, 2 * TURNS)?.len();
            talk.pause(STDERR_WAIT);
            let text = talk.bot().stderr_tail();
            let found = format!("{} bytes in {}", text.len(), counted(turns as u64, "turn"));
            Ok(match text.len() > MUCH_STDERR {
                true => talk
                    .warning(format!("much on standard error: {found}"))
                    .advise(format!("write less: the last {STDERR_TAIL} bytes are kept")),
                false => CheckOutcome {
                    stderr: String::new(),
                    ..talk.ok(found)
                },
            })
        })
    })
}

pub(super) fn reuse(context: &mut CheckContext) -> StepResult {
    let (mut talk, walk, _) = until_over(context)?;
    if !talk.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = context.game()?;
    let again = |talk: &mut Conversation| -> StepResult<()> {
        let (mut walk, seat) = RandomPlayout::of(game, 6)?;
        talk.greet(&context.hello(game.info().id, &walk.options, seat, walk.seats))?;
        play_turns(talk, &mut walk, seat, TURNS)?;
        Ok(())
    };
    for _ in 0..MATCHES {
        if let Err(outcome) = by_the_bot(again(&mut talk))? {
            return Ok(outcome.about("a match after another").advise(BEGIN_ANEW));
        }
        if !talk.tell(&over_line(&*walk.table), PATIENCE) {
            return Ok(talk.failed("it ended though it wants to play again"));
        }
    }
    let found = talk.ok("it plays match after match");
    // It plays one game after another in the same process, too.
    Ok(context.found_in_reuse().unwrap_or(found))
}
