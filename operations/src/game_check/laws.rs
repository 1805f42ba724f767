//! The steps, each a law that every game must keep.

use std::collections::BTreeSet;

use flipside_games::words::counted;
use flipside_games::{
    ActionPath, AnyGame, GameHost, GameProgramError, ProgramGame, SeatTurn, Viewer, not_paths,
    not_svg,
};
use flipside_protocol::game::GameReply;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use regex_lite::Regex;

use super::context::{
    CheckEvent, GameCheckContext, Law, Shown, cut, failed, failed_by, in_words, next_event,
    not_failed, turn_in_words, view, viewers,
};
use crate::check::outcome::CheckOutcome;

/// So many texts that are no legal actions are tried at a position.
const SLIPS: usize = 8;

/// So many outcomes are sampled at a position.
const SAMPLES: usize = 4;

/// Texts that are no actions of any game.
const GARBAGE: [&str; 6] = [
    "?",
    " ",
    "no such action",
    "0x",
    "{}",
    "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
];

pub(super) fn describes(context: &mut GameCheckContext) -> CheckOutcome {
    let info = context.game.info();
    let sha256 = context.game.program().map_or("", |program| &program.sha256);
    match ProgramGame::open(Box::new(context.host.clone()), sha256) {
        Ok(again) if again.program() == context.game.program() => {}
        Ok(_) => return failed("two processes of it describe the game differently"),
        Err(error) => return not_described(&error),
    }
    CheckOutcome::ok(format!(
        "{} ({}), {} seats, {}",
        info.title,
        info.id,
        info.seats_in_words(),
        info.traits().join(", ")
    ))
}

/// The outcome of the first step where the program does not say what game it is.
pub(super) fn not_described(error: &GameProgramError) -> CheckOutcome {
    let outcome = failed(error.to_string());
    if matches!(error, GameProgramError::Wrong(_)) {
        return outcome.advise("correct what it answers to `describe`");
    }
    let failure = crate::game_program::no_game(error.clone());
    match failure.hints().first() {
        Some(hint) => outcome.advise(hint.to_string()),
        None => outcome,
    }
}

/// What came of a law at so many of something.
fn told(law: Result<usize, CheckOutcome>, what: &str) -> CheckOutcome {
    match law {
        Ok(number) => CheckOutcome::ok(counted(number as u64, what)),
        Err(outcome) => outcome,
    }
}

fn whole_notation(context: &GameCheckContext) -> Result<Regex, CheckOutcome> {
    let notation = context.game.notation();
    Regex::new(&format!("^(?:{notation})$")).map_err(|error| {
        failed(format!("{notation:?} is no regular expression: {error}"))
            .advise("write one as JSON Schema has it, without look-around")
    })
}

pub(super) fn notation(context: &mut GameCheckContext) -> CheckOutcome {
    match whole_notation(context) {
        Ok(_) => CheckOutcome::ok(format!(
            "actions are of the form {}",
            context.game.notation()
        )),
        Err(outcome) => outcome,
    }
}

pub(super) fn options(context: &mut GameCheckContext) -> CheckOutcome {
    let game = &context.game;
    let seats = game.info().least_seats();
    if game.set_up(r#"{"no_such_option":1}"#, seats).is_ok() {
        return failed("an option that it does not describe is not refused");
    }
    for (name, options) in std::iter::once(("brief", game.brief())).chain(game.presets()) {
        let mut fits = game.info().seats.iter().filter_map(|&seats| {
            let setup = game.set_up(&options, seats).ok()?;
            Some((seats, setup))
        });
        let Some((seats, setup)) = fits.next() else {
            return failed(format!(
                "the {name} options {options} fit no number of seats"
            ));
        };
        if let Err(outcome) = not_failed(&*setup.table) {
            return outcome.about(&format!("with the {name} options"));
        }
        match game.set_up(&setup.options, seats) {
            Ok(again) if again.options == setup.options => {}
            Ok(again) => {
                let (one, next) = (&setup.options, &again.options);
                return failed(format!("its own options {one} become {next}"))
                    .advise("write all options in `setup` in one form, or leave `options` out");
            }
            Err(error) => {
                return failed(format!(
                    "its own options {} are refused: {error}",
                    setup.options
                ));
            }
        }
    }
    CheckOutcome::ok(format!("{} ways to play it", game.presets().len() + 1))
}

