//! How a bot answers turns.

use flipside_games::words::counted;
use flipside_games::{Seat, Table};
use flipside_protocol::{FromBot, LONGEST_LINE, LONGEST_NOTE};

use crate::check::context::{CheckContext, LISTEN};
use crate::check::conversation::{
    Conversation, PATIENCE, SHOWN_CLOCK, StepResult, by_the_bot, with_unknown_field,
};
use crate::check::playout::play_turns;
use crate::check::start::tolerate;

/// How many turns are played where several are.
const TURNS: usize = 8;

/// After how many turns it is waited for what is not due.
const LISTENED: usize = 2;

/// An id that no match has reached when it comes.
const LATER_ID: u64 = 70_000;

/// Each game's first turn comes to a new process.
pub(super) fn first_turn(context: &mut CheckContext) -> StepResult {
    context.every_game(|context, game| {
        let (mut conversation, mut playout, seat) = context.first_turn_at(game)?;
        let action = conversation.turn(&mut *playout.table, seat)?;
        Ok(conversation.ok(action))
    })
}

pub(super) fn one_answer(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        for _ in 0..LISTENED {
            conversation.turn(table, seat)?;
            conversation.pause(LISTEN);
            if conversation.unread().is_some() {
                let outcome =
                    conversation.failed("unasked: it writes more than one line for a turn");
                return Ok(
                    outcome.advise("write one line for each turn, and logs to standard error")
                );
            }
        }
        Ok(conversation.ok("one line, and no more"))
    })
}

/// Lets the bot play where it is asked first at its first game.
fn at_its_first_turn(
    context: &mut CheckContext,
    part: impl Fn(&mut Conversation, &mut dyn Table, Seat) -> StepResult,
) -> StepResult {
    let game = context.game()?;
    context.in_a_walk(game, 1, |conversation, playout, seat| {
        part(conversation, &mut *playout.table, seat)
    })
}

pub(super) fn several_turns(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        context.in_a_walk(game, 2, |conversation, playout, seat| {
            let actions = play_turns(conversation, playout, seat, TURNS)?;
            Ok(conversation.ok(counted(actions.len() as u64, "turn")))
        })
    })
}

pub(super) fn ids_are_read(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        conversation.turn(table, seat)?;
        conversation.id = LATER_ID;
        Ok(match by_the_bot(conversation.turn(table, seat))? {
            Ok(_) => conversation.ok("it answers the id that it was asked"),
            Err(outcome) => outcome
                .at_most_a_warning()
                .about("a jump of the ids")
                .advise("copy the id of the turn into the act instead of counting"),
        })
    })
}

pub(super) fn turn_unknown_field(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        let line = with_unknown_field(&conversation.turn_line(table, seat, SHOWN_CLOCK));
        Ok(
            match by_the_bot(conversation.turn_as(&line, table, seat))? {
                Ok(_) => conversation.ok("it passes over the field"),
                Err(outcome) => tolerate(outcome, "turn"),
            },
        )
    })
}

pub(super) fn long_line(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        let line = conversation.turn_line(table, seat, SHOWN_CLOCK);
        let open = line.strip_suffix('}').expect("a message is an object");
        let head = format!("{open},\"x_pad\":\"");
        let pad = "x".repeat(LONGEST_LINE.saturating_sub(head.len() + 2));
        let line = format!("{head}{pad}\"}}");
        Ok(match by_the_bot(conversation.turn_as(&line, table, seat))? {
            Ok(_) => conversation.ok(format!("it reads a line of {} bytes", line.len())),
            Err(outcome) => outcome
                .at_most_a_warning()
                .about(&format!("a line of {} bytes", line.len()))
                .advise("read whole lines of any length: a pipe gives at most 64 KiB, often less, at a time"),
        })
    })
}

pub(super) fn notes(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        let line = conversation.turn_line(table, seat, SHOWN_CLOCK);
        let answer = conversation.ask(&line, PATIENCE)?;
        // A long note is cut when it is read, so the line tells how long it was.
        let value: Option<serde_json::Value> = serde_json::from_str(&answer).ok();
        let note = value.as_ref().and_then(|value| value["note"].as_str());
        Ok(match note {
            None => conversation.ok("no notes"),
            Some(note) if note.len() > LONGEST_NOTE => conversation
                .warning(format!(
                    "a note of {} bytes is cut after {LONGEST_NOTE}",
                    note.len()
                ))
                .advise("keep notes short, and write the rest to standard error"),
            Some(note) => conversation.ok(format!("a note of {} bytes", note.len())),
        })
    })
}

pub(super) fn answer_fields(context: &mut CheckContext) -> StepResult {
    at_its_first_turn(context, |conversation, table, seat| {
        let line = conversation.turn_line(table, seat, SHOWN_CLOCK);
        let answer = conversation.ask(&line, PATIENCE)?;
        if let Err(error) = FromBot::read(&answer) {
            return Ok(conversation.failed(format!("malformed: {error}")));
        }
        let tidy = answer.trim();
        Ok(match (tidy.len() == answer.len(), answer.len()) {
            (true, bytes) => conversation.ok(format!("{bytes} bytes")),
            (false, _) => conversation
                .warning("its lines begin or end with blanks or a carriage return")
                .advise("end each line with a newline alone: \\n, not \\r\\n"),
        })
    })
}
