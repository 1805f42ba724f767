//! The trays of Puissance 4 Flip as the search sees them: who leads in each cell, and how many cells
//! of each line a side has. A landing changes only the lines through its cell.

use flipside_games::puissance4::Cells;

/// The cells of both trays, of which trays with fewer than six cells a side use some.
pub(super) const PLACES: usize = 72;

/// The cells of a line.
const LONG: usize = 4;

/// The longest side of a tray.
const LONGEST: usize = 6;

/// What part of a round it is worth to have so many cells of a line, the others empty. A whole line
/// ends the round.
const WORTH: [f64; LONG + 1] = [0.0, 0.0, 0.02, 0.1, 0.0];

/// What part of that remains for each cell of the line that the other side has.
const SHARED: [f64; LONG + 1] = [1.0, 0.75, 0.5, 0.25, 0.0];

/// Returns the number of a cell, by tray, file and rank.
pub(super) fn place([tray, file, rank]: [usize; 3]) -> usize {
    (tray * LONGEST + file) * LONGEST + rank
}

/// Returns the tray, file and rank of a cell.
fn split(at: usize) -> [usize; 3] {
    [at / LONGEST / LONGEST, at / LONGEST % LONGEST, at % LONGEST]
}

/// What a power empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cleared {
    /// All cells beside the landing cell.
    Beside,
    /// Its row.
    Row,
    /// Its column.
    Column,
    /// One cell.
    Cell(usize),
}

/// Returns whether two cells touch by a side or a corner.
pub(super) fn touch(one: usize, other: usize) -> bool {
    let ([tray, file, rank], [of, far, high]) = (split(one), split(other));
    one != other && tray == of && file.abs_diff(far) <= 1 && rank.abs_diff(high) <= 1
}

/// The lines of two trays.
pub(super) struct BoardLines {
    /// By line, its tray.
    trays: Vec<usize>,
    /// By cell, the lines through it.
    through: Vec<Vec<u8>>,
}

impl BoardLines {
    /// Lists the lines of trays with so many cells a side.
    pub(super) fn of(size: usize) -> Self {
        let mut lines = BoardLines {
            trays: Vec::new(),
            through: vec![Vec::new(); PLACES],
        };
        for tray in 0..2 {
            for file in 0..size {
                for rank in 0..size {
                    for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                        lines.add(size, [tray, file, rank], right, up);
                    }
                }
            }
        }
        lines
    }

    /// Adds the line that starts at a cell, if it is on the tray.
    fn add(&mut self, size: usize, [tray, file, rank]: [usize; 3], right: usize, up: isize) {
        let far = LONG - 1;
        let last = rank as isize + up * far as isize;
        if file + right * far >= size || !(0..size as isize).contains(&last) {
            return;
        }
        for step in 0..LONG {
            let rank = (rank as isize + up * step as isize) as usize;
            let at = place([tray, file + right * step, rank]);
            self.through[at].push(self.trays.len() as u8);
        }
        self.trays.push(tray);
    }
}

/// The trays in a round.
#[derive(Clone)]
pub(super) struct Board<'a> {
    lines: &'a BoardLines,
    /// By how many tokens side 0 is ahead in each cell.
    lead: [i8; PLACES],
    /// Whether only the topmost token of a cell counts.
    topmost: bool,
    /// By line, how many cells each side has.
    held: Vec<[u8; 2]>,
    /// The number of whole lines of each side, by tray.
    whole: [[u8; 2]; 2],
    /// What a line of a side is worth in each tray: the change of its chance to win the match.
    gains: [[f64; 2]; 2],
    /// What the lines are worth that are not whole, to side 0.
    open: f64,
}

impl<'a> Board<'a> {
    pub(super) fn new(
        lines: &'a BoardLines,
        lead: &Cells<i8>,
        topmost: bool,
        gains: [[f64; 2]; 2],
    ) -> Self {
        let mut board = Board {
            lines,
            lead: [0; PLACES],
            topmost,
            held: vec![[0; 2]; lines.trays.len()],
            whole: [[0; 2]; 2],
            gains,
            open: 0.0,
        };
        for (tray, files) in lead.iter().enumerate() {
            for (file, ranks) in files.iter().enumerate() {
                for (rank, &lead) in ranks.iter().enumerate() {
                    board.set(place([tray, file, rank]), lead);
                }
            }
        }
        board
    }

    /// Returns what the round is worth to side 0 if it ends now by the lines of a side, the better
    /// tray first; nothing if the side has no line.
    pub(super) fn ended_by(&self, side: usize) -> Option<f64> {
        let worth = |tray: usize| (self.whole[side][tray] > 0).then(|| self.gains[side][tray]);
        let sign = [1.0, -1.0][side];
        Some(sign * worth(0).into_iter().chain(worth(1)).reduce(f64::max)?)
    }

    /// Returns what the round is worth to side 0 as it stands.
    pub(super) fn value(&self) -> f64 {
        self.open
    }

    /// Returns the lead in a cell after a token of a side has landed there.
    fn landed(&self, at: usize, side: usize) -> i8 {
        let own = [1, -1][side];
        if self.topmost {
            own
        } else {
            self.lead[at] + own
        }
    }

