//! What all bots of a command share, and the one place where bots are started.

use std::fmt;
use std::sync::{Arc, Mutex};

use flipside_protocol::ClockUnit;

use crate::bot::{BotRuns, SandboxBot};
use crate::bundle::Bundle;
use crate::bundle::error::BundleError;
use crate::bundle::store::{Store, Unpacked};
use crate::error::{OpenError, StartError};
use crate::isolation::Isolation;
use crate::launch::Launch;
use crate::lock::lock;
use crate::module::Module;
use crate::module::engine::Modules;
use crate::process::affinity::Pinning;
use crate::process::{self, Process};
use crate::program::{Program, ProgramKind};
use crate::settings::SandboxSettings;

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
    shared: Arc<SandboxShared>,
    /// Where bots of one thread are kept.
    pinning: Option<Pinning>,
}

struct SandboxShared {
    settings: SandboxSettings,
    /// Made with the first module: a command that plays processes needs none of it.
    timed: Lazy<Modules>,
    /// Those whose clock counts fuel, which is compiled into their code.
    metered: Lazy<Modules>,
    /// Made with the first bundle that is a process.
    store: Lazy<Store>,
}

/// What is made when it is wanted first; where that fails, it is tried again the next time.
type Lazy<T> = Mutex<Option<Arc<T>>>;

fn made<T, E>(lazy: &Lazy<T>, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
    Ok(Arc::clone(match &mut *lock(lazy) {
        Some(made) => made,
        none => none.insert(Arc::new(make()?)),
    }))
}

