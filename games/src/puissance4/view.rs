//! The common parts of the views of the three games, and their JSON.

use serde::{Deserialize, Serialize};

use super::trays::{
    LandingSpot, SIDES, Side, TOKENS, Token, Tray, TrayCell, TrayKind, TrayLine, TraySpot, Trays,
    side_of,
};
use crate::game::{ParseError, malformed, require};
use crate::json::{named, text_json};
use crate::seats::{Outcome, Seat};

text_json! {
    Tray: "^(bottom|top)$",
    TrayCell: "^[a-f][1-6]$",
    TraySpot: "^(bottom|top) [a-f][1-6]$",
    LandingSpot: "^((bottom|top) ([a-f][1-6]|rim)|miss)$",
    TrayKind: "^(basic|bomb|cell|double|line)$",
}

/// What becomes of a token that comes down on a tray but in no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EdgeRule {
    /// It is out for the round.
    #[default]
    Remove,
    /// It stays on the rim until the round ends, and does nothing there.
    Leave,
}

/// A tray.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrayView {
    /// The ranks from the last one down to rank 1, each with its cells from file a on. A cell is
    /// the stack of its tokens from bottom to top, a letter each: upper case for side 0, lower
    /// case for side 1; `T` is a token, and in extra pro the kinds are `T` basic, `B` bomb,
    /// `C` cell, `D` double, `L` line.
    pub ranks: Vec<Vec<String>>,
    /// The tokens that lie on the rim, in the same letters.
    pub rim: String,
}

impl TrayView {
    pub(super) fn of(trays: &Trays, tray: Tray) -> Self {
        let stack = |file, rank| {
            let cell = TrayCell { file, rank };
            letters(trays.stack(TraySpot { tray, cell }))
        };
        let ranks = (0..trays.size).rev();
        TrayView {
            ranks: ranks
                .map(|rank| (0..trays.size).map(|file| stack(file, rank)).collect())
                .collect(),
            rim: letters(trays.rim(tray)),
        }
    }

    /// Puts the tokens into the tray.
    fn fill(&self, trays: &mut Trays, tray: Tray) -> Result<(), ParseError> {
        let size = usize::from(trays.size);
        let fits = self.ranks.len() == size && self.ranks.iter().all(|rank| rank.len() == size);
        require!(fits, "a tray has {size} by {size} cells");
        for (rank, cells) in (0..trays.size).rev().zip(&self.ranks) {
            for (file, stack) in (0..).zip(cells) {
                let cell = TrayCell { file, rank };
                for letter in stack.chars() {
                    trays.put(TraySpot { tray, cell }, token(letter)?);
                }
            }
        }
        for letter in self.rim.chars() {
            trays.put_on_rim(tray, token(letter)?);
        }
        Ok(())
    }
}

/// Reads both trays.
pub(super) fn read_trays(size: u8, top: &TrayView, bottom: &TrayView) -> Result<Trays, ParseError> {
    let mut trays = Trays::empty(size);
    top.fill(&mut trays, Tray::Top)?;
    bottom.fill(&mut trays, Tray::Bottom)?;
    let fits = SIDES.iter().all(|&side| lying(&trays, side) <= TOKENS);
    require!(fits, "a side has {TOKENS} tokens in all");
    Ok(trays)
}

/// Returns the number of tokens of a side in and on the trays.
pub(super) fn lying(trays: &Trays, side: Side) -> u8 {
    let of_side = trays.tokens().filter(|token| token.side == side);
    of_side.count().try_into().unwrap_or(u8::MAX)
}

fn letters(tokens: impl Iterator<Item = Token>) -> String {
    tokens.map(Token::letter).collect()
}

fn token(letter: char) -> Result<Token, ParseError> {
    Token::lettered(letter).ok_or_else(|| malformed!("no token is {letter:?}"))
}

/// A line of four.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LineView {
    /// The tray in which it is.
    pub tray: Tray,
    /// Its four cells, in order.
    pub cells: Vec<TrayCell>,
}

impl LineView {
    pub(super) fn of(line: TrayLine) -> Self {
        LineView {
            tray: line.tray,
            cells: line.cells().into(),
        }
    }

    pub(super) fn line(&self, size: u8) -> Result<TrayLine, ParseError> {
        let line = TrayLine::through(self.tray, &self.cells);
        line.filter(|line| line.cells().iter().all(|cell| cell.is_on(size)))
            .ok_or_else(|| malformed!("a line is four adjacent cells of a tray, in order"))
    }
}

/// A line that was claimed and counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScoredLine {
    /// The round that it ended.
    pub round: u32,
    /// The side that had it.
    pub side: Side,
    /// The line.
    pub line: LineView,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Puissance4Over {
    /// The points by seat.
    pub points: Vec<i32>,
    /// By which rule.
    pub reason: Puissance4Reason,
}

named! {
    /// The rules by which a match ends.
    pub enum Puissance4Reason {
        /// A line won the match.
        Line = "line",
        /// A side has as many points as it takes.
        Points = "points",
        /// The most rounds were played: a draw.
        Limit = "limit",
    }
}

/// Returns the outcome of a match: one point for every seat of the winner.
pub(super) fn outcome(seats: u8, winner: Option<Side>, won_by: Puissance4Reason) -> Outcome {
    let points = (0..seats).map(|seat| i32::from(winner == Some(side_of(seat))));
    Outcome {
        points: points.collect(),
        reason: winner.map_or(Puissance4Reason::Limit, |_| won_by).name(),
    }
}

/// Returns the end of a match as a view shows it.
pub(super) fn over(seats: u8, winner: Option<Side>, won_by: Puissance4Reason) -> Puissance4Over {
    Puissance4Over {
        points: outcome(seats, winner, won_by).points.to_vec(),
        reason: winner.map_or(Puissance4Reason::Limit, |_| won_by),
    }
}

/// Returns the next holder of a launcher: the next member of the team in the order of seats.
pub(super) const fn next_holder(holder: Seat, seats: u8) -> Seat {
    if holder + 2 < seats {
        holder + 2
    } else {
        side_of(holder)
    }
}

/// Refuses a view with a side that does not exist, or with points that win a match that goes on.
pub(super) fn check_sides(
    sides: impl IntoIterator<Item = Side>,
    score: [u8; 2],
    target: u8,
    is_over: bool,
) -> Result<(), ParseError> {
    let known = sides.into_iter().all(|side| SIDES.contains(&side));
    require!(known, "there are two sides");
    let goes_on = score.iter().all(|&points| points < target);
    require!(goes_on || is_over, "the match is over");
    Ok(())
}