    /// A token of a side lands in a cell. Returns the lead of before, for [`Board::set`].
    pub(super) fn land(&mut self, at: usize, side: usize) -> i8 {
        let before = self.lead[at];
        self.set(at, self.landed(at, side));
        before
    }

    /// Sets the lead in a cell.
    pub(super) fn set(&mut self, at: usize, lead: i8) {
        let (before, after) = (self.lead[at].signum(), lead.signum());
        self.lead[at] = lead;
        if before == after {
            return;
        }
        let lines = self.lines;
        for &line in &lines.through[at] {
            let line = usize::from(line);
            let tray = lines.trays[line];
            self.open -= self.open_worth(self.held[line], tray);
            let held = &mut self.held[line];
            for (side, sign) in [(0, 1), (1, -1)] {
                let was_whole = usize::from(held[side]) == LONG;
                held[side] += u8::from(after == sign);
                held[side] -= u8::from(before == sign);
                let is_whole = usize::from(held[side]) == LONG;
                let whole = &mut self.whole[side][tray];
                *whole = *whole + u8::from(is_whole) - u8::from(was_whole);
            }
            self.open += self.open_worth(self.held[line], tray);
        }
    }

    /// The power of a token that landed in a cell empties others.
    pub(super) fn clear(&mut self, landed: usize, cleared: Cleared) {
        let [tray, file, rank] = split(landed);
        for at in 0..PLACES {
            let [of, far, high] = split(at);
            let is_cleared = match cleared {
                Cleared::Beside => touch(landed, at),
                Cleared::Row => of == tray && high == rank,
                Cleared::Column => of == tray && far == file,
                Cleared::Cell(cell) => at == cell,
            };
            if is_cleared && self.lead[at] != 0 {
                self.set(at, 0);
            }
        }
    }

    /// Returns what the round would be worth to side 0 after a token of a side has landed in a cell,
    /// if no line stood before.
    pub(super) fn value_after(&self, at: usize, side: usize) -> f64 {
        let (before, after) = (self.lead[at].signum(), self.landed(at, side).signum());
        if before == after {
            return self.open;
        }
        let mut value = self.open;
        for &line in &self.lines.through[at] {
            let line = usize::from(line);
            let tray = self.lines.trays[line];
            let mut held = self.held[line];
            value -= self.open_worth(held, tray);
            for (side, sign) in [(0, 1), (1, -1)] {
                held[side] += u8::from(after == sign);
                held[side] -= u8::from(before == sign);
            }
            if usize::from(held[side]) == LONG {
                return [1.0, -1.0][side] * self.gains[side][tray];
            }
            value += self.open_worth(held, tray);
        }
        value
    }

    /// Returns what a line is worth to side 0 that is not whole.
    fn open_worth(&self, [own, other]: [u8; 2], tray: usize) -> f64 {
        let (own, other) = (usize::from(own), usize::from(other));
        self.gains[0][tray] * WORTH[own] * SHARED[other]
            - self.gains[1][tray] * WORTH[other] * SHARED[own]
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::chance::below;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    /// The gains differ by side and tray, so that no two are mistaken for each other.
    const GAINS: [[f64; 2]; 2] = [[0.4, 0.2], [0.3, 0.1]];

    #[test]
    fn trays_have_as_many_lines_as_counted_by_hand() {
        for (size, lines) in [(4, 10), (5, 28), (6, 54)] {
            assert_eq!(BoardLines::of(size).trays.len(), 2 * lines);
        }
    }

    #[test]
    fn landings_change_the_value_as_foretold_and_can_be_taken_back() {
        for topmost in [true, false] {
            let lines = BoardLines::of(5);
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let mut board = Board::new(&lines, &Cells::default(), topmost, GAINS);
            for _ in 0..500 {
                let mut number = |bound| below(&mut rng, bound) as usize;
                let (at, side) = (place([number(2), number(5), number(5)]), number(2));
                let (value, foretold) = (board.value(), board.value_after(at, side));
                let before = board.land(at, side);
                let now = board.ended_by(side).unwrap_or(board.value());
                assert!((now - foretold).abs() < 1e-9, "{now} {foretold}");
                if board.ended_by(side).is_some() {
                    board.set(at, before);
                    assert!((board.value() - value).abs() < 1e-9);
                    assert_eq!(board.ended_by(side), None);
                }
            }
        }
    }

    #[test]
    fn powers_empty_what_the_rules_say() {
        let lines = BoardLines::of(5);
        let mut all = Cells::default();
        for tray in &mut all {
            for file in &mut tray[..5] {
                file[..5].fill(1);
            }
        }
        let middle = place([1, 2, 2]);
        for (cleared, left) in [
            (Cleared::Beside, 50 - 8),
            (Cleared::Row, 50 - 5),
            (Cleared::Column, 50 - 5),
            (Cleared::Cell(place([1, 1, 1])), 50 - 1),
        ] {
            let mut board = Board::new(&lines, &all, false, GAINS);
            board.clear(middle, cleared);
            let lead: i32 = board.lead.iter().map(|&lead| i32::from(lead)).sum();
            assert_eq!(lead, left, "{cleared:?}");
        }
    }
}
