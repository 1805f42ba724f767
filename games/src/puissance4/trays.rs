//! The two trays: cells, the tokens in them, who controls a cell, and lines of four.

use std::fmt;
use std::str::FromStr;

use crate::options::BoundedInt;
use crate::seats::Seat;

/// The number of a side: 0 is red, 1 is yellow.
pub type Side = u8;

/// Both sides.
pub(super) const SIDES: [Side; 2] = [0, 1];

/// The number of tokens of a side.
pub(super) const TOKENS: u8 = 21;

/// The number of cells of a line.
const LONG: u8 = 4;

/// The maximum size of a tray.
const MAX_SIZE: u32 = 6;

/// The number of cells along a side of a tray.
pub(super) type TraySize = BoundedInt<4, MAX_SIZE>;

/// The distance of files in the numbers of cells. It is larger than a file, so no line wraps around.
const STRIDE: u8 = 8;

/// Returns the opponent.
pub(super) const fn other(side: Side) -> Side {
    1 - side
}

/// Returns the side of a seat.
pub(super) const fn side_of(seat: Seat) -> Side {
    seat % 2
}

/// A tray. Trays are in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tray {
    /// The lower tray.
    Bottom,
    /// The upper tray.
    Top,
}

impl Tray {
    pub(super) const ALL: [Tray; 2] = [Tray::Bottom, Tray::Top];

    pub(super) const fn name(self) -> &'static str {
        ["bottom", "top"][self as usize]
    }
}

impl FromStr for Tray {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Tray::ALL.into_iter().find(|tray| tray.name() == text);
        known.ok_or("a tray is top or bottom")
    }
}

impl fmt::Display for Tray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cell of either tray, from `a1`. Cells are in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrayCell {
    /// The number of its file, from 0 at the left.
    pub file: u8,
    /// The number of its rank, from 0 at side 0.
    pub rank: u8,
}

impl TrayCell {
    /// Returns all cells of a tray in order.
    pub(super) fn all(size: u8) -> impl Iterator<Item = TrayCell> + Clone {
        (0..size).flat_map(move |file| (0..size).map(move |rank| TrayCell { file, rank }))
    }

    /// Returns whether a tray of this size has the cell.
    pub(super) const fn is_on(self, size: u8) -> bool {
        self.file < size && self.rank < size
    }

    /// Returns whether the cells touch by a side or a corner.
    pub(super) const fn is_next_to(self, cell: TrayCell) -> bool {
        let near = self.file.abs_diff(cell.file) <= 1 && self.rank.abs_diff(cell.rank) <= 1;
        near && (self.file != cell.file || self.rank != cell.rank)
    }

    /// Returns the number of rows between the cell and the row nearest to a side.
    pub(super) const fn rows_from(self, side: Side, size: u8) -> u8 {
        if side == 0 {
            self.rank
        } else {
            size - 1 - self.rank
        }
    }

    const fn number(self) -> u8 {
        self.file * STRIDE + self.rank
    }

    const fn bit(self) -> u64 {
        1 << self.number()
    }

    const fn numbered(number: u8) -> Self {
        TrayCell {
            file: number / STRIDE,
            rank: number % STRIDE,
        }
    }
}

impl TraySpot {
    /// Returns the mark of the cell on a drawing: `top-c3`.
    pub(super) fn mark(self) -> String {
        format!("{}-{}", self.tray, self.cell)
    }
}

impl FromStr for TrayCell {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match *text.as_bytes() {
            [file @ b'a'..=b'f', rank @ b'1'..=b'6'] => Ok(TrayCell {
                file: file - b'a',
                rank: rank - b'1',
            }),
            _ => Err("a cell is a file letter and a rank number"),
        }
    }
}

impl fmt::Display for TrayCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = (char::from(b'a' + self.file), self.rank + 1);
        write!(f, "{file}{rank}")
    }
}

/// A cell of one of the trays: `top c3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraySpot {
    /// The tray.
    pub tray: Tray,
    /// The cell of this tray.
    pub cell: TrayCell,
}

impl TraySpot {
    /// Returns all cells of both trays in order.
    pub(super) fn all(size: u8) -> impl Iterator<Item = TraySpot> + Clone {
        let trays = Tray::ALL.into_iter();
        trays.flat_map(move |tray| TrayCell::all(size).map(move |cell| TraySpot { tray, cell }))
    }
}

