//! Examples for bot authors: the messages of one seat in a short match, which is the same each time.

use std::collections::BTreeSet;

use flipside_games::{AnyGame, Seat, SeatTurn, Seats, Table, without_version};
use flipside_protocol::{FromBot, FromReferee, Hello, LONGEST_LINE, Limits, Ready, VERSION};
use flipside_referee::MatchSeed;
use flipside_sample_bots::{Session, sample};
use flipside_sandbox::SandboxSettings;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::value::RawValue;

use crate::failure::{Failure, Result};
use crate::game_table::{over_line, take_chance, turn_line};
use crate::games::set_up;

/// The seeds of the matches that are tried. The one with the richest view becomes the example.
const SEEDS: std::ops::Range<u64> = 0..8;

/// The bot that plays all seats.
const PLAYER: &str = "greedy";

/// Who plays games that it does not know.
const PLAYER_OF_ANY_GAME: &str = "random";

/// The seat whose messages are shown.
const SHOWN: Seat = 0;

/// The clock of every seat, and the time that each has for a move.
const CLOCK: (&str, u64) = ("move=1s", 1000);

/// The maximum number of events. The matches are far shorter.
const MAX_EVENTS: u32 = 100_000;

/// The width of a view that is set in lines.
const VIEW_WIDTH: usize = 78;

/// A message of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExampleLine {
    /// From the referee to the bot.
    ToBot(String),
    /// From the bot to the referee.
    ToReferee(String),
    /// So many turns of the seat are not shown.
    Omitted(usize),
}

/// The messages of one seat in a short match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// `hello` and `ready`, the first turn, the turn with the richest view, the last turn, and `over`.
    pub lines: Vec<ExampleLine>,
    /// The richest view of a turn.
    pub view: String,
}

/// Returns an example of a game: the same each time, with the options for short matches.
///
/// # Errors
/// When a built-in bot cannot play the game.
pub fn example(game: &dyn AnyGame) -> Result<Example> {
    let mut best: Option<Example> = None;
    for seed in SEEDS {
        let found = play(game, seed)?;
        let is_richer = |best: &Example| richness(&found.view) > richness(&best.view);
        if best.as_ref().is_none_or(is_richer) {
            best = Some(found);
        }
    }
    Ok(best.expect("there is a seed"))
}

/// How many fields a view has, and how long it is.
fn richness(view: &str) -> (usize, usize) {
    (fields(view), view.len())
}

/// Plays a match, which the seed determines.
fn play(game: &dyn AnyGame, seed: u64) -> Result<Example> {
    let seats = game.info().least_seats();
    let setup = set_up(game, &game.brief(), seats)?;
    let mut table = setup.table;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let hello = |seat| hello_line(game, &setup.options, seat, seats, seed);
    let mut players = Vec::new();
    for seat in 0..seats {
        let player = match game.program() {
            None => PLAYER,
            Some(_) => PLAYER_OF_ANY_GAME,
        };
        let bot = sample(player).map_err(Failure::new)?;
        let mut session = Session::new(bot);
        let begun = session.answer(&hello(seat), &mut Vec::new());
        begun.map_err(Failure::new)?;
        players.push(ExampleSeat { session, asked: 0 });
    }
    let mut turns = Vec::new();
    for _ in 0..MAX_EVENTS {
        match table.turn() {
            SeatTurn::Over(_) => break,
            SeatTurn::Chance => drop(take_chance(&mut *table, &mut rng)?),
            SeatTurn::Seats(asked) => turns.extend(ask(&mut *table, asked, &mut players)?),
        }
    }
    if let Some(failure) = table.failure() {
        return Err(Failure::new(failure));
    }
    let SeatTurn::Over(outcome) = table.turn() else {
        return Err(Failure::new("the match of the example did not end"));
    };
    let over = over_line(
        &*table,
        outcome.points.to_vec(),
        outcome.places(),
        outcome.reason,
    );
    Ok(shown(hello(SHOWN), turns, over))
}

/// A bot of the match.
struct ExampleSeat {
    session: Session,
    /// How many questions it was asked.
    asked: u64,
}

/// A turn of the seat that is shown.
struct ShownMessage {
    question: String,
    view: String,
    answer: String,
}

