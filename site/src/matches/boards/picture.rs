//! What the watchers of running matches are sent.

use bytes::Bytes;
use flipside_tournament::Name;
use tokio::sync::watch;

/// What watchers are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoardPicture {
    /// The tournament that is played; none where nothing is.
    pub(super) tournament: Option<Name>,
    /// Its boards, as an event that is ready to be written.
    pub(super) event: Bytes,
}

/// The newest picture, once there is one.
pub(crate) type Pictures = watch::Sender<Option<BoardPicture>>;
