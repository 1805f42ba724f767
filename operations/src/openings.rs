//! The openings of matches, which only their records have.

use flipside_referee::{Line, Record};
use flipside_store::{Journal, MatchRow};
use flipside_tournament::{FORFEIT, Tournament};

use crate::failure::{Failure, Result};

/// The plies of a match that were drawn before anybody was asked, with spaces between them; nothing where none were.
///
/// # Errors
/// When the record is missing or cannot be read.
pub(crate) fn opening_of(
    journal: &Journal,
    tournament: &Tournament,
    row: &MatchRow,
) -> Result<Option<String>> {
    if tournament.settings.opening_plies == 0 || row.reason == FORFEIT {
        return Ok(None);
    }
    let record = Record::read(&journal.record(&row.id)?)
        .map_err(|error| Failure::new(error).about(&row.id))?;
    let opening = record.lines.iter().find_map(|(_, line)| match line {
        Line::Opening { acts } => Some(acts),
        _ => None,
    });
    Ok(opening.map(|acts| {
        let actions: Vec<&str> = acts.iter().map(|act| &*act.action).collect();
        actions.join(" ")
    }))
}