/// Asks all seats that choose now, and plays their choices. Returns the turn of the seat that is shown.
fn ask(
    table: &mut dyn Table,
    asked: Seats,
    players: &mut [ExampleSeat],
) -> Result<Option<ShownMessage>> {
    let mut shown = None;
    for seat in asked {
        let player = &mut players[usize::from(seat)];
        player.asked += 1;
        let (question, view) = turn_line(table, seat, player.asked, CLOCK.1, true, None);
        let mut answer = Vec::new();
        let answered = player.session.answer(&question, &mut answer);
        answered.map_err(Failure::new)?;
        let answer = String::from_utf8(answer).expect("messages are text");
        let answer = answer.trim_end().to_owned();
        let FromBot::Act(act) = FromBot::read(&answer).map_err(Failure::new)? else {
            return Err(Failure::new("the bot of the example does not act"));
        };
        table.choose(seat, &act.action).map_err(Failure::new)?;
        if seat == SHOWN {
            shown = Some(ShownMessage {
                question,
                view,
                answer,
            });
        }
    }
    table.play().map_err(Failure::new)?;
    Ok(shown)
}

fn hello_line(game: &dyn AnyGame, options: &str, seat: Seat, seats: u8, seed: u64) -> String {
    let id = game.info().id;
    let hello = FromReferee::Hello(Hello {
        protocol: VERSION,
        match_id: format!("example-{id}"),
        game: without_version(id).into(),
        options: RawValue::from_string(options.to_owned()).expect("options are JSON"),
        seat,
        seats,
        clock: CLOCK.0.parse().expect("the clock is right"),
        bot_options: None,
        limits: Limits {
            line: LONGEST_LINE as u64,
            memory: SandboxSettings::default().memory,
        },
        patience: None,
        commitment: MatchSeed::from_number(seed).commitment(),
        seed: seed + u64::from(seat),
    });
    serde_json::to_string(&hello).expect("hello is JSON")
}

/// Selects the turns that are shown.
fn shown(hello: String, turns: Vec<ShownMessage>, over: String) -> Example {
    let ready = FromBot::Ready(Ready {
        name: Some("mybot".into()),
        version: Some("1".into()),
        actions: true,
        reuse: false,
        events: false,
    });
    let ready = serde_json::to_string(&ready).expect("ready is JSON");
    let richest = (0..turns.len())
        .rev()
        .max_by_key(|&at| richness(&turns[at].view));
    let richest = richest.unwrap_or_default();
    let chosen = BTreeSet::from([0, richest, turns.len().saturating_sub(1)]);
    let view = turns.get(richest).map(|turn| turn.view.clone());
    let mut lines = vec![ExampleLine::ToBot(hello), ExampleLine::ToReferee(ready)];
    let mut omitted = 0;
    for (at, turn) in turns.into_iter().enumerate() {
        if !chosen.contains(&at) {
            omitted += 1;
            continue;
        }
        if omitted > 0 {
            lines.push(ExampleLine::Omitted(std::mem::take(&mut omitted)));
        }
        lines.push(ExampleLine::ToBot(turn.question));
        lines.push(ExampleLine::ToReferee(turn.answer));
    }
    lines.push(ExampleLine::ToBot(over));
    Example {
        lines,
        view: view.unwrap_or_default(),
    }
}

