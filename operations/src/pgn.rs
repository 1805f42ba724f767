//! Results in PGN, the portable game notation of chess programs (Edwards 1994), which tools for ratings read: a game with
//! its tags for each match. Moves are written where the game is chess, whose words are the moves of the notation.

use std::io::{self, Write};

use flipside_games::{Viewer, without_version};
use flipside_store::{Journal, MatchRow};
use flipside_tournament::pgn::tags;
use flipside_tournament::{FORFEIT, Tournament, utc};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::openings::opening_of;
use crate::replay::parts::MatchReplay;

/// The game whose moves are written.
const CHESS: &str = "chess";

/// The longest line of moves, in characters, as the notation asks for in files for exchange.
const LINE: usize = 79;

/// Refuses a tournament whose matches have more than two seats, in a form that has two players a game. Pairs of their
/// seats would not be independent games, and whoever rates them would take them for such.
pub(crate) fn refuse_seats(tournament: &Tournament, form: &str) -> Result<()> {
    let (name, seats) = (&tournament.name, tournament.settings.seats);
    match seats {
        2 => Ok(()),
        _ => Err(Failure::usage(format!(
            "{form} is for matches of two seats, and {name} has {seats}"
        ))
        .hint("write .csv, .json or .jsonl")),
    }
}

/// Writes all matches of a tournament, in order of the schedule; with what was played of them if `has_moves`.
///
/// # Errors
/// When the game has not two seats, a record is missing or cannot be replayed, or nothing can be written.
pub(crate) fn write_pgn(
    journal: &Journal,
    tournament: &Tournament,
    has_moves: bool,
    out: &mut impl Write,
) -> Result<()> {
    refuse_seats(tournament, "PGN")?;
    let is_chess = without_version(&tournament.settings.game) == CHESS;
    let moves = |row: &MatchRow| match is_chess && row.reason != FORFEIT {
        _ if !has_moves => Ok(Moves::default()),
        true => moves_of(journal, row),
        false => Ok(Moves {
            opening: opening_of(journal, tournament, row)?,
            ..Moves::default()
        }),
    };
    let mut written = Ok(());
    journal.for_each_match(tournament.id, |row| {
        written = moves(&row).and_then(|moves| {
            let title =
                flipside_games::find(&row.game).map_or(&*row.game, |game| game.info().title);
            game(out, &row, title, &moves).map_err(Failure::new)
        });
        written.is_ok()
    })?;
    written
}

/// The moves of a match.
#[derive(Default)]
struct Moves {
    /// The seat that moves first.
    first: u8,
    /// The position at the start, if it is not the ordinary one.
    fen: Option<String>,
    /// The plies that were drawn, where they are not among the moves.
    opening: Option<String>,
    moves: Vec<String>,
}

fn moves_of(journal: &Journal, row: &MatchRow) -> Result<Moves> {
    let replay = MatchReplay::read(&journal.record(&row.id)?, Viewer::Open)?;
    let read = |json: &str| serde_json::from_str::<Value>(json).map_err(Failure::new);
    let options = read(replay.header.options.get())?;
    let usual = flipside_games::find(&row.game).map(|game| game.presets()[0].1.clone());
    let usual = usual.map_or(Ok(Value::Null), |json| read(&json))?;
    let fen = options["fen"]
        .as_str()
        .filter(|_| options["fen"] != usual["fen"]);
    let acts: Vec<_> = replay.steps.iter().flat_map(|step| &step.acts).collect();
    let words = acts.iter().filter_map(|act| act.words.clone());
    Ok(Moves {
        first: acts.first().map_or(0, |act| act.seat),
        fen: fen.map(str::to_owned),
        opening: None,
        moves: words.collect(),
    })
}