pub(super) fn seats(context: &mut GameCheckContext) -> CheckOutcome {
    let game = &context.game;
    for &seats in game.info().seats {
        let begins = match game.set_up("{}", seats) {
            Ok(setup) => not_failed(&*setup.table),
            Err(error) => Err(failed(error.to_string())),
        };
        if let Err(outcome) = begins {
            return outcome.about(&format!("at {seats} seats"));
        }
    }
    CheckOutcome::ok(game.info().seats_in_words())
}

pub(super) fn unknown_request(context: &mut GameCheckContext) -> CheckOutcome {
    let advice = "answer {\"type\":\"unsupported\"} to every request that it does not know";
    let asked = context.host.start().and_then(|mut program| {
        let answer = program.exchange(r#"{"type":"no-such-request","x":[1]}"#)?;
        Ok(answer.to_owned())
    });
    match asked {
        Ok(answer) if answer.contains("\"unsupported\"") => CheckOutcome::ok("it says unsupported"),
        Ok(answer) => failed(format!("it answered {}", cut(&answer))).advise(advice),
        Err(why) => failed(why).advise(advice),
    }
}

pub(super) fn unknown_field(context: &mut GameCheckContext) -> CheckOutcome {
    let asked = context.host.start().and_then(|mut program| {
        let one = program
            .exchange(r#"{"type":"describe","protocol":1}"#)?
            .to_owned();
        let other = program.exchange(r#"{"later":{"x":[1]},"type":"describe","protocol":1}"#)?;
        Ok(one == other)
    });
    let advice = "take the fields that it knows, and pass over others";
    match asked {
        Ok(true) => CheckOutcome::ok("it answers the same"),
        Ok(false) => failed("with another field it describes another game").advise(advice),
        Err(why) => failed(why).advise(advice),
    }
}

pub(super) fn ends(context: &mut GameCheckContext) -> CheckOutcome {
    let mut longest = 0;
    let law = context.for_each_match(|_, random| {
        longest = longest.max(random.events.len());
        Ok(())
    });
    match law {
        Ok(played) => CheckOutcome::ok(format!(
            "{}, the longest of {}",
            counted(played as u64, "match"),
            counted(longest as u64, "event")
        )),
        Err(outcome) => outcome,
    }
}

pub(super) fn actions(context: &mut GameCheckContext) -> CheckOutcome {
    let notation = match whole_notation(context) {
        Ok(notation) => notation,
        Err(_) => return CheckOutcome::because_of("notation"),
    };
    let mut seen = BTreeSet::new();
    let law = context.for_each_match(|_, random| {
        for event in &random.events {
            let CheckEvent::Acts(acts) = event else {
                continue;
            };
            for (seat, action) in acts {
                if !notation.is_match(action) {
                    let what = format!("seat {seat}'s {action:?} is not of the form {notation}");
                    return Err(failed(what));
                }
                if seen.len() < 100_000 {
                    seen.insert(action.clone());
                }
            }
        }
        Ok(())
    });
    match law {
        Ok(_) => CheckOutcome::ok(format!(
            "{} were played",
            counted(seen.len() as u64, "action")
        )),
        Err(outcome) => outcome,
    }
}

pub(super) fn refuses(context: &mut GameCheckContext) -> CheckOutcome {
    let mut pool: Vec<String> = GARBAGE.iter().map(|text| (*text).to_owned()).collect();
    let mut tried = 0u64;
    let host = &context.host;
    let law = context.for_each_position(|table, _, rng| {
        let SeatTurn::Seats(asked) = table.turn() else {
            return Ok(());
        };
        for seat in asked {
            let listed = table.actions(seat);
            for _ in 0..SLIPS {
                let text = &pool[rng.next_u32() as usize % pool.len()];
                let is_listed = listed.binary_search(text).is_ok();
                let refused = table.check(seat, text);
                not_failed(table)?;
                tried += 1;
                if let Some(found) = check_unanswered(host) {
                    return Err(
                        failed(found).advise("answer `check` for any text; a bot may send it")
                    );
                }
                let called_legal = said_legal(host);
                if table.lists_actions() && !is_listed && called_legal {
                    return Err(failed(format!(
                        "it says that seat {seat}'s {text:?} is legal, and does not list it"
                    ))
                    .advise("list every legal action, and refuse every other one"));
                }
                if refused.is_ok() && GARBAGE.contains(&text.as_str()) {
                    return Err(failed(format!(
                        "{text:?} is taken for an action of seat {seat}"
                    )));
                }
            }
            for text in listed.into_iter().take(SLIPS) {
                if pool.len() < 1_000 && !pool.contains(&text) {
                    pool.push(text);
                }
            }
        }
        Ok(())
    });
    match law {
        Ok(_) => CheckOutcome::ok(format!("{} were tried", counted(tried, "text"))),
        Err(outcome) => outcome,
    }
}

/// What is wrong where the last thing that was said is a `check`: the program gave no answer.
fn check_unanswered(host: &super::watched::WatchedHost) -> Option<String> {
    let said = host.said();
    let last = said.last().filter(|line| !line.from_bot)?;
    let is_check = last.line.contains("\"type\":\"check\"");
    is_check.then(|| format!("it gave no answer to {}", cut(&last.line)))
}

/// Whether the last thing that the program said is that an action is legal.
fn said_legal(host: &super::watched::WatchedHost) -> bool {
    let said = host.said();
    let last = said.last().filter(|line| line.from_bot);
    last.is_some_and(|line| matches!(GameReply::read(&line.line), Ok(GameReply::Legal)))
}

/// The paths that the program said last, if it did.
fn said_paths(host: &super::watched::WatchedHost) -> Option<Vec<ActionPath>> {
    let said = host.said();
    let last = said.last().filter(|line| line.from_bot)?;
    match GameReply::read(&last.line) {
        Ok(GameReply::Paths(reply)) => Some(reply.paths),
        _ => None,
    }
}

pub(super) fn chance(context: &mut GameCheckContext) -> CheckOutcome {
    if !context.game.info().chance {
        return CheckOutcome::skipped("the game has no chance");
    }
    let mut outcomes = BTreeSet::new();
    let law = context.for_each_position(|table, _, rng| {
        if table.turn() != SeatTurn::Chance {
            return Ok(());
        }
        let before = Shown::of(table)?;
        for _ in 0..SAMPLES {
            let seed = rng.next_u64();
            let mut drawn = [Vec::new(), Vec::new()];
            for outcome in &mut drawn {
                table.sample(&mut ChaCha8Rng::seed_from_u64(seed), outcome);
                not_failed(table)?;
            }
            let [one, again] = drawn.map(|outcome| String::from_utf8_lossy(&outcome).into_owned());
            if one != again {
                let what = format!("the same bytes give {} and {}", cut(&one), cut(&again));
                return Err(failed(what).advise("take all randomness from `random`"));
            }
            let mut copy = table.copy();
            CheckEvent::Chance(one.clone()).play(&mut *copy)?;
            if outcomes.len() < 1_000 {
                outcomes.insert(one);
            }
        }
        match before.unlike(&Shown::of(table)?) {
            Some(how) => Err(failed(format!("to sample changes something: {how}"))),
            None => Ok(()),
        }
    });
    match law {
        Ok(_) if outcomes.len() < 2 => {
            CheckOutcome::warning("all outcomes of chance that were looked at are the same")
                .advise("if there is no chance, say `chance: false`")
        }
        Ok(_) => CheckOutcome::ok(format!("{} outcomes", outcomes.len())),
        Err(outcome) => outcome,
    }
}

pub(super) fn repeats(context: &mut GameCheckContext) -> CheckOutcome {
    let law = context.for_each_match(|context, random| {
        // The first is played by a program that has played before, the other one by a new one.
        let mut tables = [
            context.table(&random.case)?.table,
            context.table(&random.case)?.table,
        ];
        for at in 0..=random.events.len() {
            let [one, other] = &mut tables;
            let is_looked_at = at % 4 == 0 || at == random.events.len();
            if is_looked_at && let Some(how) = Shown::of(&**one)?.unlike(&Shown::of(&**other)?) {
                let what = format!("the same {at} events led to two states: {how}");
                return Err(failed(what).advise(
                    "keep nothing beside the state, and iterate over nothing without an order",
                ));
            }
            if let Some(event) = random.events.get(at) {
                event.play(&mut **one)?;
                event.play(&mut **other)?;
            }
        }
        Ok(())
    });
    told(law, "match")
}

pub(super) fn replays(context: &mut GameCheckContext) -> CheckOutcome {
    let law = context.for_each_position(|table, next, _| {
        let mut copy = table.copy();
        let (before, replayed) = (Shown::of(table)?, Shown::of(&*copy)?);
        if let Some(how) = before.unlike(&replayed) {
            return Err(failed(format!("replayed, {how}")));
        }
        let Some(event) = next else {
            return Ok(());
        };
        event.play(&mut *copy)?;
        if let Some(how) = before.unlike(&Shown::of(table)?) {
            return Err(
                failed(format!("a step of another match changes this one: {how}"))
                    .advise("keep no state that two programs share"),
            );
        }
        Ok(())
    });
    told(law, "position")
}

pub(super) fn traits(context: &mut GameCheckContext) -> CheckOutcome {
    let (mut chance, mut simultaneous, mut hides) = (false, false, false);
    let law = context.for_each_match(|_, random| {
        for event in &random.events {
            match event {
                CheckEvent::Chance(_) => chance = true,
                CheckEvent::Acts(acts) => simultaneous |= acts.len() > 1,
            }
        }
        Ok(())
    });
    if let Err(outcome) = law {
        return outcome;
    }
    let law = context.for_each_position(|table, _, _| {
        hides |= view(table, Viewer::Public) != view(table, Viewer::Open);
        let sides: Vec<u8> = (0..table.seats()).map(|seat| table.side(seat)).collect();
        if let SeatTurn::Over(outcome) = table.turn() {
            let pairs = sides.iter().zip(outcome.points.iter());
            let differ = pairs.clone().any(|(side, points)| {
                let mut of_side = pairs.clone().filter(|(other, _)| *other == side);
                of_side.any(|(_, others)| others != points)
            });
            if differ {
                let points = outcome.points;
                return Err(failed(format!(
                    "seats of one side have other points: sides {sides:?}, points {points:?}"
                )));
            }
        }
        Ok(())
    });
    if let Err(outcome) = law {
        return outcome;
    }
    let info = context.game.info();
    let what = match (info.chance, info.simultaneous, info.secrets) {
        (true, _, _) if !chance => "it says that there is chance, and no match shows any",
        (_, true, _) if !simultaneous => "it says that seats choose at once, and no match shows it",
        (_, _, true) if !hides => "it says that there are secrets, and everybody sees everything",
        (_, _, false) if hides => {
            "it says that there are no secrets, and the public sees less than all"
        }
        _ => return CheckOutcome::ok(info.traits().join(", ")),
    };
    failed(what).advise("correct the description")
}

pub(super) fn secrets(context: &mut GameCheckContext) -> CheckOutcome {
    if !context.game.info().secrets {
        return CheckOutcome::skipped("the game has no secrets");
    }
    let mut looked = 0;
    // From whom something is hidden, and for whom that was dealt anew.
    let (mut hidden, mut dealt) = (BTreeSet::new(), BTreeSet::new());
    let law = context.for_each_position(|table, _, rng| {
        let before = Shown::of(table)?;
        for viewer in viewers(table.seats()).filter(|viewer| *viewer != Viewer::Open) {
            let mut other = table.redeal(viewer, rng);
            not_failed(&*other)?;
            let after = Shown::of(&*other)?;
            let key = (table.seats(), in_words(viewer));
            if view(table, viewer) != view(table, Viewer::Open) {
                hidden.insert(key.clone());
            }
            if before.unlike(&after).is_some() {
                dealt.insert(key);
            }
            looked += 1;
            let tells = told_apart(table, &*other, viewer);
            if let Some(how) = tells {
                return Err(failed(format!(
                    "{} must not know, and can tell: {how}",
                    in_words(viewer)
                ))
                .advise("make views and actions of what the viewer knows alone"));
            }
            // What is dealt anew is a match of the game as well.
            let mut steps = rng.next_u32() % 8;
            while steps > 0 {
                let Some(event) = next_event(&mut *other, rng)? else {
                    break;
                };
                event.play(&mut *other)?;
                steps -= 1;
            }
        }
        Ok(())
    });
    match law {
        Ok(_) if hidden.is_empty() => {
            failed("it says that there are secrets, and everybody sees everything")
                .advise("correct the description, or hide something in the views")
        }
        Ok(_) if dealt.is_empty() => CheckOutcome::warning(
            "it cannot be seen whether secrets are kept: `redeal` changes nothing",
        )
        .advise("serve `redeal`, which samples anew what a viewer must not know"),
        Ok(_) if hidden.iter().any(|of| !dealt.contains(of)) => {
            let (seats, viewer) = hidden.difference(&dealt).next().expect("there is one");
            CheckOutcome::warning(format!(
                "it cannot be seen whether secrets are kept from {viewer} at {seats} seats: `redeal` changes nothing"
            ))
            .advise("sample anew whatever this viewer must not know")
        }
        Ok(_) => CheckOutcome::ok(format!("{looked} deals, none of them told")),
        Err(outcome) => outcome,
    }
}

/// By what a viewer could tell two states apart.
fn told_apart(
    one: &dyn flipside_games::Table,
    other: &dyn flipside_games::Table,
    viewer: Viewer,
) -> Option<String> {
    if one.turn() != other.turn() {
        let [one, other] = [one, other].map(|table| turn_in_words(table.turn()));
        return Some(format!("that the match waits for {one} from {other}"));
    }
    let views = [view(one, viewer), view(other, viewer)];
    if views[0] != views[1] {
        return Some(format!(
            "the view {} from {}",
            cut(&views[0]),
            cut(&views[1])
        ));
    }
    let Viewer::Seat(seat) = viewer else {
        return None;
    };
    let actions = [one.actions(seat), other.actions(seat)];
    (actions[0] != actions[1])
        .then(|| format!("the actions {:?} from {:?}", actions[0], actions[1]))
}

pub(super) fn text(context: &mut GameCheckContext) -> CheckOutcome {
    let game = &context.game;
    let law = context.for_each_position(|table, _, _| {
        for viewer in viewers(table.seats()) {
            let drawn = game.drawing(&view(table, viewer), false);
            let drawn = drawn.map_err(|failure| failed_by(&failure))?;
            if drawn.is_some_and(|text| text.trim().is_empty()) {
                return Err(
                    failed(format!("the text for {} is empty", in_words(viewer)))
                        .advise("answer `unsupported` to `draw`, or draw the board"),
                );
            }
        }
        Ok(())
    });
    told(law, "position")
}

pub(super) fn svg(context: &mut GameCheckContext) -> CheckOutcome {
    let mut drawn = 0u64;
    let game = &context.game;
    let law = context.for_each_position(|table, _, _| {
        for viewer in viewers(table.seats()) {
            let drawing = game.drawing(&view(table, viewer), true);
            let Some(svg) = drawing.map_err(|failure| failed_by(&failure))? else {
                continue;
            };
            drawn += 1;
            if let Some(why) = not_svg(&svg) {
                return Err(failed(format!("the drawing {why}: {}", cut(&svg))));
            }
        }
        Ok(())
    });
    match law {
        Ok(_) if drawn == 0 => {
            CheckOutcome::skipped("it does not draw as svg; pages show the text")
        }
        Ok(_) => CheckOutcome::ok(counted(drawn, "drawing")),
        Err(outcome) => outcome,
    }
}

pub(super) fn paths(context: &mut GameCheckContext) -> CheckOutcome {
    let mut told = 0u64;
    let host = &context.host;
    let law = context.for_each_position(|table, _, _| {
        for seat in table.turn().asked() {
            let (actions, svg) = (table.actions(seat), table.svg(Viewer::Seat(seat)));
            table.paths(seat);
            not_failed(table)?;
            let Some(paths) = said_paths(host) else {
                continue;
            };
            told += 1;
            if let Some(why) = not_paths(&paths, actions.len(), &svg) {
                return Err(failed(format!("seat {seat}'s paths: {}", cut(&why)))
                    .advise("make a path for each action, in the order in which they are listed"));
            }
        }
        Ok(())
    });
    match law {
        Ok(_) if told == 0 => {
            CheckOutcome::skipped("it does not serve `paths`; on pages each action is a button")
        }
        Ok(_) => CheckOutcome::ok(counted(told, "position")),
        Err(outcome) => outcome,
    }
}

pub(super) fn words(context: &mut GameCheckContext) -> CheckOutcome {
    let law = context.for_each_position(|table, next, _| {
        let words = match next {
            Some(CheckEvent::Chance(outcome)) => table.chance_in_words(outcome),
            Some(CheckEvent::Acts(acts)) => {
                let (_, action) = &acts[0];
                table.action_in_words(action)
            }
            None => return Ok(()),
        };
        not_failed(table)?;
        match words.trim().is_empty() {
            true => Err(failed("the words are empty")),
            false => Ok(()) as Law,
        }
    });
    told(law, "event")
}
