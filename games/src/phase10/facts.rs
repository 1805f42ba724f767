//! Facts that a player may know, without reading a view. In a state built from a view, hidden cards
//! are sampled.

use super::cards::Face;
use super::groups::{GroupKind, Phase10Group, shapes};
use super::state::{Phase10, PlayerState, Stage};

use crate::seats::Seat;

impl Phase10 {
    /// Returns the faces in play of a seat's hand.
    pub fn hand(&self, seat: Seat) -> impl Iterator<Item = Face> + '_ {
        self.faces(seat)
    }

    /// Returns the groups of a seat's phase in this round, each with its kind and number of cards, in
    /// the order in which they are laid.
    pub fn wanted(&self, seat: Seat) -> impl Iterator<Item = (GroupKind, u8)> + use<> {
        shapes(self.phase(seat))
            .iter()
            .map(|shape| (shape.kind, shape.cards))
    }

    /// Returns the number of groups that a seat has laid in this round.
    pub fn groups_laid(&self, seat: Seat) -> usize {
        self.place(seat).groups.len()
    }

    /// Returns whether a seat has laid its phase in this round.
    pub fn is_down(&self, seat: Seat) -> bool {
        self.place(seat).laid
    }

    /// Returns the number of phases that a seat has completed, and its total. Lower totals are better.
    pub fn standing(&self, seat: Seat) -> (u8, u32) {
        let PlayerState {
            completed, score, ..
        } = *self.place(seat);
        (completed, score)
    }

    /// Returns the face in play of the top card of the discard pile.
    pub fn top_discard(&self) -> Option<Face> {
        let top = *self.discard_pile.last()?;
        Some(self.face(top, self.side))
    }

    /// Returns whether a group on the table takes a card with this face.
    pub fn fits_on_table(&self, face: Face) -> bool {
        let fits = |group: &Phase10Group| {
            let mut ends = group.ends().iter();
            ends.any(|&end| group.hit(face, end).is_some())
        };
        self.groups().any(fits)
    }

    /// Returns whether a seat has drawn a card and must still discard one.
    pub fn is_to_discard(&self, seat: Seat) -> bool {
        self.stage == Stage::Play && self.mover() == Some(seat)
    }

    /// Returns whether the next round is about to be dealt, so that hands do not count any more.
    pub fn is_between_rounds(&self) -> bool {
        self.stage == Stage::Deal
    }
}
