//! The WebAssembly engine of a command: its settings, the modules that are ready to start, and the
//! room for their instances.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use flipside_protocol::ClockUnit;
use rustix::process::{Resource, getrlimit};
use wasmtime::{
    Config, Enabled, Engine, ExternType, FuncType, InstanceAllocationStrategy, InstancePre, Linker,
    Module, PoolingAllocationConfig, UnknownImportError,
};

use crate::bundle::content::Content;
use crate::error::{OpenError, StartError};
use crate::lock::lock;
use crate::module::cache::{Cache, deserialize};
use crate::module::compiler::{Compiler, CompilerFailure, Cost};
use crate::module::config::{TABLE_ELEMENTS, TABLES, config};
use crate::module::ticker::Ticker;
use crate::module::wasi;
use crate::module::wasi::state::WasiState;
use crate::program::Program;
use crate::settings::SandboxSettings;

/// The largest linear memory that 32 bits can address: what the pool has room for. What a bot may
/// use of it is less, and its limiter's business.
const ADDRESS_SPACE: usize = 1 << 32;

/// The size of a page of linear memory.
const PAGE: u64 = 64 * 1024;

/// What an instance's memory, its tables and its stack keep when they are used again: to clear a
/// little is quicker than to give it back to the system and to ask for it anew. Since Linux 6.7 the
/// kernel says which pages of the memory were written to, and only those are cleared; before, all
/// that is kept is.
const KEPT_MEMORY: usize = 1024 * 1024;
const KEPT_TABLE: usize = 64 * 1024;
const KEPT_STACK: usize = 64 * 1024;

/// How much code all modules that are kept ready have together, with the files of their bundles, in bytes. The least
/// recently used make room.
const READY_CODE: u64 = 512 * 1024 * 1024;

/// What a ready module takes beside its code, in bytes: tables of its functions and types, and pages
/// that are not full.
const READY_BASE: u64 = 64 * 1024;

/// What part of the open files that this process may have is for ready modules: each may need one,
/// with its initial memory.
const READY_FILES: u64 = 4;

/// How many modules are remembered on which the compiler spent all that it may.
const MAX_COSTLY: usize = 256;

/// Modules that are ready to start, by the SHA-256 of their files or bundles.
struct ReadyModules {
    modules: HashMap<String, ReadyModule>,
    /// How much code they have together, at most, in bytes.
    most: u64,
    code: u64,
}

/// A module that is ready to start, with the files of its bundle.
#[derive(Clone)]
pub(crate) struct PreparedModule {
    pub(crate) module: InstancePre<WasiState>,
    pub(crate) content: Option<Arc<Content>>,
}

impl PreparedModule {
    /// How much memory it takes.
    fn size(&self) -> u64 {
        let content = self.content.as_ref().map_or(0, |content| content.bytes);
        code_size(self.module.module()) + READY_BASE + content
    }
}

struct ReadyModule {
    prepared: PreparedModule,
    code: u64,
    /// When it was last used, in starts of modules.
    used: AtomicU64,
}

impl ReadyModules {
    fn new(most: u64) -> Self {
        ReadyModules {
            modules: HashMap::new(),
            most,
            code: 0,
        }
    }

    fn get(&self, sha256: &str, now: u64) -> Option<PreparedModule> {
        let ready = self.modules.get(sha256)?;
        ready.used.store(now, Ordering::Relaxed);
        Some(ready.prepared.clone())
    }

    fn insert(&mut self, sha256: &str, prepared: PreparedModule, now: u64) {
        self.remove(sha256);
        let code = prepared.size();
        while self.code + code > self.most || self.modules.len() >= max_files() {
            let used = |(_, ready): &(_, &ReadyModule)| ready.used.load(Ordering::Relaxed);
            let oldest = self.modules.iter().min_by_key(used);
            // One that is larger than all room is kept alone.
            let Some(oldest) = oldest.map(|(sha256, _)| sha256.clone()) else {
                break;
            };
            self.remove(&oldest);
        }
        self.code += code;
        let ready = ReadyModule {
            prepared,
            code,
            used: AtomicU64::new(now),
        };
        self.modules.insert(sha256.into(), ready);
    }

    fn remove(&mut self, sha256: &str) {
        if let Some(ready) = self.modules.remove(sha256) {
            self.code -= ready.code;
        }
    }
}

/// The files of a module's bundle.
fn content(program: &Program) -> Result<Option<Arc<Content>>, OpenError> {
    let Some(bundle) = program.as_bundle() else {
        return Ok(None);
    };
    let content = Content::of(bundle).map_err(OpenError::bundle(program.path()))?;
    Ok(Some(Arc::new(content)))
}

/// How much memory the code of a module takes, with the data that goes with it.
fn code_size(module: &Module) -> u64 {
    let image = module.image_range();
    (image.end as u64).saturating_sub(image.start as u64)
}

/// How many open files ready modules may have.
fn max_files() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| (limit / READY_FILES) as usize)
}

