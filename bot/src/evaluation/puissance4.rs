//! How the trays of Puissance 4 Flip look: how near each side is to four in a line, with what is in
//! the air counted as likely to come down where it is aimed.

use flipside_games::puissance4::{Aim, Cells, Launches};

use super::scores::Scores;

/// What a point is worth.
const POINT: f64 = 0.7;

/// What the lead in a round is worth at most, where a line scores and does not win.
const ROUND: f64 = 1.0;

/// What a whole line is worth that has not been claimed yet.
const LINE: f64 = 2.0;

/// How much of a line is worth as much less for each cell in it that a rival controls.
const RIVAL: f64 = 0.12;

/// How likely a token comes down in the cell that it is aimed at, and in one of those beside it.
const HIT: f64 = 0.4;
const BESIDE: f64 = 0.05;

/// How much surer a cell is with each token more.
const MARGIN: f64 = 0.12;

/// The cells of a line.
const LONG: usize = 4;

/// What is on the table.
struct ValueTable {
    size: usize,
    /// Above 0 side 0 controls the cell, below 0 side 1.
    control: Cells<i8>,
    score: [u8; 2],
    /// What a line is worth in the top tray, against the bottom tray.
    top_worth: f64,
    /// Whether a line wins the match, those of both trays alike, or scores.
    line_wins: bool,
}

/// How surely a side has each cell of a tray, from 0 to 1, by [`place`].
type CellControl = [f64; PLACES];

/// Room for the cells of a tray: eight by eight, of which the first files and ranks are used.
const PLACES: usize = 64;

/// The number of a cell in a tray.
const fn place(file: usize, rank: usize) -> usize {
    file * 8 + rank
}

impl ValueTable {
    fn of<G: Launches>(game: &G) -> Self {
        ValueTable {
            size: game.size().into(),
            control: game.control(),
            score: game.standing(),
            top_worth: G::TOP.into(),
            line_wins: G::TARGET == 1,
        }
    }
}

/// The scores of the seats of a match.
pub(super) fn scores_of<G: Launches>(game: &G) -> Scores {
    scores(&ValueTable::of(game), game.aims())
}

/// The scores of the seats, which play for two sides in turn.
fn scores(table: &ValueTable, aims: impl Iterator<Item = Aim>) -> Scores {
    // By tray and side.
    let mut held: [[CellControl; 2]; 2] = [[[0.0; PLACES]; 2]; 2];
    for (held, control) in held.iter_mut().zip(&table.control) {
        for (file, cells) in control.iter().enumerate().take(table.size) {
            for (rank, &lead) in cells.iter().enumerate().take(table.size) {
                if lead != 0 {
                    let sure = 0.85 + MARGIN * (f64::from(lead.unsigned_abs()) - 1.0);
                    held[usize::from(lead < 0)][place(file, rank)] = sure.min(1.0);
                }
            }
        }
    }
    for (side, [tray, file, rank]) in aims {
        expect(&mut held[tray], table.size, side.into(), file, rank);
    }
    let mut sides = [0.0; 2];
    for (held, worth) in held.iter().zip([table.top_worth, 1.0]) {
        for (side, lines) in sides.iter_mut().zip(lines(held, table.size)) {
            *side += worth * lines;
        }
    }
    if !table.line_wins {
        // However much is on the trays, a round brings one line: with it the rest is gone.
        let lead = sides[0] - sides[1];
        let round = ROUND * lead / (4.0 + lead * lead).sqrt();
        sides = table.score.map(|score| POINT * f64::from(score));
        sides[0] += round;
    }
    std::array::from_fn(|seat| sides[seat % 2])
}

/// A token of a side is in the air.
fn expect(held: &mut [CellControl; 2], size: usize, side: usize, file: usize, rank: usize) {
    for near_file in file.saturating_sub(1)..(file + 2).min(size) {
        for near_rank in rank.saturating_sub(1)..(rank + 2).min(size) {
            let likely = if (near_file, near_rank) == (file, rank) {
                HIT
            } else {
                BESIDE
            };
            let at = place(near_file, near_rank);
            let own = &mut held[side][at];
            *own += likely * (1.0 - *own);
            held[1 - side][at] *= 1.0 - likely;
        }
    }
}

