//! Plays tournaments: threads play the matches, or workers on other machines do, and one thread stores what comes of
//! them. However many matches are played at once, the same tournament comes of it.

mod aside;
mod error;
mod live;
mod messages;
mod queue;
mod remote_backend;
mod remote_blocks;
mod remote_match;
mod run;
mod stop_signal;
#[cfg(test)]
mod testing;
mod threads;

pub use aside::Unready;
pub use error::{MAX_GAME_FAILURES, RunnerError};
pub use live::{Drawing, Live, LiveMatch, LiveSeat};
pub use messages::MAX_TRIES;
pub use remote_backend::{RemoteBackend, RemoteRunner};
pub use remote_blocks::{Assignment, NotLanded, RemoteBlocks, ToAudit, Voided};
pub use remote_match::{NotPlayed, RemoteMatch, RemoteSeat};
pub use run::{MAX_GIVEN_UP_IN_A_ROW, RunEvent, RunSummary, run};
pub use stop_signal::StopSignal;
pub use threads::{Affinity, MatchThreads};