impl FromStr for TraySpot {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (tray, cell) = text
            .split_once(' ')
            .ok_or("a tray and a cell, like top c3")?;
        Ok(TraySpot {
            tray: tray.parse()?,
            cell: cell.parse()?,
        })
    }
}

impl fmt::Display for TraySpot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tray, self.cell)
    }
}

/// Where a token lands: `top c3`, `top rim`, `miss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingSpot {
    /// In a cell.
    In(TraySpot),
    /// On the rim of a tray, in no cell.
    Rim(Tray),
    /// Beside both trays.
    Miss,
}

impl LandingSpot {
    /// Returns whether trays of this size have the place.
    pub(super) fn is_on(self, size: u8) -> bool {
        match self {
            LandingSpot::In(spot) => spot.cell.is_on(size),
            LandingSpot::Rim(_) | LandingSpot::Miss => true,
        }
    }
}

impl FromStr for LandingSpot {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "miss" => Ok(LandingSpot::Miss),
            "top rim" => Ok(LandingSpot::Rim(Tray::Top)),
            "bottom rim" => Ok(LandingSpot::Rim(Tray::Bottom)),
            _ => Ok(LandingSpot::In(text.parse()?)),
        }
    }
}

impl fmt::Display for LandingSpot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LandingSpot::In(spot) => spot.fmt(f),
            LandingSpot::Rim(tray) => write!(f, "{tray} rim"),
            LandingSpot::Miss => f.write_str("miss"),
        }
    }
}

/// The mark on a token. Kinds are in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrayKind {
    /// Without a power.
    Basic,
    /// Empties all neighbouring cells.
    Bomb,
    /// Empties a neighbouring cell.
    Cell,
    /// Lets the seat launch once more.
    Double,
    /// Empties its row or its column.
    Line,
}

impl TrayKind {
    pub(super) const ALL: [TrayKind; 5] = [
        TrayKind::Basic,
        TrayKind::Bomb,
        TrayKind::Cell,
        TrayKind::Double,
        TrayKind::Line,
    ];

    pub(super) const fn name(self) -> &'static str {
        ["basic", "bomb", "cell", "double", "line"][self as usize]
    }

    const fn letter(self) -> char {
        ['T', 'B', 'C', 'D', 'L'][self as usize]
    }
}

impl FromStr for TrayKind {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = TrayKind::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or("a kind is basic, bomb, cell, double or line")
    }
}

impl fmt::Display for TrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) side: Side,
    pub(super) kind: TrayKind,
}

impl Token {
    /// Returns a token without a power.
    pub(super) const fn plain(side: Side) -> Self {
        Token {
            side,
            kind: TrayKind::Basic,
        }
    }

    /// Returns the letter of its kind, upper case for side 0, lower case for side 1.
    pub(super) const fn letter(self) -> char {
        match self.side {
            0 => self.kind.letter(),
            _ => self.kind.letter().to_ascii_lowercase(),
        }
    }

    pub(super) fn lettered(letter: char) -> Option<Self> {
        let kinds = TrayKind::ALL.into_iter();
        let mut tokens = kinds.flat_map(|kind| SIDES.map(|side| Token { side, kind }));
        tokens.find(|token| token.letter() == letter)
    }
}

/// Four adjacent cells of a tray in a row, column or diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrayLine {
    pub(super) tray: Tray,
    /// The number of the first cell. `step` leads from a cell to the next.
    start: u8,
    step: u8,
}

impl TrayLine {
    /// Returns its cells in order.
    pub(super) fn cells(self) -> [TrayCell; LONG as usize] {
        [0, 1, 2, 3].map(|steps| TrayCell::numbered(self.start + steps * self.step))
    }

    pub(super) fn has(self, spot: TraySpot) -> bool {
        spot.tray == self.tray && self.cells().contains(&spot.cell)
    }

    /// Returns the line of these cells, if they are one and in order.
    pub(super) fn through(tray: Tray, cells: &[TrayCell]) -> Option<Self> {
        let (first, second) = (cells.first()?, cells.get(1)?);
        let step = second.number().checked_sub(first.number())?;
        let line = TrayLine {
            tray,
            start: first.number(),
            step,
        };
        (STEPS.contains(&step) && line.start + 3 * step < 64 && line.cells() == *cells)
            .then_some(line)
    }

