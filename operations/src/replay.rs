//! Boards of a match that was played, from its record.

use flipside_games::{Table, Viewer};
use flipside_referee::{Record, Replay, VerifyError};

use crate::{Failure, Result};

/// The table after so many plies, as SVG.
///
/// # Errors
/// When the record is wrong.
pub fn svg_after(record: &Record, plies: u64, viewer: Viewer) -> Result<String, VerifyError> {
    let mut replay = Replay::new(record)?;
    let mut ply = 0;
    while ply < plies {
        let Some(step) = replay.step()? else { break };
        ply += step.line.plies();
    }
    Ok(replay.table().svg(viewer))
}

/// The table at the end of a record, as SVG.
///
/// # Errors
/// When the record is wrong.
pub fn svg_of_record(record: &str, viewer: Viewer) -> Result<String> {
    let record = Record::read(record).map_err(Failure::new)?;
    svg_after(&record, u64::MAX, viewer).map_err(Failure::new)
}

/// The table at the end of a record, all open, as text.
///
/// # Errors
/// When the record is wrong.
pub fn last_board(record: &str) -> Result<String> {
    let record = Record::read(record).map_err(Failure::new)?;
    let mut replay = Replay::new(&record).map_err(Failure::new)?;
    while replay.step().map_err(Failure::new)?.is_some() {}
    Ok(Table::text(replay.table(), Viewer::Open))
}
