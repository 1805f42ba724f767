//! Facts that a player may know, without reading a view. In a state built from a view, the aims of
//! the other side are sampled.

use super::extra_pro::ExtraPro;
use super::model::Scatter;
use super::rush::{Mode, Rush};
use rand_core::Rng;

use super::trays::{Cell, Control, Place, Side, Spot, Tray, Trays};

/// The maximum size of a tray.
pub const MAX_SIZE: usize = 6;

/// A value for each cell of the top tray and of the bottom tray, by file and rank.
pub type Cells<T> = [[[T; MAX_SIZE]; MAX_SIZE]; 2];

/// A token in the air: its side, and the tray (0 is the top one), file and rank of its aim.
pub type Aim = (u8, [usize; 3]);

/// Returns the number of a tray. 0 is the top one.
fn number(tray: Tray) -> usize {
    match tray {
        Tray::Top => 0,
        Tray::Bottom => 1,
    }
}

fn at(Spot { tray, cell }: Spot) -> [usize; 3] {
    [number(tray), cell.file.into(), cell.rank.into()]
}

/// Returns who controls each cell: positive is side 0, negative side 1.
fn control(trays: &Trays, control: Control) -> Cells<i8> {
    let mut cells = Cells::default();
    for (spot, token) in trays.stacked() {
        let [tray, file, rank] = at(spot);
        let cell: &mut i8 = &mut cells[tray][file][rank];
        let own = 1 - 2 * token.side as i8;
        *cell = match control {
            Control::Topmost => own,
            Control::Most => *cell + own,
        };
    }
    cells
}

/// Samples where a token of a side lands that is aimed at a cell, by tray, file and rank. Returns
/// nothing if it lands in no cell.
fn landing(
    scatter: &Scatter,
    size: u8,
    side: Side,
    [tray, file, rank]: [usize; 3],
    rng: &mut dyn Rng,
) -> Option<[usize; 3]> {
    let aim = Spot {
        tray: [Tray::Top, Tray::Bottom][tray],
        cell: Cell {
            file: file as u8,
            rank: rank as u8,
        },
    };
    match scatter.land(size, side, aim, rng) {
        Place::In(spot) => Some(at(spot)),
        Place::Rim(_) | Place::Miss => None,
    }
}

impl<M: Mode> Rush<M> {
    /// Samples where a token of a side lands that is aimed at a cell, by tray (0 is the top one),
    /// file and rank. Returns nothing if it lands in no cell.
    pub fn sample_landing(
        &self,
        side: Side,
        aim: [usize; 3],
        rng: &mut dyn Rng,
    ) -> Option<[usize; 3]> {
        landing(&self.scatter, self.trays.size, side, aim, rng)
    }

    /// Returns the number of cells along a side of a tray.
    pub fn size(&self) -> u8 {
        self.trays.size
    }

    /// Returns who controls each cell: 1 is side 0, -1 side 1, 0 nobody.
    pub fn control(&self) -> Cells<i8> {
        control(&self.trays, Control::Topmost)
    }

    /// Returns the points of each side.
    pub fn standing(&self) -> [u8; 2] {
        self.score
    }

    /// Returns the tokens in the air.
    pub fn aims(&self) -> impl Iterator<Item = Aim> + '_ {
        self.air.iter().map(|token| (token.side, at(token.aim)))
    }
}

impl ExtraPro {
    /// Samples where a token of a side lands that is aimed at a cell, by tray (0 is the top one),
    /// file and rank. Returns nothing if it lands in no cell.
    pub fn sample_landing(
        &self,
        side: Side,
        aim: [usize; 3],
        rng: &mut dyn Rng,
    ) -> Option<[usize; 3]> {
        landing(&self.scatter, self.trays.size, side, aim, rng)
    }

    /// Returns the number of cells along a side of a tray.
    pub fn size(&self) -> u8 {
        self.trays.size
    }

    /// Returns by how many tokens side 0 is ahead in each cell.
    pub fn control(&self) -> Cells<i8> {
        control(&self.trays, Control::Most)
    }

    /// Returns the points of each side.
    pub fn standing(&self) -> [u8; 2] {
        self.score
    }
}
