//! Keeps the standings of a watched tournament: they are computed from the journal, beside the run, and
//! the longer that takes the more seldom.

use std::path::Path;
use std::time::{Duration, Instant};

use flipside_store::{Arena, Result, table};
use flipside_tournament::{Standings, Tournament};

use super::shared::WatchShared;

/// The least time between two computations.
const EVERY: Duration = Duration::from_secs(1);

/// What was computed is as long left as it is, times this: so at most a tenth of the time goes into it, also
/// when a million matches take two seconds.
const REST: u32 = 9;

/// Computes the standings now and then until the run ends.
pub(super) fn keep(shared: &WatchShared, arena: &Path, tournament: &Tournament) {
    let mut done = None;
    let mut rest = Duration::ZERO;
    while shared.goes_on_after(rest) {
        let landed = shared.state().done;
        rest = EVERY;
        if done == Some(landed) {
            continue;
        }
        let began = Instant::now();
        match compute(arena, tournament) {
            Ok(standings) => {
                shared.state().standings = Some(standings);
                done = Some(landed);
            }
            // The run will tell, if it meets the same.
            Err(error) => tracing::warn!(%error, "the standings cannot be computed"),
        }
        rest = rest.max(began.elapsed() * REST);
    }
}

fn compute(arena: &Path, tournament: &Tournament) -> Result<Standings> {
    let journal = Arena::open(arena)?.read_journal()?;
    // It may have been changed since.
    table(&journal, &journal.tournament(tournament.name.as_str())?)
}
