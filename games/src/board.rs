//! Square boards of up to 5×5 squares: squares, sets of squares, straight lines, views and drawings.
//! The games define the pieces and their moves.

pub(crate) mod picture;
pub(crate) mod rows;
mod svg;
mod text;

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

pub use picture::BoardStyle;
pub use rows::Rows;

/// The maximum side of a board.
pub const MAX_SIDE: usize = 5;

/// The maximum number of squares of a board.
const MAX_SQUARES: usize = MAX_SIDE * MAX_SIDE;

/// The eight directions as steps of file and rank. Even indices are straight, odd ones diagonal.
/// The first four lead to greater squares; the opposite of a direction is four indices on.
const DIRECTIONS: [(i8, i8); 8] = [
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, -1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

/// A square of an `N` by `N` board. Squares are numbered file by file, `a1, a2, … b1 …`, so they
/// are in the byte order of their names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square<const N: usize>(u8);

/// The two ways in which pieces move and lines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardDirection {
    /// Along a file or a rank, like a rook.
    Straight,
    /// Along a diagonal, like a bishop.
    Diagonal,
}

impl<const N: usize> Square<N> {
    /// Returns the square on a file and a rank, counted from 0, or nothing off the board.
    pub const fn at(file: i8, rank: i8) -> Option<Self> {
        let side = N as i8;
        if 0 <= file && file < side && 0 <= rank && rank < side {
            Some(Square((file * side + rank) as u8))
        } else {
            None
        }
    }

    /// Returns the square with this name, a letter and a digit, or nothing off the board.
    pub fn named(name: [u8; 2]) -> Option<Self> {
        let [file, rank] = name;
        if file.is_ascii_lowercase() && rank.is_ascii_digit() {
            Square::at((file - b'a') as i8, rank as i8 - b'1' as i8)
        } else {
            None
        }
    }

    /// Returns all squares in order.
    pub fn all() -> Squares<N> {
        !Squares::NONE
    }

    /// Returns the file, from 0 for `a`.
    pub const fn file(self) -> i8 {
        (self.0 as usize / N) as i8
    }

    /// Returns the rank, from 0 for `1`.
    pub const fn rank(self) -> i8 {
        (self.0 as usize % N) as i8
    }

    /// Returns the way to another square, if a straight or diagonal line leads there.
    pub fn way_to(self, other: Self) -> Option<BoardDirection> {
        let (files, ranks) = (other.file() - self.file(), other.rank() - self.rank());
        match (files.abs(), ranks.abs()) {
            (0, 0) => None,
            (0, _) | (_, 0) => Some(BoardDirection::Straight),
            (files, ranks) if files == ranks => Some(BoardDirection::Diagonal),
            _ => None,
        }
    }

    /// Returns the distance to another square in a king's steps.
    pub fn distance(self, other: Self) -> u8 {
        let files = self.file().abs_diff(other.file());
        files.max(self.rank().abs_diff(other.rank()))
    }

    /// Returns the squares between this one and another on the line that joins them, the nearest
    /// first. There are none without such a line.
    pub fn between(self, other: Self) -> impl Iterator<Item = Self> {
        let step = (
            (other.file() - self.file()).signum(),
            (other.rank() - self.rank()).signum(),
        );
        let steps = self.way_to(other).map_or(0, |_| self.distance(other) as i8);
        (1..steps).filter_map(move |far| {
            Square::at(self.file() + step.0 * far, self.rank() + step.1 * far)
        })
    }

    /// Appends the name.
    pub fn write(self, out: &mut String) {
        out.push((b'a' + self.file() as u8) as char);
        out.push((b'1' + self.rank() as u8) as char);
    }
}

impl<const N: usize> fmt::Display for Square<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::with_capacity(2);
        self.write(&mut name);
        f.pad(&name)
    }
}

impl<const N: usize> fmt::Debug for Square<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of squares. As an iterator it gives its squares in order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Squares<const N: usize>(u32);

impl<const N: usize> Squares<N> {
    /// No square.
    pub const NONE: Self = Squares(0);

    const TABLES: &'static LineTables = &tables::<N>();

    /// Returns the set of one square.
    pub const fn one(square: Square<N>) -> Self {
        Squares(1 << square.0)
    }

    /// Returns the squares of a rank, counted from 0.
    pub const fn rank(rank: usize) -> Self {
        let mut squares = 0;
        let mut file = 0;
        while file < N {
            squares |= 1 << (file * N + rank);
            file += 1;
        }
        Squares(squares)
    }

    /// Returns the squares with a letter in a drawing of the board, from the top rank down.
    pub const fn drawn(rows: [&str; N], letter: u8) -> Self {
        let mut squares = 0;
        let mut row = 0;
        while row < N {
            let mut file = 0;
            while file < N {
                if rows[row].as_bytes()[file] == letter {
                    squares |= 1 << (file * N + N - 1 - row);
                }
                file += 1;
            }
            row += 1;
        }
        Squares(squares)
    }

