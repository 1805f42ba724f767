//! What the search asks of a game.

/// A move, or a piece put on the board: `from`, `to` and a kind of the game's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move(u16);

impl Move {
    /// No move.
    pub(crate) const NONE: Move = Move(u16::MAX);

    /// How many moves there are at most.
    pub(crate) const COUNT: usize = 1 << 12;

    pub(crate) const fn new(kind: u16, from: u8, to: u8) -> Self {
        Move(kind << 10 | (from as u16) << 5 | to as u16)
    }

    pub(crate) fn kind(self) -> u16 {
        self.0 >> 10
    }

    pub(crate) fn from(self) -> u8 {
        (self.0 >> 5 & 31) as u8
    }

    pub(crate) fn to(self) -> u8 {
        (self.0 & 31) as u8
    }

    /// Returns a number below [`Move::COUNT`].
    pub(crate) fn index(self) -> usize {
        usize::from(self.0) % Self::COUNT
    }
}

/// What a move leads to, from the point of view of the seat that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameEnd {
    /// The match goes on.
    Open,
    Won,
    Lost,
}

/// A position with everything that future play depends on, but for repetitions and the limit of plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PositionKey(pub(super) u64, pub(super) u32);

/// A position of a two-seat board game. "Own" is what belongs to the seat to move.
pub(crate) trait SearchPosition: Copy {
    /// Reads the board of a view: the ranks from the top down.
    fn read(rows: &[String], hands: [u8; 2], to_move: u8) -> Option<Self>;

    /// Calls a function with each legal move and a number that is the higher the sooner the
    /// move is worth a try.
    fn moves(&self, add: impl FnMut(Move, i32));

    /// Plays a legal move. The seat to move changes.
    fn play(&self, action: Move) -> (Self, GameEnd);

    /// Returns whether no earlier position can recur after a move.
    fn is_irreversible(&self, action: Move) -> bool;

    fn key(&self) -> PositionKey;

    /// Returns how good the position is for the seat to move. A lead of 100 is about three wins in four.
    fn evaluate(&self) -> i32;

    /// Returns whether the seat to move has a move that wins at once, as far as that is quickly seen.
    fn wins_at_once(&self) -> bool {
        false
    }

    /// Returns whether a position must not be judged by its looks, because the seat to move has to
    /// answer a threat. Can be true only a few times in a row.
    fn is_urgent(&self) -> bool {
        false
    }

    /// Writes a move in the game's notation.
    fn write(&self, action: Move, out: &mut String);
}