/// A value of JSON with the order of its fields, which `serde_json::Value` does not keep.
enum OrderedValue<'a> {
    Scalar(&'a str),
    Array(Vec<OrderedValue<'a>>),
    Object(Vec<(&'a str, OrderedValue<'a>)>),
}

/// Reads JSON without blanks, as [`serde_json`] writes it, and returns what follows it.
fn node(json: &str) -> (OrderedValue<'_>, &str) {
    if let Some(mut rest) = json.strip_prefix('[') {
        let mut items = Vec::new();
        while !rest.starts_with(']') {
            let (item, after) = node(rest.trim_start_matches(','));
            items.push(item);
            rest = after;
        }
        (OrderedValue::Array(items), &rest[1..])
    } else if let Some(mut rest) = json.strip_prefix('{') {
        let mut fields = Vec::new();
        while !rest.starts_with('}') {
            let (name, after) = scalar(rest.trim_start_matches(','));
            let (value, after) = node(&after[1..]);
            fields.push((name, value));
            rest = after;
        }
        (OrderedValue::Object(fields), &rest[1..])
    } else {
        let (value, rest) = scalar(json);
        (OrderedValue::Scalar(value), rest)
    }
}

/// Splits a string, number or word from what follows it. No view has an escape in a string.
fn scalar(json: &str) -> (&str, &str) {
    let end = match json.strip_prefix('"') {
        Some(text) => text.find('"').map(|end| end + 2),
        None => json.find([',', ']', '}']),
    };
    json.split_at(end.unwrap_or(json.len()))
}

/// The number of different fields in a view, wherever they are.
fn fields(view: &str) -> usize {
    fn collect(node: OrderedValue<'_>, inside: &str, names: &mut BTreeSet<String>) {
        match node {
            OrderedValue::Scalar(_) => {}
            OrderedValue::Array(items) => {
                for item in items {
                    collect(item, inside, names);
                }
            }
            OrderedValue::Object(fields) => {
                for (name, value) in fields {
                    let name = format!("{inside}.{name}");
                    if !matches!(value, OrderedValue::Scalar("null")) {
                        names.insert(name.clone());
                    }
                    collect(value, &name, names);
                }
            }
        }
    }
    let mut names = BTreeSet::new();
    collect(node(view).0, "", &mut names);
    names.len()
}

/// Sets a view in lines for people, with its fields in the order in which they are sent.
pub fn view_in_lines(view: &str) -> String {
    let mut out = String::new();
    set(&node(view).0, 0, 0, &mut out);
    out.push('\n');
    out
}

/// Appends a value, on one line if that is short enough: `before` characters are on it already.
fn set(node: &OrderedValue<'_>, indent: usize, before: usize, out: &mut String) {
    let flat = flat(node);
    let (open, close) = match node {
        OrderedValue::Array(items) if !items.is_empty() => ('[', ']'),
        OrderedValue::Object(fields) if !fields.is_empty() => ('{', '}'),
        _ => return out.push_str(&flat),
    };
    let is_short = indent + before + flat.len() < VIEW_WIDTH;
    if indent > 0 && is_short && !is_board(node) {
        return out.push_str(&flat);
    }
    let inner = indent + 2;
    let mut lines = Vec::new();
    let mut line = |name: Option<&str>, value: &OrderedValue<'_>| {
        let mut text = name.map_or(String::new(), |name| format!("{name}: "));
        set(value, inner, text.len(), &mut text);
        lines.push(format!("{:inner$}{text}", ""));
    };
    match node {
        OrderedValue::Scalar(_) => {}
        OrderedValue::Array(items) => items.iter().for_each(|item| line(None, item)),
        OrderedValue::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| line(Some(name), value)),
    }
    out.push(open);
    out.push('\n');
    out.push_str(&lines.join(",\n"));
    out.push_str(&format!("\n{:indent$}{close}", ""));
}

/// Whether these are the rows of a board: texts of one length.
fn is_board(node: &OrderedValue<'_>) -> bool {
    /// Two quotes and three squares.
    const SHORTEST: usize = 5;
    let length = |node: &OrderedValue<'_>| match node {
        OrderedValue::Scalar(text) if text.starts_with('"') && text.len() >= SHORTEST => {
            Some(text.len())
        }
        _ => None,
    };
    match node {
        OrderedValue::Array(items) if items.len() > 1 => {
            let first = length(&items[0]);
            first.is_some() && items.iter().all(|item| length(item) == first)
        }
        _ => false,
    }
}

/// A value on one line.
fn flat(node: &OrderedValue<'_>) -> String {
    match node {
        OrderedValue::Scalar(value) => (*value).to_owned(),
        OrderedValue::Array(items) => {
            let items: Vec<_> = items.iter().map(flat).collect();
            format!("[{}]", items.join(", "))
        }
        OrderedValue::Object(fields) => {
            let field =
                |(name, value): &(&str, OrderedValue<'_>)| format!("{name}: {}", flat(value));
            let fields: Vec<_> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::GAMES;

    use super::*;

    #[test]
    fn every_game_has_an_example_that_is_the_same_each_time_and_short() {
        for game in GAMES {
            let id = game.info().id;
            let first = example(*game).unwrap();
            assert_eq!(first, example(*game).unwrap(), "{id}");
            assert!((6..=11).contains(&first.lines.len()), "{id}");
            let mut ids = Vec::new();
            for line in &first.lines {
                match line {
                    ExampleLine::ToBot(line) => match FromReferee::read(line).unwrap() {
                        FromReferee::Turn(turn) => ids.push(turn.id),
                        FromReferee::Hello(hello) => assert_eq!(hello.game, id),
                        FromReferee::Over(_) => assert!(ids.len() >= 2, "{id}"),
                    },
                    ExampleLine::ToReferee(line) => match FromBot::read(line).unwrap() {
                        FromBot::Act(act) => assert_eq!(Some(&act.id), ids.last()),
                        FromBot::Ready(ready) => assert!(ready.actions),
                        FromBot::Pause(_) => panic!("it pauses: {line}"),
                    },
                    ExampleLine::Omitted(turns) => assert!(*turns > 0),
                }
            }
        }
    }

    #[test]
    fn a_view_in_lines_is_the_same_json() {
        for game in GAMES {
            let view = example(*game).unwrap().view;
            let set = view_in_lines(&view);
            let read = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
            assert_eq!(read(&set), read(&view));
            assert!(set.lines().all(|line| line.len() <= VIEW_WIDTH), "{set}");
        }
    }
}