    /// Returns whether a square is in the set.
    pub const fn has(self, square: Square<N>) -> bool {
        self.0 & 1 << square.0 != 0
    }

    /// Returns the set with a square added.
    #[must_use]
    pub const fn with(self, square: Square<N>) -> Self {
        Squares(self.0 | 1 << square.0)
    }

    /// Returns the set with a square removed.
    #[must_use]
    pub const fn without(self, square: Square<N>) -> Self {
        Squares(self.0 & !(1 << square.0))
    }

    /// Returns the set with a square added or, if it was in the set, removed.
    #[must_use]
    pub const fn toggled(self, square: Square<N>) -> Self {
        Squares(self.0 ^ 1 << square.0)
    }

    /// Returns the number of squares in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set is a subset of another.
    pub const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns the lowest square of the set.
    pub const fn lowest(self) -> Option<Square<N>> {
        if self.0 == 0 {
            None
        } else {
            Some(Square(self.0.trailing_zeros() as u8))
        }
    }

    /// Returns the set as a number with one bit per square.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns all squares that lie straight or diagonally from a square.
    pub fn star(from: Square<N>, way: BoardDirection) -> Self {
        Squares(Self::TABLES.stars[from.0 as usize][way as usize])
    }

    /// Returns the neighbours of a square in all eight directions.
    pub fn around(from: Square<N>) -> Self {
        Squares(Self::TABLES.around[from.0 as usize])
    }

    /// Returns the squares that a piece sees straight or diagonally from a square: in each direction
    /// up to and including the first square of `stops`.
    pub fn seen(from: Square<N>, way: BoardDirection, stops: Self) -> Self {
        let mut seen = Self::NONE;
        for direction in (way as usize..8).step_by(2) {
            let ray = Squares(Self::TABLES.rays[from.0 as usize][direction]);
            seen |= match (ray & stops).nearest(direction) {
                Some(stop) => Squares(ray.0 ^ Self::TABLES.rays[stop.0 as usize][direction]),
                None => ray,
            };
        }
        seen
    }

    /// Returns the squares that a square encloses: in each of the eight directions the unbroken run
    /// of squares of `run`, if a square of `end` follows it.
    pub fn enclosed(from: Square<N>, run: Self, end: Self) -> Self {
        let mut enclosed = Self::NONE;
        for direction in 0..8 {
            let ray = Squares(Self::TABLES.rays[from.0 as usize][direction]);
            if let Some(stop) = (ray & !run).nearest(direction) {
                if end.has(stop) {
                    let up_to = Squares(ray.0 ^ Self::TABLES.rays[stop.0 as usize][direction]);
                    enclosed |= up_to.without(stop);
                }
            }
        }
        enclosed
    }

    /// Returns the square of a ray in this direction that is nearest to its origin.
    fn nearest(self, direction: usize) -> Option<Square<N>> {
        match self.0 {
            0 => None,
            squares if direction < 4 => Some(Square(squares.trailing_zeros() as u8)),
            squares => Some(Square(squares.ilog2() as u8)),
        }
    }
}

impl<const N: usize> Iterator for Squares<N> {
    type Item = Square<N>;

    fn next(&mut self) -> Option<Square<N>> {
        let square = self.lowest()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl<const N: usize> FromIterator<Square<N>> for Squares<N> {
    fn from_iter<I: IntoIterator<Item = Square<N>>>(squares: I) -> Self {
        squares.into_iter().fold(Squares::NONE, Squares::with)
    }
}

impl<const N: usize> BitAnd for Squares<N> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Squares(self.0 & other.0)
    }
}

impl<const N: usize> BitOr for Squares<N> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Squares(self.0 | other.0)
    }
}

impl<const N: usize> BitOrAssign for Squares<N> {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl<const N: usize> Not for Squares<N> {
    type Output = Self;

    fn not(self) -> Self {
        Squares(!self.0 & ((1 << (N * N)) - 1))
    }
}

impl<const N: usize> fmt::Debug for Squares<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// Returns the letters of the files of a board.
fn files(side: usize) -> impl Iterator<Item = char> {
    ('a'..).take(side)
}

/// Returns all lines of `long` adjacent squares. `COUNT` is their number, checked at compile time.
pub(crate) const fn lines<const N: usize, const COUNT: usize>(long: i8) -> [Squares<N>; COUNT] {
    let mut lines = [Squares::NONE; COUNT];
    let mut count = 0;
    let mut start = 0;
    while start < N * N {
        let start_square = Square::<N>(start as u8);
        let mut direction = 0;
        while direction < 4 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut line = Squares::NONE;
            let mut far = 0;
            while far < long {
                let (file, rank) = (
                    start_square.file() + files * far,
                    start_square.rank() + ranks * far,
                );
                if let Some(square) = Square::at(file, rank) {
                    line = line.with(square);
                }
                far += 1;
            }
            if line.len() == long as usize {
                lines[count] = line;
                count += 1;
            }
            direction += 1;
        }
        start += 1;
    }
    assert!(count == COUNT, "not all lines are filled");
    lines
}