/// A game with its seven tags in their order, and then others.
fn game(out: &mut impl Write, row: &MatchRow, title: &str, moves: &Moves) -> io::Result<()> {
    let [white, black] = [0, 1].map(|seat| &row.seats[seat]);
    let result = match (white.points, black.points) {
        (1.0, _) => "1-0",
        (_, 1.0) => "0-1",
        // Nobody came, and nobody has points.
        (0.0, 0.0) => "*",
        _ => "1/2-1/2",
    };
    let time = utc(row.started_at);
    let (date, clock) = time.split_once('T').unwrap_or((&time, ""));
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(out, "[{name} \"{value}\"]")
    };
    tag("Event", &row.tournament)?;
    tag("Site", "?")?;
    tag("Date", &date.replace('-', "."))?;
    tag("Round", &(row.round + 1).to_string())?;
    tag("White", &white.bot)?;
    tag("Black", &black.bot)?;
    tag("Result", result)?;
    tag("UTCDate", &date.replace('-', "."))?;
    tag("UTCTime", clock.trim_end_matches('Z'))?;
    tag("Variant", title)?;
    tag(tags::GAME, &row.game)?;
    tag(tags::MATCH, &row.id)?;
    tag(tags::BLOCK, &row.block.to_string())?;
    for (name, seat) in tags::SEATS.into_iter().zip(&row.seats) {
        if let Some(colour) = seat.colour {
            tag(name, colour)?;
        }
    }
    if let Some(opening) = &moves.opening {
        tag(tags::OPENING, opening)?;
    }
    if let Some(fen) = &moves.fen {
        tag("SetUp", "1")?;
        tag("FEN", fen)?;
    }
    tag("PlyCount", &row.plies.to_string())?;
    let fault = row.seats.iter().find_map(|seat| seat.result.fault.as_ref());
    let termination = match fault.map(|fault| fault.name.as_str()) {
        None => "normal",
        Some("late") => "time forfeit",
        Some(_) => "rules infraction",
    };
    tag("Termination", termination)?;
    tag(tags::REASON, &row.reason)?;
    for (name, seat) in tags::FAULTS.into_iter().zip(&row.seats) {
        if let Some(fault) = &seat.result.fault {
            tag(name, &fault.name)?;
        }
    }
    if !row.counts {
        tag(tags::COUNTS, "no")?;
    }
    writeln!(out)?;
    writeln!(out, "{}\n", movetext(moves, result))
}

/// The moves with their numbers and the result, in lines.
fn movetext(moves: &Moves, result: &str) -> String {
    let number = |fen: &String| fen.split(' ').nth(5).and_then(|number| number.parse().ok());
    let mut number = moves.fen.as_ref().and_then(number).unwrap_or(1_u64);
    let mut is_white = moves.first == 0;
    let (mut text, mut length) = (String::new(), 0);
    let mut add = |word: &str| {
        match length {
            0 => {}
            _ if length + 1 + word.len() > LINE => {
                text.push('\n');
                length = 0;
            }
            _ => {
                text.push(' ');
                length += 1;
            }
        }
        text.push_str(word);
        length += word.len();
    };
    for (at, word) in moves.moves.iter().enumerate() {
        match (is_white, at) {
            (true, _) => add(&format!("{number}.")),
            (false, 0) => add(&format!("{number}...")),
            (false, _) => {}
        }
        add(word);
        number += u64::from(!is_white);
        is_white = !is_white;
    }
    add(result);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(first: u8, fen: Option<&str>, words: &str) -> Moves {
        Moves {
            first,
            fen: fen.map(str::to_owned),
            opening: None,
            moves: words.split_whitespace().map(str::to_owned).collect(),
        }
    }

    #[test]
    fn moves_have_numbers_and_short_lines() {
        let fools = moves(0, None, "f3 e5 g4 Qh4#");
        assert_eq!(movetext(&fools, "0-1"), "1. f3 e5 2. g4 Qh4# 0-1");
        let black = moves(1, Some("8/8/8/8/8/8/8/8 b - - 0 40"), "Kh7 Kg5 Kg7");
        assert_eq!(movetext(&black, "1/2-1/2"), "40... Kh7 41. Kg5 Kg7 1/2-1/2");
        assert_eq!(movetext(&Moves::default(), "1-0"), "1-0");
        let long = movetext(&moves(0, None, &"Nbd2 ".repeat(60)), "1-0");
        assert!(long.lines().count() > 3 && long.lines().all(|line| line.len() <= LINE));
        assert_eq!(long.matches("Nbd2").count(), 60);
    }
}
