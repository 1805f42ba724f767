//! The content of a drawing of the three games, as text and as SVG.

use super::trays::{Control, LandingSpot, Side, Tray, TrayKind, TraySpot, side_of};
use super::view::{LineView, Puissance4Over, ScoredLine, TrayView};
use crate::seats::Seat;
use crate::words::joined;

/// The content of a drawing.
pub(super) struct Puissance4Scene<'a> {
    pub(super) title: &'static str,
    pub(super) round: u32,
    pub(super) tick: Option<u32>,
    pub(super) control: Control,
    pub(super) top: &'a TrayView,
    pub(super) bottom: &'a TrayView,
    pub(super) sides: [SideScene; 2],
    /// The lines that stand, with their sides.
    pub(super) lines: Vec<(Side, &'a LineView)>,
    /// The last landings.
    pub(super) landed: Vec<(Side, LandingSpot)>,
    /// Whether they happened just now.
    pub(super) landed_now: bool,
    /// The cell of a token whose power is still to be used.
    pub(super) marked: Option<TraySpot>,
    /// One line about whose turn it is or how the match ended.
    pub(super) caption: String,
    pub(super) scored: Option<&'a ScoredLine>,
    /// The side that the caption is about.
    pub(super) about: Option<Side>,
}

/// The tokens and the launcher of a side.
#[derive(Default)]
pub(super) struct SideScene {
    pub(super) score: u8,
    pub(super) holder: Seat,
    /// The tokens in hand, in words.
    pub(super) hand: String,
    /// The tokens in hand, a letter each.
    pub(super) tokens: String,
    pub(super) ready: bool,
    pub(super) in_air: Vec<Age>,
    pub(super) picked_up: usize,
    pub(super) out: usize,
}

/// A token in the air.
pub(super) struct Age {
    /// The ticks since its launch, in games with ticks.
    pub(super) ticks: Option<u32>,
    pub(super) kind: TrayKind,
    pub(super) aim: Option<TraySpot>,
}

/// Returns the name of a side.
pub(super) const fn name(side: Side) -> &'static str {
    if side == 0 { "Red" } else { "Yellow" }
}

/// Describes where a token comes down: `Red's token lands in top c3`.
pub(super) fn landing_in_words(side: Side, token: &str, place: LandingSpot) -> String {
    let side = name(side);
    match place {
        LandingSpot::In(spot) => format!("{side}'s {token} lands in {spot}"),
        LandingSpot::Rim(tray) => format!("{side}'s {token} lands on the rim of the {tray} tray"),
        LandingSpot::Miss => format!("{side}'s {token} misses both trays"),
    }
}

/// Names seats with their sides: `Red (seat 0) and Yellow (seat 1)`.
pub(super) fn seats_in_words(seats: &[Seat]) -> String {
    let words = |&seat: &Seat| format!("{} (seat {seat})", name(side_of(seat)));
    joined(seats.iter().map(words), " and ")
}

/// Returns the side that won, if one did.
pub(super) fn winner(over: &Puissance4Over) -> Option<Side> {
    let winner = over.points.iter().position(|&points| points > 0);
    winner.map(|seat| side_of(seat as Seat))
}

/// Describes the end of a match.
pub(super) fn over_in_words(over: &Puissance4Over) -> String {
    let reason = over.reason.name();
    match winner(over) {
        Some(side) => format!("{} wins: {reason}", name(side)),
        None => format!("Draw: {reason}"),
    }
}

impl Puissance4Scene<'_> {
    pub(super) fn headline(&self) -> String {
        let (title, round, caption) = (self.title, self.round, &self.caption);
        match self.tick {
            Some(tick) => format!("{title}, round {round}, tick {tick}: {caption}"),
            None => format!("{title}, round {round}: {caption}"),
        }
    }

    pub(super) fn tray(&self, tray: Tray) -> &TrayView {
        match tray {
            Tray::Top => self.top,
            Tray::Bottom => self.bottom,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.top.ranks.len()
    }

    /// Describes the last landings and the last line that counted.
    pub(super) fn news(&self) -> String {
        let mut news = Vec::new();
        if !self.landed.is_empty() {
            let landed = |(side, place): &(Side, LandingSpot)| format!("{} {place}", name(*side));
            let landed = joined(self.landed.iter().map(landed), ", ");
            news.push(format!("down: {landed}"));
        }
        if let Some(ScoredLine { round, side, line }) = self.scored {
            let (name, cells) = (name(*side), joined(&line.cells, " "));
            news.push(format!("{name} had {} {cells} in round {round}", line.tray));
        }
        news.join("; ")
    }
}
