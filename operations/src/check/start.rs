//! How a bot starts and answers `hello`.

use std::time::{Duration, Instant};

use flipside_protocol::Ready;

use crate::advice::names_game;
use crate::check::context::{CheckContext, LISTEN};
use crate::check::conversation::{NO_ANSWER, StepResult, by_the_bot, with_unknown_field};
use crate::check::outcome::{CheckOutcome, CheckStatus};

/// A start that takes longer is worth a word: the default start allowance is 5 s.
const SLOW_START: Duration = Duration::from_secs(2);

/// The number of starts that are timed.
const STARTS: usize = 5;

pub(super) fn games(context: &mut CheckContext) -> StepResult {
    let (mut plays, mut declines, mut breaks) = (Vec::new(), Vec::new(), Vec::new());
    let mut broken = None;
    let mut first = None;
    for game in context.wanted.clone() {
        let seats = game.info().least_seats();
        let outcome = context.in_a_match(game, &game.brief(), 0, seats, |conversation| {
            Ok(conversation.ok(""))
        })?;
        if outcome.status == CheckStatus::Ok {
            plays.push(game);
            continue;
        }
        let waits = outcome.found.starts_with(NO_ANSWER);
        let id = game.info().id;
        match names_game(&outcome.stderr, id) {
            true => declines.push(id),
            false => {
                breaks.push(id);
                broken.get_or_insert_with(|| outcome.clone());
            }
        }
        first.get_or_insert(outcome);
        if waits && plays.is_empty() {
            // It would be waited for as long at every game.
            break;
        }
    }
    let ids: Vec<&str> = plays.iter().map(|game| game.info().id).collect();
    let found = format!("it is ready for {}", ids.join(", "));
    let is_none = plays.is_empty();
    if !is_none {
        let refuses = declines.iter().chain(&breaks);
        refuses.for_each(|game| context.fails_at(game));
    }
    context.games = plays;
    match first {
        None => Ok(CheckOutcome::ok(found)),
        Some(outcome) if is_none || context.must_play_all => {
            declines.extend(breaks);
            let about = format!("it is not ready for {}", declines.join(", "));
            Ok(outcome.about(&about))
        }
        Some(_) => {
            let found = match &declines[..] {
                [] => found,
                games => format!("{found}; it does not play {}", games.join(", ")),
            };
            let Some(broken) = broken else {
                return Ok(CheckOutcome::ok(found));
            };
            let games = breaks.join(", ");
            let found = format!("{found}; before it is ready for {games}: {}", broken.found);
            let advice = "if it does not play a game, let it name the game on standard error before it exits; otherwise \
                          look there for what went wrong";
            Ok(CheckOutcome {
                said: broken.said,
                stderr: broken.stderr,
                ..CheckOutcome::warning(found).advise(advice)
            })
        }
    }
}

pub(super) fn ready_message(context: &mut CheckContext) -> StepResult {
    let game = context.game()?;
    let seats = game.info().least_seats();
    let conversation = context.ready(game, &game.brief(), 0, seats)?;
    let ready = &conversation.ready;
    let named = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
    let told = |is_so, yes, no| if is_so { yes } else { no };
    let found = format!(
        "name {}, version {}, {}, {}, {}",
        named(&ready.name),
        named(&ready.version),
        told(
            ready.actions,
            "wants lists of actions",
            "knows the rules itself"
        ),
        told(ready.events, "wants events", "wants no events"),
        told(ready.reuse, "plays again", "plays one match"),
    );
    let other = context.ready(game, &game.brief(), seats - 1, seats)?;
    let wishes = |ready: &Ready| (ready.actions, ready.reuse, ready.events);
    if wishes(&other.ready) != wishes(ready) {
        return Ok(other
            .warning(format!(
                "on the last seat it wishes something else than on the first: {found}"
            ))
            .advise("answer hello alike on every seat"));
    }
    Ok(conversation.ok(found))
}

pub(super) fn silent_before_hello(context: &mut CheckContext) -> StepResult {
    let mut conversation = context.start()?;
    let end = Instant::now() + (2 * context.start_took + LISTEN).min(context.step_left());
    while Instant::now() < end {
        conversation.pause(LISTEN / 10);
        if conversation.unread().is_some() {
            return Ok(conversation
                .failed("unasked: it writes to standard output before hello")
                .advise("print banners and logs to standard error"));
        }
    }
    Ok(CheckOutcome::ok("it waits for hello"))
}

