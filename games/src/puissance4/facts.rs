//! What a player may ask about a match, without reading a view. In a state made up for a viewer the
//! other side's aims are made up.

use super::extra_pro::ExtraPro;
use super::rush::{Mode, Rush};
use super::trays::{Control, Spot, Tray, Trays};

/// The largest size of a tray.
pub const LARGEST: usize = 6;

/// A number for each cell: of the top tray and of the bottom tray, by file and rank.
pub type Cells<T> = [[[T; LARGEST]; LARGEST]; 2];

/// A token in the air: its side, and the tray (0 the top one), file and rank it is aimed at.
pub type Aim = (u8, [usize; 3]);

/// A tray as its number: 0 the top one.
fn number(tray: Tray) -> usize {
    match tray {
        Tray::Top => 0,
        Tray::Bottom => 1,
    }
}

fn at(Spot { tray, cell }: Spot) -> [usize; 3] {
    [number(tray), cell.file.into(), cell.rank.into()]
}

/// Who controls each cell: above 0 side 0, below 0 side 1.
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

impl<M: Mode> Rush<M> {
    /// The cells of a side of a tray.
    pub fn size(&self) -> u8 {
        self.trays.size
    }

    /// Who controls each cell: 1 is side 0, -1 side 1, 0 nobody.
    pub fn control(&self) -> Cells<i8> {
        control(&self.trays, Control::Topmost)
    }

    /// The points of each side.
    pub fn standing(&self) -> [u8; 2] {
        self.score
    }

    /// The tokens in the air.
    pub fn aims(&self) -> impl Iterator<Item = Aim> + '_ {
        self.air.iter().map(|token| (token.side, at(token.aim)))
    }
}

impl ExtraPro {
    /// The cells of a side of a tray.
    pub fn size(&self) -> u8 {
        self.trays.size
    }

    /// By how many tokens side 0 is ahead in each cell.
    pub fn control(&self) -> Cells<i8> {
        control(&self.trays, Control::Most)
    }

    /// The points of each side.
    pub fn standing(&self) -> [u8; 2] {
        self.score
    }
}