/// An engine and what it made.
pub(crate) struct Modules {
    pub(crate) engine: Engine,
    linker: Linker<WasiState>,
    ready: RwLock<ReadyModules>,
    /// How many modules were looked for among them.
    looks: AtomicU64,
    /// Held while compiling, which uses all processors by itself.
    compiling: Mutex<()>,
    compiler: Option<Compiler>,
    /// Modules on which the compiler spent all that it may, by their SHA-256: it is not tried again.
    costly: Mutex<HashMap<String, Cost>>,
    cache: Option<Cache>,
    /// What the clocks of its instances count.
    pub(crate) unit: ClockUnit,
    ticker: Ticker,
    memory: u64,
    instances: u32,
    taken: AtomicU32,
}

impl Modules {
    pub(crate) fn new(settings: &SandboxSettings, unit: ClockUnit) -> Result<Self, OpenError> {
        let failed = |error: wasmtime::Error| OpenError::Engine(format!("{error:#}"));
        let engine = with_pool(settings, unit)
            .and_then(|config| Engine::new(&config))
            .map_err(failed)?;
        let mut linker = Linker::new(&engine);
        wasi::provide(&mut linker).map_err(failed)?;
        let cache = settings
            .cache
            .as_deref()
            .map(|folder| Cache::new(folder, &engine));
        let ticker = Ticker::new(engine.clone()).map_err(|e| OpenError::Engine(e.to_string()))?;
        Ok(Modules {
            engine,
            linker,
            ready: RwLock::new(ReadyModules::new(READY_CODE)),
            looks: AtomicU64::new(0),
            compiling: Mutex::default(),
            compiler: settings.compiler.clone(),
            costly: Mutex::default(),
            cache,
            unit,
            ticker,
            memory: settings.memory,
            instances: settings.instances,
            taken: AtomicU32::new(0),
        })
    }

    /// What a bot of this program may use, in bytes.
    pub(crate) fn memory_of(&self, program: &Program) -> u64 {
        program.memory(self.memory)
    }

    /// A module that is ready to start: compiled, its imports found.
    pub(crate) fn get(&self, program: &Program) -> Option<PreparedModule> {
        let ready = self.ready.read().unwrap_or_else(PoisonError::into_inner);
        ready.get(program.sha256(), self.look())
    }

    fn look(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a module ready to start, if it is not.
    pub(crate) fn prepare(&self, program: &Program) -> Result<PreparedModule, OpenError> {
        if let Some(ready) = self.get(program) {
            // It may have been made ready for bots with more memory.
            if program.own().memory.is_some() {
                self.check_memory(program, ready.module.module())?;
            }
            return Ok(ready);
        }
        let module = match self.cached(program) {
            Some(module) => module,
            None => {
                let _one_at_a_time = lock(&self.compiling);
                // Who waited may find it done.
                if let Some(ready) = self.get(program) {
                    return Ok(ready);
                }
                self.compile(program)?
            }
        };
        check(program, &module, self.unit)?;
        self.check_memory(program, &module)?;
        let module = self
            .linker
            .instantiate_pre(&module)
            .map_err(|error| import(program, &error))?;
        let content = content(program)?;
        let ready = PreparedModule { module, content };
        let mut all = self.ready.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(program.sha256(), ready.clone(), self.look());
        Ok(ready)
    }

    /// Makes sure that a program and its module do not need more memory than its bots may use.
    fn check_memory(&self, program: &Program, module: &Module) -> Result<(), OpenError> {
        program.check_memory(self.memory)?;
        let limit = self.memory_of(program);
        let pages = module.resources_required().max_initial_memory_size;
        let needs = pages.unwrap_or(0) * PAGE;
        if needs > limit {
            let path = program.path().into();
            return Err(OpenError::TooMuchMemory { path, needs, limit });
        }
        Ok(())
    }

    fn cached(&self, program: &Program) -> Option<Module> {
        let cache = self.cache.as_ref()?;
        let module = cache.load(&self.engine, program.module_sha256())?;
        tracing::debug!(program = program.name(), "taken from the cache");
        Some(module)
    }

    /// Compiles a module, in a process of its own if there is a compiler.
    fn compile(&self, program: &Program) -> Result<Module, OpenError> {
        let sha256 = program.module_sha256();
        if let Some(cost) = lock(&self.costly).get(sha256) {
            return Err(too_costly(program.path().into(), *cost));
        }
        let begun = std::time::Instant::now();
        let bytes = program.module().expect("only modules are prepared");
        let module = match &self.compiler {
            Some(compiler) => {
                let code = compiler
                    .compile(bytes, self.unit)
                    .map_err(|failure| self.failed(program, failure))?;
                deserialize(&self.engine, &code)
            }
            None => Module::from_binary(&self.engine, bytes),
        }
        .map_err(|error| refused(program, &error))?;
        tracing::debug!(program = program.name(), time = ?begun.elapsed(), "compiled");
        if let Some(cache) = &self.cache {
            cache.store(sha256, &module);
        }
        Ok(module)
    }

    /// Why a program was not compiled; what was costly is remembered.
    fn failed(&self, program: &Program, failure: CompilerFailure) -> OpenError {
        let path = program.path().into();
        match failure {
            CompilerFailure::Refused(message) => OpenError::Refused { path, message },
            CompilerFailure::Host(source) => OpenError::Compiler { path, source },
            CompilerFailure::Costly(cost) => {
                let mut costly = lock(&self.costly);
                if costly.len() >= MAX_COSTLY {
                    costly.clear();
                }
                costly.insert(program.module_sha256().into(), cost);
                too_costly(path, cost)
            }
        }
    }

    /// Takes a place for an instance.
    pub(crate) fn place(self: &Arc<Self>) -> Result<InstanceSlot, StartError> {
        let free = |taken| (taken < self.instances).then_some(taken + 1);
        let taken = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, free);
        match taken {
            Ok(_) => Ok(InstanceSlot(Arc::clone(self))),
            Err(_) => Err(StartError::NoRoom(self.instances)),
        }
    }
}

