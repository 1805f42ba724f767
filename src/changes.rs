//! What the commands of organisers print.

use flipside_operations::{ChangeMade, Result};
use flipside_report::{plain_line, words};

use crate::output::{note, print};

/// Prints a change of a tournament.
pub(crate) fn show(made: &ChangeMade) -> Result<()> {
    let ChangeMade {
        tournament,
        change,
        is_running: _,
    } = made;
    let name = &tournament.name;
    print(&format!("{name}: {}\n", words::changed(change)))?;
    if change.index.is_none() {
        note!(
            "{}",
            plain_line(&format!(
                "{name} is running: this happens when its running matches have ended"
            ))
        );
    }
    Ok(())
}
