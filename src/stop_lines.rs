//! What is said when a signal stops a run.

/// What is said when the first signal comes, and the second.
pub(crate) const STOPPING_SOON: &str =
    "stopping: waiting for the running matches; press Ctrl-C again to abort them";

pub(crate) const STOPPING_NOW: &str = "stopping now";