/// What all lines of a tray are worth to each side: the more of each is held, the more by its
/// third power.
fn lines([one, other]: &[CellControl; 2], size: usize) -> [f64; 2] {
    let mut totals = [0.0; 2];
    let (lines, count) = &LINES[size - LONG];
    for line in &lines[..*count] {
        let sum = |held: &CellControl| -> f64 {
            // No place is beyond 63, which spares a check of each.
            line.iter().map(|&at| held[usize::from(at) % PLACES]).sum()
        };
        let (mine, yours) = (sum(one), sum(other));
        let worth = |held: f64, lost: f64| {
            let part = held / LONG as f64;
            LINE * part * part * part * (1.0 - RIVAL * lost)
        };
        totals[0] += worth(mine, yours);
        totals[1] += worth(yours, mine);
    }
    totals
}

/// The lines of a tray, and how many there are: 10, 28 or 54 for trays of 4, 5 and 6 cells a side.
type OpenLines = ([[u8; LONG]; 54], usize);

/// The lines of the trays of each size.
const LINES: [OpenLines; 3] = [lines_of(4), lines_of(5), lines_of(6)];

const fn lines_of(size: usize) -> OpenLines {
    let mut lines = [[0; LONG]; 54];
    let mut count = 0;
    let mut at = 0;
    while at < size * size {
        let (file, rank) = (at / size, at % size);
        let (right, up, down) = (file + LONG <= size, rank + LONG <= size, rank + 1 >= LONG);
        let ways = [(right, 8), (up, 1), (right && up, 9), (right && down, 7)];
        let mut way = 0;
        while way < ways.len() {
            let (fits, step) = ways[way];
            if fits {
                let mut far = 0;
                while far < LONG {
                    lines[count][far] = (place(file, rank) + far * step) as u8;
                    far += 1;
                }
                count += 1;
            }
            way += 1;
        }
        at += 1;
    }
    (lines, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[([usize; 3], i8)]) -> ValueTable {
        let mut control = Cells::default();
        for &([tray, file, rank], lead) in cells {
            control[tray][file][rank] = lead;
        }
        ValueTable {
            size: 5,
            control,
            score: [0, 0],
            top_worth: 1.0,
            line_wins: true,
        }
    }

    fn lead(cells: &[([usize; 3], i8)], aims: &[Aim]) -> f64 {
        let scores = scores(&table(cells), aims.iter().copied());
        scores[0] - scores[1]
    }

    #[test]
    fn what_is_nearer_to_a_line_is_worth_more_and_teams_share_it() {
        let [one, two, three] = [[1, 0, 0], [1, 1, 0], [1, 2, 0]].map(|cell| (cell, 1));
        let apart = (([1, 4, 2]), 1);
        assert!(lead(&[one, two, three], &[]) > lead(&[one, two, apart], &[]));
        assert!(lead(&[one], &[]) > 0.0);
        let all = scores(&table(&[one]), std::iter::empty());
        assert_eq!((all[0], all[1]), (all[4], all[5]));
    }

    #[test]
    fn an_aim_that_completes_a_line_is_better_than_another() {
        let row = [[1, 0, 0], [1, 1, 0], [1, 2, 0]].map(|cell| (cell, 1));
        let to = |cell| lead(&row, &[(0, cell)]);
        assert!(to([1, 3, 0]) > to([1, 4, 4]) && to([1, 4, 4]) > lead(&row, &[]));
        let rivals = row.map(|(cell, _)| (cell, -1));
        let against = |cell| lead(&rivals, &[(0, cell)]);
        assert!(
            against([1, 1, 0]) > against([0, 4, 4]),
            "it breaks the line"
        );
    }
}
