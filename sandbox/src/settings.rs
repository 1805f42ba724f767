//! What is the same for all bots of a command.

use std::path::PathBuf;

use crate::isolation::Isolation;
use crate::module::compiler::Compiler;

/// The memory of a module where none is named, in bytes.
pub const MEMORY: u64 = flipside_jail::MEMORY;

/// How many modules run at once where nothing is named.
pub const INSTANCES: u32 = 256;

/// What is the same for all bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    /// A folder of this user's for compiled modules and unpacked bundles; without one, every command makes them anew.
    pub cache: Option<PathBuf>,
    /// Compiles modules in a process of its own, within its limits; without one they are compiled in
    /// this process, however long that takes: only for modules that somebody has read.
    pub compiler: Option<Compiler>,
    /// What a module may use, in bytes, rounded down to pages of 64 KiB.
    pub memory: u64,
    /// How many modules may run at once. Each reserves about 4 GiB of addresses, but no memory.
    pub instances: u32,
    /// How processes are isolated.
    pub isolation: Isolation,
    /// Whether processes may compute on the turns of others. Otherwise those that are seen to are stopped
    /// there.
    pub ponder: bool,
}

impl Default for SandboxSettings {
    fn default() -> Self {
        SandboxSettings {
            cache: None,
            compiler: None,
            memory: MEMORY,
            instances: INSTANCES,
            isolation: Isolation::default(),
            ponder: false,
        }
    }
}