fn too_costly(path: PathBuf, cost: Cost) -> OpenError {
    match cost {
        Cost::Time(limit) => OpenError::SlowToCompile { path, limit },
        Cost::Memory(limit) => OpenError::CompileMemory { path, limit },
        Cost::Code => OpenError::TooMuchCode(path),
    }
}

/// A place for an instance, given back when it is dropped.
pub(crate) struct InstanceSlot(Arc<Modules>);

impl InstanceSlot {
    /// Notes that a module goes on.
    pub(crate) fn running(&self) {
        self.0.ticker.running();
    }
}

impl Drop for InstanceSlot {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The settings that instances run with, beside those that go into their code.
fn with_pool(settings: &SandboxSettings, unit: ClockUnit) -> wasmtime::Result<Config> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(settings.instances)
        .total_memories(settings.instances)
        .total_tables(settings.instances.saturating_mul(TABLES as u32))
        .total_stacks(settings.instances)
        .max_memories_per_module(1)
        .max_tables_per_module(TABLES as u32)
        .max_memory_size(ADDRESS_SPACE)
        .table_elements(TABLE_ELEMENTS)
        .linear_memory_keep_resident(KEPT_MEMORY)
        .pagemap_scan(Enabled::Auto)
        .table_keep_resident(KEPT_TABLE)
        .async_stack_keep_resident(KEPT_STACK);
    let mut config = config(unit)?;
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Ok(config)
}

/// What a module must have besides imports that are there.
fn check(program: &Program, module: &Module, unit: ClockUnit) -> Result<(), OpenError> {
    let path = || program.path().to_path_buf();
    let is_start = |start: &FuncType| start.params().len() == 0 && start.results().len() == 0;
    if !matches!(module.get_export("_start"), Some(ExternType::Func(start)) if is_start(&start)) {
        let (path, library) = (path(), module.get_export("_initialize").is_some());
        return Err(OpenError::NoStart { path, library });
    }
    if !matches!(module.get_export("memory"), Some(ExternType::Memory(_))) {
        return Err(OpenError::NoMemory(path()));
    }
    if unit == ClockUnit::Fuel && program.module().is_some_and(runs_when_made) {
        return Err(OpenError::StartFunction(path()));
    }
    Ok(())
}

/// Whether a function of a module runs when an instance is made. The fuel of that is not the same on every system.
fn runs_when_made(module: &[u8]) -> bool {
    let mut parts = wasmparser::Parser::new(0).parse_all(module);
    parts.any(|part| matches!(part, Ok(wasmparser::Payload::StartSection { .. })))
}

fn import(program: &Program, error: &wasmtime::Error) -> OpenError {
    let path = program.path().to_path_buf();
    match error.downcast_ref::<UnknownImportError>() {
        Some(unknown) => OpenError::UnknownImport {
            path,
            module: unknown.module().into(),
            name: unknown.name().into(),
        },
        None => refused(program, error),
    }
}

fn refused(program: &Program, error: &wasmtime::Error) -> OpenError {
    OpenError::Refused {
        path: program.path().into(),
        message: format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_modules_make_room() {
        let engine = Engine::new(&config(ClockUnit::Time).unwrap()).unwrap();
        let text = "(module (func (export \"_start\")))";
        let module = Module::new(&engine, wat::parse_str(text).unwrap()).unwrap();
        let module = Linker::new(&engine).instantiate_pre(&module).unwrap();
        let module = PreparedModule {
            module,
            content: None,
        };
        let each = module.size();
        let mut ready = ReadyModules::new(3 * each);
        for (now, name) in ["a", "b", "c"].iter().enumerate() {
            ready.insert(name, module.clone(), now as u64);
        }
        assert!(ready.get("a", 3).is_some());
        ready.insert("d", module.clone(), 4);
        let names = |now| ["a", "b", "c", "d"].map(|name| ready.get(name, now).is_some());
        assert_eq!(names(5), [true, false, true, true]);
        // The same again takes no more.
        ready.insert("a", module.clone(), 6);
        assert_eq!((ready.modules.len(), ready.code), (3, 3 * each));
        // One that is too large for all room is ready nevertheless.
        let mut small = ReadyModules::new(1);
        for (now, name) in ["a", "b"].iter().enumerate() {
            small.insert(name, module.clone(), now as u64);
        }
        assert_eq!((small.modules.len(), small.code), (1, each));
        assert!(small.get("b", 2).is_some());
    }
}