pub(super) fn one_ready(context: &mut CheckContext) -> StepResult {
    let game = context.game()?;
    let mut conversation = context.ready(game, &game.brief(), 0, game.info().least_seats())?;
    conversation.pause(LISTEN);
    match conversation.unread() {
        None => Ok(conversation.ok("one line, and no more")),
        Some(_) => Ok(conversation
            .failed("unasked: it writes more than one line in answer to hello")
            .advise("write one line for each question, and logs to standard error")),
    }
}

pub(super) fn start_time(context: &mut CheckContext) -> StepResult {
    let game = context.game()?;
    let starts = if context.quick { 1 } else { STARTS };
    let mut times = Vec::new();
    for _ in 0..starts {
        let begun = Instant::now();
        context.ready(game, &game.brief(), 0, game.info().least_seats())?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    let found = format!(
        "ready after {} ms, at worst {} ms",
        median.as_millis(),
        worst.as_millis()
    );
    let allowance = context.clock.start;
    Ok(if worst > allowance {
        CheckOutcome::failed(format!(
            "late: {found}; it has {} ms",
            allowance.as_millis()
        ))
        .advise("load less before answering hello, or play with start=… in the clock")
    } else if worst > SLOW_START.min(allowance / 2) {
        CheckOutcome::warning(found)
            .advise("answer hello first and load the rest then: what is left of the start allowance is added to the first move")
    } else {
        CheckOutcome::ok(found)
    })
}

pub(super) fn hello_unknown_field(context: &mut CheckContext) -> StepResult {
    let game = context.game()?;
    let hello = context.hello(game.info().id, &game.brief(), 0, game.info().least_seats());
    let mut conversation = context.start()?;
    Ok(
        match by_the_bot(conversation.greet(&with_unknown_field(&hello)))? {
            Ok(()) => conversation.ok("it passes over the field"),
            Err(outcome) => tolerate(outcome, "hello"),
        },
    )
}

/// What is said of a bot that stumbles over what a later version may add.
pub(super) fn tolerate(outcome: CheckOutcome, what: &str) -> CheckOutcome {
    outcome
        .at_most_a_warning()
        .about(&format!("a field in {what} that it does not know"))
        .advise("ignore unknown fields: a later version of the protocol may add some")
}

pub(super) fn unknown_game(context: &mut CheckContext) -> StepResult {
    context.game()?;
    let mut conversation = context.start()?;
    let hello = context.hello("no-such-game", "{}", 0, 2);
    Ok(match by_the_bot(conversation.greet(&hello))? {
        Ok(()) if conversation.ready.actions => CheckOutcome::ok("it plays any game, from the lists of actions"),
        Ok(()) => conversation
            .warning("it is ready for a game that is not there")
            .advise("compare `game` in hello with the games that the bot knows; exit where it knows none"),
        Err(outcome) if outcome.found.starts_with(NO_ANSWER) => outcome
            .at_most_a_warning()
            .about("a game that is not there")
            .advise("print why to standard error and exit: the referee waits until the start allowance is over"),
        Err(outcome) if outcome.stderr.is_empty() => outcome
            .at_most_a_warning()
            .about("a game that is not there")
            .advise("print to standard error why the bot exits"),
        Err(outcome) => CheckOutcome { status: CheckStatus::Ok, ..outcome },
    })
}

pub(super) fn starts_twice(context: &mut CheckContext) -> StepResult {
    let game = context.game()?;
    let (options, seats) = (game.brief(), game.info().least_seats());
    let mut talks = [context.start()?, context.start()?];
    for (seat, conversation) in (0..).zip(&mut talks) {
        let hello = context.hello(game.info().id, &options, seat % seats, seats);
        if let Err(outcome) = by_the_bot(conversation.greet(&hello))? {
            let advice = "do not lock files or ports: several matches run at once";
            return Ok(outcome.about("while it runs already").advise(advice));
        }
    }
    Ok(talks[1].ok("two of it run beside each other"))
}

pub(super) fn numbers_of_seats(context: &mut CheckContext) -> StepResult {
    context.each_game(|context, game| {
        let info = game.info();
        let numbers = match context.quick {
            true => &info.seats[info.seats.len() - 1..],
            false => info.seats,
        };
        for &seats in numbers {
            for seat in [0, seats - 1] {
                let options = game.brief();
                let outcome = context.in_a_match(game, &options, seat, seats, |conversation| {
                    Ok(conversation.ok(""))
                })?;
                if outcome.status > CheckStatus::Ok {
                    return Ok(outcome.about(&format!("seat {seat} of {seats}")));
                }
            }
        }
        Ok(CheckOutcome::ok(format!("{} seats", info.seats_in_words())))
    })
}
