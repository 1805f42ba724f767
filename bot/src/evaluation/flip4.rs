//! How a table of FLIP 4 looks: how many pieces lie in a line already, and how likely it is that
//! the dice let the last one in.

use flipside_games::board::Square;
use flipside_games::flip4::LINES;
use flipside_games::{Flip4, Game, MAX_SEATS};

use super::scores::Scores;

/// The squares of a side.
const SIDE: usize = 5;

/// The corners, from which a piece goes on anywhere, by the places of their bits.
const CORNERS: [usize; 4] = [0, 4, 20, 24];

/// What a line is worth by how many own pieces are in it. All four is the end.
const WORTH: [f64; 5] = [0.0, 0.02, 0.18, 0.7, 3.0];

/// How much of that a rival's piece in the line takes away. It stands in nobody's way: it flips.
const RIVAL: f64 = 0.1;

/// What it is worth to complete a line with the next roll, if that is certain.
const THREAT: f64 = 3.0;

pub(super) fn scores(game: &Flip4) -> Scores {
    let mut scores = [0.0; MAX_SEATS];
    let layout = Flip4Layout::of(game);
    let all = (0..game.seats()).fold(0, |all, seat| all | game.pieces(seat).bits());
    for seat in 0..game.seats() {
        let look = layout.look(game.pieces(seat).bits(), all);
        scores[usize::from(seat)] = look.lines + THREAT * look.completes;
    }
    scores
}

/// The board of a match.
#[derive(Clone, Debug)]
pub struct Flip4Layout {
    /// By square, how likely a roll gives its number.
    chances: Vec<f64>,
}

/// How the pieces of a seat lie.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineScore {
    /// What its lines are worth.
    pub lines: f64,
    /// How likely its next roll completes a line.
    pub completes: f64,
}

impl Flip4Layout {
    /// Reads the numbers of a match's squares.
    pub fn of(game: &Flip4) -> Self {
        let chances = Square::all().map(|square| game.number(square).map_or(0.0, chance));
        Flip4Layout {
            chances: chances.collect(),
        }
    }

    /// Looks at the pieces of a seat among all pieces, each given as the bits of its squares.
    pub fn look(&self, own: u32, all: u32) -> LineScore {
        let mut look = LineScore::default();
        let mut misses = 1.0;
        for line in &LINES {
            let line = line.bits();
            let count = (line & own).count_ones() as usize;
            if count == 0 {
                continue;
            }
            let rivals = f64::from((line & all & !own).count_ones());
            look.lines += WORTH[count] * (1.0 - RIVAL * rivals);
            if count == 3 {
                misses *= 1.0 - completion(own, line, &self.chances);
            }
        }
        look.completes = 1.0 - misses;
        look
    }
}

/// How likely the next roll lets the fourth piece into a line of three.
fn completion(own: u32, line: u32, chances: &[f64]) -> f64 {
    let last = (own & !line).trailing_zeros() as usize;
    let open = (line & !own).trailing_zeros() as usize;
    match last {
        // A seat that has yet to place its last piece needs the number of the open square.
        32 => chances[open],
        _ if touches(last, open) || CORNERS.iter().any(|&corner| touches(last, corner)) => {
            chances[last]
        }
        _ => 0.0,
    }
}

fn touches(one: usize, other: usize) -> bool {
    one != other
        && (one / SIDE).abs_diff(other / SIDE) <= 1
        && (one % SIDE).abs_diff(other % SIDE) <= 1
}

/// How likely a roll gives a number: the part of the 36 rolls whose sum, difference or product it
/// is.
fn chance(number: u8) -> f64 {
    f64::from(ROLLS[usize::from(number)]) / 36.0
}

/// Of how many of the 36 rolls each number is a result.
const ROLLS: [u8; 37] = {
    let mut rolls = [0; 37];
    let mut roll = 0_usize;
    while roll < 36 {
        let (one, other) = (roll / 6 + 1, roll % 6 + 1);
        let (sum, difference, product) = (one + other, one.abs_diff(other), one * other);
        rolls[sum] += 1;
        if difference != sum {
            rolls[difference] += 1;
        }
        if product != sum && product != difference {
            rolls[product] += 1;
        }
        roll += 1;
    }
    rolls
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_give_each_number_as_often_as_counted_by_hand() {
        // 0: six doubles. 36: 6x6. 7: six sums. 6: 1+5, 2+4, 3+3, 1x6, 2x3 and their mirrors.
        for (number, rolls) in [(0, 6.0), (36, 1.0), (7, 6.0), (6, 9.0), (25, 1.0)] {
            assert_eq!(chance(number) * 36.0, rolls, "{number}");
        }
    }
}
