//! Boards of a match that was played, from its record.

use flipside_games::{Table, Viewer};
use flipside_referee::{Line, Record, Replay, VerifyError};

use crate::{Failure, Result};

/// How many plies a line of a record has.
pub fn plies_of(line: &Line) -> u64 {
    match line {
        Line::Opening { acts } | Line::Acts { acts } => acts.len() as u64,
        _ => 0,
    }
}

/// The table after so many plies, as SVG.
///
/// # Errors
/// When the record is wrong.
pub fn svg_after(record: &Record, plies: u64, viewer: Viewer) -> Result<String, VerifyError> {
    let mut replay = Replay::new(record)?;
    let mut ply = 0;
    while ply < plies {
        let Some(step) = replay.step()? else { break };
        ply += plies_of(step.line);
    }
    Ok(replay.table().svg(viewer))
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