/// The squares that lie around each square.
struct LineTables {
    /// By direction, the squares up to the edge.
    rays: [[u32; 8]; MAX_SQUARES],
    /// Those that lie straight, and those that lie diagonally.
    stars: [[u32; 2]; MAX_SQUARES],
    /// The neighbours.
    around: [u32; MAX_SQUARES],
}

const fn tables<const N: usize>() -> LineTables {
    assert!(N <= MAX_SIDE, "the board is too large");
    let mut tables = LineTables {
        rays: [[0; 8]; MAX_SQUARES],
        stars: [[0; 2]; MAX_SQUARES],
        around: [0; MAX_SQUARES],
    };
    let mut from = 0;
    while from < N * N {
        let start = Square::<N>(from as u8);
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut far = 1;
            while let Some(square) =
                Square::<N>::at(start.file() + files * far, start.rank() + ranks * far)
            {
                let square = 1 << square.0;
                tables.rays[from][direction] |= square;
                tables.stars[from][direction % 2] |= square;
                if far == 1 {
                    tables.around[from] |= square;
                }
                far += 1;
            }
            direction += 1;
        }
        from += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square<5> {
        Square::named(name.as_bytes().try_into().expect("two letters")).expect("on the board")
    }

    fn squares(names: &str) -> Squares<5> {
        names.split_whitespace().map(square).collect()
    }

    #[test]
    fn squares_are_in_the_byte_order_of_their_names() {
        let names: Vec<String> = Square::<5>::all()
            .map(|square| square.to_string())
            .collect();
        assert_eq!(names.len(), 25);
        assert!(names.is_sorted());
        assert_eq!(
            (names[0].as_str(), names[1].as_str(), names[24].as_str()),
            ("a1", "a2", "e5")
        );
        assert!(Square::<5>::all().all(|it| it == square(&it.to_string())));
    }

    #[test]
    fn what_is_off_the_board_has_no_square() {
        for name in ["a0", "a6", "f1", "A1", "1a", "`1", "a:", "  ", "\0\0"] {
            let name: [u8; 2] = name.as_bytes().try_into().expect("two bytes");
            assert_eq!(Square::<5>::named(name), None, "{name:?}");
        }
        assert_eq!(Square::<3>::named(*b"d1"), None);
        assert_eq!(Square::<3>::named(*b"a4"), None);
    }

    #[test]
    fn a_piece_sees_up_to_the_first_stop() {
        let stops = squares("c4 b3 e5");
        assert_eq!(
            Squares::seen(square("c3"), BoardDirection::Straight, stops),
            squares("c4 b3 c2 c1 d3 e3")
        );
        assert_eq!(
            Squares::seen(square("c3"), BoardDirection::Diagonal, stops),
            squares("d4 e5 b4 a5 b2 a1 d2 e1")
        );
    }

    #[test]
    fn seeing_agrees_with_walking() {
        // Every square, every other, a few hundred sets of stops.
        let mut stops = 0x1234_5678_u32;
        for _ in 0..300 {
            stops = stops.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let stops = Squares::<5>(stops >> 7);
            for from in Square::all() {
                for way in [BoardDirection::Straight, BoardDirection::Diagonal] {
                    let walked = Square::all()
                        .filter(|&to| from.way_to(to) == Some(way))
                        .filter(|&to| from.between(to).all(|on_the_way| !stops.has(on_the_way)))
                        .collect::<Squares<5>>();
                    assert_eq!(Squares::seen(from, way, stops), walked, "{from} {stops:?}");
                }
            }
        }
    }

    #[test]
    fn a_run_is_enclosed_only_if_it_ends_at_a_piece_of_ones_own() {
        let run = squares("b1 c1 a2 b2 d4");
        assert_eq!(
            Squares::enclosed(square("a1"), run, squares("d1")),
            squares("b1 c1")
        );
        assert_eq!(
            Squares::enclosed(square("a1"), run, squares("e1")),
            Squares::NONE
        );
        assert_eq!(
            Squares::enclosed(square("a1"), run, squares("a3 c3")),
            squares("a2 b2")
        );
    }

    #[test]
    fn a_square_has_three_five_or_eight_neighbours() {
        assert_eq!(Squares::around(square("a1")), squares("a2 b1 b2"));
        assert_eq!(Squares::around(square("c1")).len(), 5);
        assert_eq!(Squares::around(square("c3")).len(), 8);
    }

    #[test]
    fn there_are_28_lines_of_four_and_12_of_five() {
        let fours: [Squares<5>; 28] = lines(4);
        let fives: [Squares<5>; 12] = lines(5);
        for line in fours.iter().chain(&fives) {
            let ends = (
                line.lowest().expect("not empty"),
                line.last().expect("not empty"),
            );
            assert!(
                ends.0.between(ends.1).all(|square| line.has(square)),
                "{line:?}"
            );
        }
        assert!(fours.contains(&squares("b1 c2 d3 e4")));
        assert!(fives.contains(&squares("a5 b4 c3 d2 e1")));
    }
}
