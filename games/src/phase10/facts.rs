//! What a player may ask about a match, without reading a view. In a state made up for a viewer most
//! of what is hidden is made up.

use super::groups::{Kind, shapes};
use super::{Face, Phase10, Place, Stage};
use crate::Seat;

impl Phase10 {
    /// The faces in play of a seat's hand.
    pub fn hand(&self, seat: Seat) -> impl Iterator<Item = Face> + '_ {
        self.faces(seat)
    }

    /// The groups that a seat's phase of this round asks for: of what kind and of how many cards, in
    /// the order in which they are laid.
    pub fn wanted(&self, seat: Seat) -> impl Iterator<Item = (Kind, u8)> + use<> {
        shapes(self.phase(seat))
            .iter()
            .map(|shape| (shape.kind, shape.cards))
    }

    /// How many groups of its phase a seat has laid in this round.
    pub fn groups_laid(&self, seat: Seat) -> usize {
        self.place(seat).groups.len()
    }

    /// Whether a seat has laid its phase in this round.
    pub fn is_down(&self, seat: Seat) -> bool {
        self.place(seat).laid
    }

    /// How many phases a seat has completed, and its total, of which low is good.
    pub fn standing(&self, seat: Seat) -> (u8, u32) {
        let Place {
            completed, score, ..
        } = *self.place(seat);
        (completed, score)
    }

    /// Whether a card with this face could be added to a group on the table.
    pub fn fits_on_table(&self, face: Face) -> bool {
        let mut groups = self
            .all_places()
            .iter()
            .flat_map(|place| place.groups.iter());
        groups.any(|group| {
            group
                .ends()
                .iter()
                .any(|&end| group.hit(face, end).is_some())
        })
    }

    /// Whether a seat has drawn a card and is yet to discard one.
    pub fn is_to_discard(&self, seat: Seat) -> bool {
        self.stage == Stage::Play && self.mover() == Some(seat)
    }

    /// Whether the next round is about to be dealt, and hands count no more.
    pub fn is_between_rounds(&self) -> bool {
        self.stage == Stage::Deal
    }
}
