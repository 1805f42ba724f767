//! How processes are isolated.

use crate::jail::Jail;

/// How processes are isolated. Modules always run in the WebAssembly sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Not at all: a process may do what its user may do.
    #[default]
    Trust,
    /// A jail.
    Jail(Jail),
}

impl Isolation {
    /// Returns its name in records: `jail` or `trust`.
    pub fn name(&self) -> &'static str {
        match self {
            Isolation::Trust => "trust",
            Isolation::Jail(_) => "jail",
        }
    }
}