    /// Returns the place of the line in the order of claims: the top tray first, then by cells.
    pub(super) fn rank(self) -> (bool, u8, u8) {
        (self.tray == Tray::Bottom, self.start, self.step)
    }
}

/// The steps of lines: along a file, down a diagonal, along a rank, up a diagonal.
const STEPS: [u8; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

/// Returns the lines of four within a set of cells of a tray, in order.
fn lines_within(tray: Tray, cells: u64) -> Vec<TrayLine> {
    let mut lines = Vec::new();
    for step in STEPS {
        let mut starts = cells & (cells >> step) & (cells >> (2 * step)) & (cells >> (3 * step));
        while starts != 0 {
            let start = starts.trailing_zeros() as u8;
            starts &= starts - 1;
            lines.push(TrayLine { tray, start, step });
        }
    }
    lines.sort_by_key(|line| line.rank());
    lines
}

/// Who controls a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// The side of the topmost token.
    Topmost,
    /// The side with more tokens; if equal, nobody.
    Most,
}

/// The tokens in the cells and on the rims of both trays.
#[derive(Clone, Debug)]
pub struct Trays {
    pub(super) size: u8,
    /// The tokens in cells, those of a cell in the order of their landing.
    cells: Vec<(TraySpot, Token)>,
    /// The tokens on the rims.
    rims: Vec<(Tray, Token)>,
}

impl Trays {
    pub(super) fn empty(size: u8) -> Self {
        Trays {
            size,
            cells: Vec::new(),
            rims: Vec::new(),
        }
    }

    /// Puts a token on top of a cell's stack.
    pub(super) fn put(&mut self, spot: TraySpot, token: Token) {
        self.cells.push((spot, token));
    }

    /// Puts a token on a rim.
    pub(super) fn put_on_rim(&mut self, tray: Tray, token: Token) {
        self.rims.push((tray, token));
    }

    /// Removes the tokens of some cells of a tray.
    pub(super) fn clear(&mut self, tray: Tray, is_meant: impl Fn(TrayCell) -> bool) {
        self.cells
            .retain(|&(spot, _)| spot.tray != tray || !is_meant(spot.cell));
    }

    pub(super) fn wipe(&mut self) {
        self.cells.clear();
        self.rims.clear();
    }

    /// Returns the stack of a cell from bottom to top.
    pub(super) fn stack(&self, at: TraySpot) -> impl Iterator<Item = Token> + '_ {
        let there = self.cells.iter().filter(move |&&(spot, _)| spot == at);
        there.map(|&(_, token)| token)
    }

    /// Returns all tokens in cells, those of a stack from bottom to top.
    pub(super) fn stacked(&self) -> impl Iterator<Item = (TraySpot, Token)> + '_ {
        self.cells.iter().copied()
    }

    /// Returns the tokens on a rim.
    pub(super) fn rim(&self, at: Tray) -> impl Iterator<Item = Token> + '_ {
        let there = self.rims.iter().filter(move |&&(tray, _)| tray == at);
        there.map(|&(_, token)| token)
    }

    /// Returns all tokens in cells and on rims.
    pub(super) fn tokens(&self) -> impl Iterator<Item = Token> + '_ {
        let in_cells = self.cells.iter().map(|&(_, token)| token);
        in_cells.chain(self.rims.iter().map(|&(_, token)| token))
    }

    /// Returns the lines of a side in the order of [`TrayLine::rank`].
    pub(super) fn lines(&self, side: Side, control: Control) -> Vec<TrayLine> {
        let of = |tray| lines_within(tray, self.controlled(tray, side, control));
        let mut lines = of(Tray::Top);
        lines.extend(of(Tray::Bottom));
        lines
    }

    fn controlled(&self, tray: Tray, side: Side, control: Control) -> u64 {
        let mut more = [0i8; 64];
        for (spot, token) in self.cells.iter().filter(|(spot, _)| spot.tray == tray) {
            let tokens = if token.side == side { 1 } else { -1 };
            let cell = &mut more[usize::from(spot.cell.number())];
            *cell = match control {
                Control::Topmost => tokens,
                Control::Most => *cell + tokens,
            };
        }
        let cells = TrayCell::all(self.size).filter(|cell| more[usize::from(cell.number())] > 0);
        cells.fold(0, |cells, cell| cells | cell.bit())
    }
}

const _: () = assert!(MAX_SIZE * (STRIDE as u32) <= 64 && MAX_SIZE < STRIDE as u32 - 1);
