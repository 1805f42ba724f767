//! What all bots of a command share, and the one place where bots are started.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use flipside_protocol::ClockUnit;

use crate::bundle::{BundleError, Store};
use crate::launch::Launch;
use crate::module::Module;
use crate::module::engine::Modules;
use crate::process::Process;
use crate::process::affinity::Pinning;
use crate::{Bot, Compiler, Isolation, Kind, OpenError, Program, StartError};

/// The memory of a module where none is named, in bytes.
pub const MEMORY: u64 = flipside_jail::MEMORY;

/// How many modules run at once where nothing is named.
pub const INSTANCES: u32 = 256;

/// What is the same for all bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
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

impl Default for Settings {
    fn default() -> Self {
        Settings {
            cache: None,
            compiler: None,
            memory: MEMORY,
            instances: INSTANCES,
            isolation: Isolation::default(),
            ponder: false,
        }
    }
}

/// What is different for every bot that starts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// The seed of a module's randomness.
    pub seed: u64,
    /// What its clock counts. Only a module can be started with a clock that counts fuel.
    pub unit: ClockUnit,
    /// What the log calls this bot, such as the match and the seat.
    pub label: &'a str,
}

/// Starts bots; cheap to clone, and shared by all threads of a command.
#[derive(Clone)]
pub struct Sandbox {
    shared: Arc<Shared>,
    /// Where bots of one thread are kept.
    pinning: Option<Pinning>,
}

struct Shared {
    settings: Settings,
    /// Made with the first module: a command that plays processes needs none of it.
    timed: OnceLock<Arc<Modules>>,
    /// Those whose clock counts fuel, which is compiled into their code.
    metered: OnceLock<Arc<Modules>>,
    making: Mutex<()>,
    /// Made with the first bundle that is a process.
    store: OnceLock<Arc<Store>>,
    opening: Mutex<()>,
}

impl Sandbox {
    /// A sandbox with these settings.
    pub fn new(settings: Settings) -> Self {
        Sandbox {
            shared: Arc::new(Shared {
                settings,
                timed: OnceLock::new(),
                metered: OnceLock::new(),
                making: Mutex::default(),
                store: OnceLock::new(),
                opening: Mutex::default(),
            }),
            pinning: None,
        }
    }

    /// The same sandbox for one thread, which keeps itself and the bots that it starts on some processors; see
    /// [`Pinning`].
    #[must_use]
    pub fn pinned(&self, pinning: Pinning) -> Self {
        Sandbox {
            shared: Arc::clone(&self.shared),
            pinning: Some(pinning),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// How much memory the bots of a program may use, in bytes: what all may use, or what is set for it alone, or less
    /// where its bundle asks for less. Nothing keeps processes within it without a jail.
    pub fn memory_of(&self, program: &Program) -> u64 {
        let settings = self.settings();
        match (&settings.isolation, program.kind()) {
            (Isolation::Jail(jail), Kind::Process) => program.memory(jail.limits().memory),
            _ => program.memory(settings.memory),
        }
    }

    /// Compiles a module and unpacks a bundle, unless that is done already here or in the cache, and sees whether
    /// they keep the rules. For a process of one file there is nothing to do. `unit` is what its clock will count.
    ///
    /// # Errors
    /// Says why the program cannot be started.
    pub fn prepare(&self, program: &Program, unit: ClockUnit) -> Result<(), OpenError> {
        match (program.kind(), unit) {
            (Kind::Process, ClockUnit::Fuel) => Err(OpenError::NoFuel(program.path().into())),
            (Kind::Process, ClockUnit::Time) => self.unpacked(program).map(|_| ()),
            (Kind::Module, unit) => self.modules(unit)?.prepare(program).map(|_| ()),
        }
    }

    /// Starts a bot. It is quick for a module that was prepared; another is prepared first.
    ///
    /// It is called on the thread that will use the bot, and which outlives it: a process is killed
    /// when the thread that started it ends.
    ///
    /// # Errors
    /// Says why it does not start.
    ///
    /// # Panics
    /// For a process, outside of a tokio runtime with I/O and time.
    pub fn start(&self, program: &Program, start: &Start<'_>) -> Result<Bot, StartError> {
        let bot = match program.kind() {
            Kind::Process if start.unit == ClockUnit::Fuel => {
                return Err(OpenError::NoFuel(program.path().into()).into());
            }
            Kind::Process => {
                let (folder, store) = self.unpacked(program)?.unzip();
                let launch = Launch {
                    program,
                    folder: folder.as_deref(),
                    memory: self.memory_of(program),
                    isolation: &self.settings().isolation,
                };
                let process = Process::start(launch, self.pinning.as_ref())?;
                Bot::process(process, store, start.label)
            }
            Kind::Module => {
                let module = Module::start(&self.modules(start.unit)?, program, start.seed)?;
                Bot::module(module, start.label)
            }
        };
        tracing::debug!(bot = start.label, program = program.name(), kind = %program.kind(), "started");
        Ok(bot)
    }

    /// Where the files of a bundle are that is a process, for as long as there is the store; nothing for a program of
    /// one file.
    fn unpacked(&self, program: &Program) -> Result<Option<(PathBuf, Arc<Store>)>, OpenError> {
        let Some(bundle) = program.as_bundle() else {
            return Ok(None);
        };
        if let Isolation::Jail(jail) = &self.settings().isolation {
            program.check_memory(jail.limits().memory)?;
        }
        let failed = |source| OpenError::Bundle {
            path: program.path().into(),
            source: Box::new(source),
        };
        let store = self.store().map_err(failed)?;
        let folder = store.unpacked(bundle).map_err(failed)?;
        Ok(Some((folder, store)))
    }

    fn store(&self) -> Result<Arc<Store>, BundleError> {
        if let Some(store) = self.shared.store.get() {
            return Ok(Arc::clone(store));
        }
        let opening = &self.shared.opening;
        let _one_at_a_time = opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = self.shared.store.get() {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Store::open(self.settings().cache.as_deref())?);
        Ok(Arc::clone(self.shared.store.get_or_init(|| store)))
    }

    fn modules(&self, unit: ClockUnit) -> Result<Arc<Modules>, OpenError> {
        let all = match unit {
            ClockUnit::Time => &self.shared.timed,
            ClockUnit::Fuel => &self.shared.metered,
        };
        if let Some(modules) = all.get() {
            return Ok(Arc::clone(modules));
        }
        let _one_at_a_time = self
            .shared
            .making
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(modules) = all.get() {
            return Ok(Arc::clone(modules));
        }
        let modules = Arc::new(Modules::new(&self.shared.settings, unit)?);
        Ok(Arc::clone(all.get_or_init(|| modules)))
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_is_for_all_threads() {
        fn is_shared<T: Clone + Send + Sync>() {}
        is_shared::<Sandbox>();
        is_shared::<Program>();
    }
}
