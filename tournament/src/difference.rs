//! How settings differ from what they were.

use serde::Serialize;

/// One thing that two settings do not agree in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// How it was.
    pub was: String,
    /// How it would be now.
    pub is: String,
}
