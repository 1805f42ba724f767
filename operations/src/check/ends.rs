//! How a match ends for a bot, and what it leaves behind.

use std::time::Duration;

use flipside_games::{Table, Viewer};
use flipside_protocol::{FromReferee, Over};
use flipside_referee::OVER_ALLOWANCE;
use flipside_sandbox::{Ended, Finished, Kind, STDERR_TAIL};
use flipside_tournament::report::words::counted;
use serde_json::value::RawValue;

use crate::check::CheckOutcome;
use crate::check::lab::{LISTEN, Lab, Walk, play_turns};
use crate::check::talk::{Found, PATIENCE, Stop, Talk, last_lines};

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

/// The line that ends a match, as if it were decided at this table.
pub(super) fn over_line(table: &dyn Table) -> String {
    let seats = table.seats();
    let mut view = Vec::new();
    table.write_view(Viewer::Open, &mut view);
    let view = String::from_utf8(view).expect("JSON is text");
    let over = FromReferee::Over(Over {
        points: vec![0; seats.into()],
        places: vec![1; seats.into()],
        reason: "fault".into(),
        view: RawValue::from_string(view).expect("a view is JSON"),
    });
    serde_json::to_string(&over).expect("a message is JSON")
}

/// A bot that has played some turns, and was told that the match is over.
fn until_over(lab: &Lab) -> Found<(Talk, Walk, bool)> {
    let (mut talk, mut walk) = lab.first_turn()?;
    let seat = walk.next().expect("it was asked");
    play_turns(&mut talk, &mut walk, seat, TURNS)?;
    let taken = talk.tell(&over_line(&*walk.table), OVER_ALLOWANCE);
    Ok((talk, walk, taken))
}

pub(super) fn over_is_not_answered(lab: &mut Lab) -> Found {
    let (mut talk, _, _) = until_over(lab)?;
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

pub(super) fn several_in_a_pipe(lab: &mut Lab) -> Found {
    // `over` is not answered, so the next `hello` may stand in the pipe together with it.
    let (mut talk, walk) = lab.first_turn()?;
    if !talk.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = lab.game()?;
    let over = over_line(&*walk.table);
    let hello = lab.hello(game.info().id, &walk.options, 0, walk.seats);
    Ok(match talk.greet(&format!("{over}\n{hello}")) {
        Ok(()) => talk.ok("it reads two lines that come at once"),
        Err(Stop::Bot(outcome)) => outcome
            .about("over and the next hello at once")
            .advise("keep what was read after the first newline for the next line"),
        Err(host) => return Err(host),
    })
}

pub(super) fn exits_after_over(lab: &mut Lab) -> Found {
    let (mut talk, _, taken) = until_over(lab)?;
    if !taken && talk.bot().kind() == Kind::Process {
        return Ok(talk
            .warning("it ended before it had read over")
            .advise("read lines until the input ends"));
    }
    let said = talk.said();
    Ok(CheckOutcome {
        said,
        ..ended(&talk.finish(OVER_ALLOWANCE), OVER_ALLOWANCE)
    })
}

pub(super) fn exits_when_input_ends(lab: &mut Lab) -> Found {
    let (mut talk, mut walk) = lab.first_turn()?;
    let seat = walk.next().expect("it was asked");
    talk.turn(&mut *walk.table, seat)?;
    let said = talk.said();
    Ok(CheckOutcome {
        said,
        ..ended(&talk.finish(CUT_OFF_GRACE), CUT_OFF_GRACE)
    })
}

fn ended(finished: &Finished, grace: Duration) -> CheckOutcome {
    let outcome = match &finished.ended {
        Ended::Exited(0) => CheckOutcome::ok("it exits with code 0"),
        Ended::Killed => {
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
        stderr: last_lines(&finished.stderr_tail),
        ..outcome
    }
}

pub(super) fn stderr(lab: &mut Lab) -> Found {
    lab.each_game(|lab, game| {
        lab.in_a_walk(game, 5, |talk, walk, seat| {
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

pub(super) fn reuse(lab: &mut Lab) -> Found {
    let (mut talk, walk, _) = until_over(lab)?;
    if !talk.ready.reuse {
        return Ok(CheckOutcome::skipped("it plays one match only"));
    }
    let game = lab.game()?;
    let again = |talk: &mut Talk| -> Found<()> {
        let mut walk = Walk::of(game, 6)?;
        let seat = walk.next().expect("a match begins with a question");
        talk.greet(&lab.hello(game.info().id, &walk.options.clone(), seat, walk.seats))?;
        play_turns(talk, &mut walk, seat, TURNS)?;
        Ok(())
    };
    for _ in 0..MATCHES {
        match again(&mut talk) {
            Ok(()) => {}
            Err(Stop::Bot(outcome)) => {
                return Ok(outcome
                    .about("a match after another")
                    .advise("begin anew at each hello, or leave out \"reuse\":true in ready"));
            }
            Err(host) => return Err(host),
        }
        if !talk.tell(&over_line(&*walk.table), PATIENCE) {
            return Ok(talk.failed("it ended though it wants to play again"));
        }
    }
    let found = talk.ok("it plays match after match");
    // It plays one game after another in the same process, too.
    Ok(lab.found_in_reuse().unwrap_or(found))
}
