//! The sign of a seat beside its name: what its pieces look like on the board.

use std::fmt;

use flipside_games::{Seat, SeatLook};

/// What a page calls a seat: a piece of its colour, and the name of the colour or the number of the seat.
#[derive(Clone, Debug)]
pub(crate) struct SeatSign {
    seat: Seat,
    look: Option<SeatLook>,
}

impl SeatSign {
    pub(crate) fn new(seat: Seat, look: Option<SeatLook>) -> Self {
        SeatSign { seat, look }
    }

    /// The piece, as SVG; empty where seats have no colours.
    pub(crate) fn piece(&self) -> String {
        let Some(SeatLook { fill, rim, .. }) = self.look else {
            return String::new();
        };
        format!(
            "<svg class=\"sign\" viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" \
             r=\"8\" fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"2\"/></svg>"
        )
    }
}

impl fmt::Display for SeatSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.look.and_then(|look| look.name) {
            Some(name) => f.write_str(name),
            None => write!(f, "seat {}", self.seat),
        }
    }
}
