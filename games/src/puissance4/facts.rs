//! Facts that a player may know, without reading a view. In a state built from a view, the aims of
//! the other side are sampled.

use rand_core::Rng;

use super::model::Scatter;
use super::trays::{LandingSpot, Side, Tray, TrayCell, TrayKind, TraySpot, Trays};
use crate::game::Game;

/// The maximum size of a tray.
pub const MAX_SIZE: usize = 6;

/// A value for each cell of the top tray and of the bottom tray, by file and rank.
pub type Cells<T> = [[[T; MAX_SIZE]; MAX_SIZE]; 2];

/// A token in the air: its side, and the tray (0 is the top one), file and rank of its aim.
pub type Aim = (u8, [usize; 3]);

/// What an action does.
pub enum Does {
    /// It launches a token of a kind.
    Launch(TraySpot, TrayKind),
    /// It waits.
    Nothing,
    /// It changes the trays at once.
    Clears,
}

/// A game of launches.
pub trait Launches: Game {
    /// The points that win a match.
    const TARGET: u8;
    /// The points of a line in the top tray. One in the bottom tray counts 1.
    const TOP: u8;
    /// Whether the topmost token controls a cell, and not the majority.
    const TOPMOST: bool;

    /// Returns what an action does.
    fn does(action: Self::Action) -> Does;

    /// Returns the points of each side.
    fn standing(&self) -> [u8; 2];

    /// Returns the tokens in the air.
    fn aims(&self) -> impl Iterator<Item = Aim> {
        std::iter::empty()
    }

    #[doc(hidden)]
    fn table(&self) -> (&Scatter, &Trays);

    /// Returns the points of a line in a tray.
    fn worth(tray: Tray) -> u8 {
        match tray {
            Tray::Bottom => 1,
            Tray::Top => Self::TOP,
        }
    }

    /// Returns the number of cells along a side of a tray.
    fn size(&self) -> u8 {
        self.table().1.size
    }

    /// Returns who controls each cell: positive is side 0, negative side 1. It is 1 or -1 where the topmost
    /// token decides, and otherwise by how many tokens the side is ahead.
    fn control(&self) -> Cells<i8> {
        let mut cells = Cells::default();
        for (spot, token) in self.table().1.stacked() {
            let [tray, file, rank] = spot.place();
            let cell: &mut i8 = &mut cells[tray][file][rank];
            let own = 1 - 2 * token.side as i8;
            *cell = if Self::TOPMOST { own } else { *cell + own };
        }
        cells
    }

    /// Samples where a token of a side lands that is aimed at a cell, by tray (0 is the top one),
    /// file and rank. Returns nothing if it lands in no cell.
    fn sample_landing(
        &self,
        side: Side,
        [tray, file, rank]: [usize; 3],
        rng: &mut dyn Rng,
    ) -> Option<[usize; 3]> {
        let aim = TraySpot {
            tray: [Tray::Top, Tray::Bottom][tray],
            cell: TrayCell {
                file: file as u8,
                rank: rank as u8,
            },
        };
        let (scatter, trays) = self.table();
        match scatter.land(trays.size, side, aim, rng) {
            LandingSpot::In(spot) => Some(spot.place()),
            LandingSpot::Rim(_) | LandingSpot::Miss => None,
        }
    }
}

impl TraySpot {
    /// Returns the tray (0 is the top one), the file and the rank.
    pub fn place(self) -> [usize; 3] {
        let TraySpot { tray, cell } = self;
        let tray = usize::from(tray == Tray::Bottom);
        [tray, cell.file.into(), cell.rank.into()]
    }
}
