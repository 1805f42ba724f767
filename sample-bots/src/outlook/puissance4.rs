//! How the trays of Puissance 4 Flip look: how near each side is to four in a line, with what is in
//! the air counted as likely to come down where it is aimed.

use flipside_games::MOST_SEATS;
use flipside_games::puissance4::{Aim, Cells};

use super::Scores;

/// What a point is worth.
const POINT: f64 = 0.7;

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
pub(super) struct Table {
    pub(super) size: usize,
    /// Above 0 side 0 controls the cell, below 0 side 1.
    pub(super) control: Cells<i8>,
    pub(super) score: [u8; 2],
    /// What a line is worth in the top tray, against the bottom tray.
    pub(super) top_worth: f64,
}

/// The scores of the seats, which play for two sides in turn.
#[expect(
    clippy::needless_range_loop,
    reason = "tray, file and rank name a cell in several arrays"
)]
pub(super) fn scores(table: &Table, aims: impl Iterator<Item = Aim>) -> Scores {
    let mut held: [Cells<f64>; 2] = Default::default();
    for tray in 0..2 {
        for file in 0..table.size {
            for rank in 0..table.size {
                let lead = table.control[tray][file][rank];
                if lead != 0 {
                    let sure = 0.85 + MARGIN * (f64::from(lead.unsigned_abs()) - 1.0);
                    held[usize::from(lead < 0)][tray][file][rank] = sure.min(1.0);
                }
            }
        }
    }
    for (side, aim) in aims {
        expect(&mut held, table.size, side.into(), aim);
    }
    let mut scores = [0.0; MOST_SEATS];
    for seat in 0..MOST_SEATS {
        let side = seat % 2;
        let lines: f64 = [table.top_worth, 1.0]
            .into_iter()
            .enumerate()
            .map(|(tray, worth)| {
                worth * lines(&held[side][tray], &held[1 - side][tray], table.size)
            })
            .sum();
        scores[seat] = POINT * f64::from(table.score[side]) + lines;
    }
    scores
}

/// A token of a side is in the air.
#[expect(
    clippy::needless_range_loop,
    reason = "tray, file and rank name a cell in several arrays"
)]
fn expect(held: &mut [Cells<f64>; 2], size: usize, side: usize, [tray, file, rank]: [usize; 3]) {
    for near_file in file.saturating_sub(1)..(file + 2).min(size) {
        for near_rank in rank.saturating_sub(1)..(rank + 2).min(size) {
            let likely = match (near_file, near_rank) == (file, rank) {
                true => HIT,
                false => BESIDE,
            };
            let own = &mut held[side][tray][near_file][near_rank];
            *own += likely * (1.0 - *own);
            held[1 - side][tray][near_file][near_rank] *= 1.0 - likely;
        }
    }
}

/// What all lines of a tray are worth: the more of each is held, the more by its third power.
fn lines(own: &[[f64; 6]; 6], rival: &[[f64; 6]; 6], size: usize) -> f64 {
    let mut total = 0.0;
    let end = |from: usize, step: i8| match step {
        1 => from + LONG <= size,
        -1 => from + 1 >= LONG,
        _ => true,
    };
    for file in 0..size {
        for rank in 0..size {
            for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                if !(end(file, right) && end(rank, up)) {
                    continue;
                }
                let (mut held, mut lost) = (0.0, 0.0);
                for far in 0..LONG as i8 {
                    let file = file.wrapping_add_signed((right * far).into());
                    let rank = rank.wrapping_add_signed((up * far).into());
                    held += own[file][rank];
                    lost += rival[file][rank];
                }
                let part: f64 = held / LONG as f64;
                total += LINE * part * part * part * (1.0 - RIVAL * lost);
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[([usize; 3], i8)]) -> Table {
        let mut control = Cells::default();
        for &([tray, file, rank], lead) in cells {
            control[tray][file][rank] = lead;
        }
        Table {
            size: 5,
            control,
            score: [0, 0],
            top_worth: 1.0,
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