impl Sandbox {
    /// A sandbox with these settings.
    pub fn new(settings: SandboxSettings) -> Self {
        Sandbox {
            shared: Arc::new(SandboxShared {
                settings,
                timed: Lazy::default(),
                metered: Lazy::default(),
                store: Lazy::default(),
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
    pub fn settings(&self) -> &SandboxSettings {
        &self.shared.settings
    }

    /// How much memory the bots of a program may use, in bytes: what all may use, or what is set for it alone, or less
    /// where its bundle asks for less. Nothing keeps processes within it without a jail.
    pub fn memory_of(&self, program: &Program) -> u64 {
        let settings = self.settings();
        match (&settings.isolation, program.kind()) {
            (Isolation::Jail(jail), ProgramKind::Process) => program.memory(jail.limits().memory),
            _ => program.memory(settings.memory),
        }
    }

    /// Compiles a module and unpacks a bundle, unless that is done already here or in the cache, and sees whether
    /// they keep the rules. For a process of one file there is nothing to do. `unit` is what its clock will count.
    ///
    /// # Errors
    /// Says why the program cannot be started.
    pub fn prepare(&self, program: &Program, unit: ClockUnit) -> Result<(), OpenError> {
        let prepared = self.prepare_all(&[(program, unit)], &mut || ());
        prepared.map(drop).map_err(|(_, error)| error)
    }

    /// Prepares the programs that play together. Their bundles stay unpacked for as long as there is what it returns.
    /// `give_back` is called once before this waits for others to be over, whose bundles take all the room; it ends
    /// bots that are not needed.
    ///
    /// # Errors
    /// Says which program cannot be started, by its place, and why.
    pub fn prepare_all(
        &self,
        programs: &[(&Program, ClockUnit)],
        give_back: &mut dyn FnMut(),
    ) -> Result<Prepared, (usize, OpenError)> {
        let mut bundles = Vec::new();
        for (at, (program, unit)) in programs.iter().enumerate() {
            let failed = |error| (at, error);
            match (program.kind(), *unit) {
                (ProgramKind::Process, ClockUnit::Fuel) => {
                    return Err(failed(OpenError::NoFuel(program.path().into())));
                }
                (ProgramKind::Process, ClockUnit::Time) => {
                    let bundle = self.bundle_of(program).map_err(failed)?;
                    bundles.extend(bundle.map(|bundle| (at, bundle)));
                }
                (ProgramKind::Module, unit) => {
                    let modules = self.modules(unit).map_err(failed)?;
                    modules.prepare(program).map_err(failed)?;
                }
            }
        }
        let Some((first, _)) = bundles.first() else {
            return Ok(Prepared(Vec::new()));
        };
        let failed = |at: usize| {
            let path = programs[at].0.path();
            move |error| (at, OpenError::bundle(path)(error))
        };
        let store = self.store().map_err(failed(*first))?;
        let all: Vec<&Bundle> = bundles.iter().map(|(_, bundle)| *bundle).collect();
        let held = store.hold(&all, give_back);
        held.map(Prepared)
            .map_err(|(one, error)| failed(bundles[one].0)(error))
    }

    /// Whether a match waits for the room that the bundles of others take: bots that wait for their next match are to
    /// end.
    pub fn is_short_of_room(&self) -> bool {
        let store = lock(&self.shared.store);
        store.as_ref().is_some_and(|store| store.is_short())
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
    pub fn start(&self, program: &Program, start: &Start<'_>) -> Result<SandboxBot, StartError> {
        self.begin(program, start)?.started()
    }

    /// Begins to start a bot, as [`Sandbox::start`] does, and leaves it to [`Starting::started`] to wait until it runs:
    /// to isolate a process takes a while, in which others can be begun.
    ///
    /// # Errors
    /// Says why it does not start, as far as that is known at once.
    pub fn begin<'s>(
        &'s self,
        program: &'s Program,
        start: &Start<'_>,
    ) -> Result<Starting<'s>, StartError> {
        let (begun, bundle) = match program.kind() {
            ProgramKind::Process if start.unit == ClockUnit::Fuel => {
                return Err(OpenError::NoFuel(program.path().into()).into());
            }
            ProgramKind::Process => {
                let unpacked = self.unpacked(program)?;
                let launch = Launch {
                    program,
                    folder: unpacked.as_ref().map(|unpacked| unpacked.folder().into()),
                    memory: self.memory_of(program),
                    isolation: &self.settings().isolation,
                    processors: self.pinning.as_ref().map(Pinning::everywhere),
                };
                let process = Process::begin(launch, self.pinning.as_ref())?;
                (BegunBot::Process(Box::new(process)), unpacked)
            }
            ProgramKind::Module => {
                let module = Module::start(&self.modules(start.unit)?, program, start.seed)?;
                (BegunBot::Module(Box::new(module)), None)
            }
        };
        let is_jailed = matches!(self.settings().isolation, Isolation::Jail(_));
        let lacks_network =
            is_jailed && program.kind() == ProgramKind::Process && !program.own().network;
        Ok(Starting {
            begun,
            bundle,
            program,
            label: start.label.to_owned(),
            lacks_network,
        })
    }

    /// The files of a bundle that is a process; nothing for a program of one file.
    fn unpacked(&self, program: &Program) -> Result<Option<Unpacked>, OpenError> {
        let all = [(program, ClockUnit::Time)];
        let held = self.prepare_all(&all, &mut || ());
        let held = held.map_err(|(_, error)| error)?;
        Ok(held.0.into_iter().next())
    }

    /// The bundle of a process, if it is one; makes sure that its bots have the memory that it wishes for.
    fn bundle_of<'p>(&self, program: &'p Program) -> Result<Option<&'p Bundle>, OpenError> {
        let bundle = program.as_bundle();
        if bundle.is_some()
            && let Isolation::Jail(jail) = &self.settings().isolation
        {
            program.check_memory(jail.limits().memory)?;
        }
        Ok(bundle)
    }

    fn store(&self) -> Result<Arc<Store>, BundleError> {
        let open = || Store::open(self.settings().cache.as_deref());
        made(&self.shared.store, open)
    }

    fn modules(&self, unit: ClockUnit) -> Result<Arc<Modules>, OpenError> {
        let all = match unit {
            ClockUnit::Time => &self.shared.timed,
            ClockUnit::Fuel => &self.shared.metered,
        };
        made(all, || Modules::new(self.settings(), unit))
    }
}

/// Programs that are ready to start. The bundles among them stay unpacked for as long as there is this.
#[derive(Debug)]
pub struct Prepared(Vec<Unpacked>);

/// A bot whose start has begun. Dropping it ends it. It stays on the thread that began it.
pub struct Starting<'s> {
    // Before its files.
    begun: BegunBot<'s>,
    bundle: Option<Unpacked>,
    program: &'s Program,
    label: String,
    lacks_network: bool,
}

enum BegunBot<'s> {
    Process(Box<process::ProcessStarting<'s>>),
    Module(Box<Module>),
}

impl Starting<'_> {
    /// Waits until it runs; on the thread that began it.
    ///
    /// # Errors
    /// Says why it does not start.
    ///
    /// # Panics
    /// For a process, outside of a tokio runtime with I/O and time.
    pub fn started(self) -> Result<SandboxBot, StartError> {
        let runs = match self.begun {
            BegunBot::Process(process) => BotRuns::Process(Box::new(process.started()?)),
            BegunBot::Module(module) => BotRuns::Module(module),
        };
        let (bot, program) = (&*self.label, self.program);
        tracing::debug!(bot, program = program.name(), kind = %program.kind(), "started");
        Ok(SandboxBot::new(
            runs,
            self.bundle,
            &self.label,
            self.lacks_network,
        ))
    }
}

impl fmt::Debug for Starting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Starting")
            .field("label", &self.label)
            .finish_non_exhaustive()
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

    #[test]
    fn a_start_stays_on_its_thread() {
        trait MoveCount<A> {
            fn is_one() {}
        }
        struct IfSend;
        impl<T> MoveCount<()> for T {}
        impl<T: Send> MoveCount<IfSend> for T {}
        // There is one way to read this only where it is not `Send`.
        <Starting<'_> as MoveCount<_>>::is_one();
    }
}
