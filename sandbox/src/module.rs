//! A bot that is a WebAssembly module: its instance runs on the match's thread while it is asked,
//! and stands still otherwise. What counts as its time is that of the thread on a processor: a machine
//! that is busy with something else takes none of it. Where its clock counts fuel, its time is that of the fuel, and
//! the machine has no part in it.

pub(crate) mod cache;
pub(crate) mod compiler;
pub(crate) mod config;
pub(crate) mod engine;
mod meter;
pub(crate) mod ticker;
pub(crate) mod wasi;

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use flipside_protocol::{ClockUnit, FUEL_PER_NS, FUEL_PER_US};
use wasmtime::{InstancePre, Store, Trap, WasmBacktrace};

use crate::answer::{Allowance, BotAnswer, FinishedBot, LastWords, SilenceEvidence};
use crate::error::StartError;
use crate::fault::{AskError, ProcessEnd, SandboxFault};
use crate::lines::Lines;
use crate::module::engine::{InstanceSlot, Modules};
use crate::module::meter::Meter;
use crate::module::ticker::TICK;
use crate::module::wasi::errno::Exit;
use crate::module::wasi::fuel;
use crate::module::wasi::state::{WasiLimits, WasiState};
use crate::module::wasi::streams::{StreamPipes, StreamStop};
use crate::process::stopwatch::Timing;
use crate::process::turns::PonderGuard;
use crate::program::Program;

/// The longest reason of a trap that is kept, in bytes.
const LONGEST_REASON: usize = 400;

/// How often the processes with whom a module takes turns are looked at while it runs.
const LOOK: Duration = Duration::from_millis(20);

/// How many functions a trap's reason names.
const NAMED_FUNCTIONS: usize = 4;

/// How a guest's run came to its end; an error: the machine has no room.
type ModuleEnd = Result<ModuleOutcome, wasmtime::Error>;

/// How a guest's run came to its end.
enum ModuleOutcome {
    /// By itself.
    Ended(ProcessEnd),
    /// Its clock counts fuel, and it has used all.
    OutOfFuel,
}

/// An instance of a module.
pub(crate) struct Module {
    /// The run of `_start`, which owns the instance; nothing when it is over.
    run: Option<Pin<Box<dyn Future<Output = ModuleEnd> + Send>>>,
    ended: Option<ProcessEnd>,
    pipes: StreamPipes,
    pub(crate) lines: Lines,
    /// What its clock counts.
    unit: ClockUnit,
    /// How long it has run: nanoseconds, or units of fuel where its clock counts fuel.
    ran: u64,
    /// What the last question took.
    pub(crate) timing: Timing,
    /// The processes with whom it takes turns are looked at while it runs.
    ponder_guard: Option<PonderGuard>,
    look_at: Instant,
    /// The time when it was last looked at the clock: each look costs as much as a short call.
    now: Instant,
    // After the run, which needs it.
    place: InstanceSlot,
}

/// Where a guest came to.
enum ModuleStop {
    /// It wrote.
    Output,
    /// It waits for input.
    Input,
    /// It ended.
    End,
    /// The deadline.
    Late,
}

impl Module {
    /// Makes an instance, which begins to run when it is first asked.
    pub(crate) fn start(
        modules: &Arc<Modules>,
        program: &Program,
        seed: u64,
    ) -> Result<Self, StartError> {
        let ready = modules.prepare(program)?;
        let place = modules.place()?;
        let pipes = StreamPipes::default();
        let now = Instant::now();
        let limits = WasiLimits {
            memory: usize::try_from(modules.memory_of(program)).unwrap_or(usize::MAX),
            refused: false,
            failed: false,
        };
        let unit = modules.unit;
        let state = WasiState::new(pipes.clone(), seed, limits, ready.content, unit);
        let mut store = Store::new(&modules.engine, state);
        store.limiter(|state| &mut state.limits);
        store.epoch_deadline_async_yield_and_update(1);
        store.set_epoch_deadline(1);
        Ok(Module {
            run: Some(Box::pin(run(store, ready.module))),
            ended: None,
            pipes,
            lines: Lines::default(),
            unit,
            ran: 0,
            timing: Timing::default(),
            ponder_guard: None,
            look_at: now,
            now,
            place,
        })
    }

    pub(crate) async fn ask(
        &mut self,
        line: &[u8],
        allowance: Allowance,
    ) -> Result<BotAnswer<'_>, AskError> {
        let begun = Instant::now();
        let budget = self.budget(allowance, begun);
        let before = self.ran;
        self.look_at = begun + LOOK;
        self.now = begun;
        let answered = self.exchange(line, before + budget).await;
        let used = self.ran - before;
        let elapsed = self.time_of(used);
        // The machine withholds no fuel.
        let (wall, fuel) = match self.unit {
            ClockUnit::Time => (self.now.saturating_duration_since(begun), None),
            ClockUnit::Fuel => (elapsed, Some(used)),
        };
        self.timing = Timing {
            charged: elapsed,
            wall: wall.max(elapsed),
            cpu: Some(elapsed),
            fuel,
        };
        let line = answered?;
        if used > budget {
            return Err(self.late(used - budget));
        }
        Ok(BotAnswer {
            line: self.lines.text(line)?,
            charged: elapsed,
            fuel,
        })
    }

    /// What it has from now on of an allowance: on a clock that counts fuel all of it, whenever it is asked.
    fn budget(&self, allowance: Allowance, now: Instant) -> u64 {
        self.amount_of(match self.unit {
            ClockUnit::Time => allowance.deadline().saturating_duration_since(now),
            ClockUnit::Fuel => allowance.time,
        })
    }

    /// A time in what its clock counts.
    fn amount_of(&self, time: Duration) -> u64 {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        match self.unit {
            ClockUnit::Time => nanos,
            ClockUnit::Fuel => nanos.saturating_mul(FUEL_PER_NS),
        }
    }

    /// The time of so much of what its clock counts; of fuel in whole microseconds, rounded up.
    fn time_of(&self, amount: u64) -> Duration {
        match self.unit {
            ClockUnit::Time => Duration::from_nanos(amount),
            ClockUnit::Fuel => Duration::from_micros(amount.div_ceil(FUEL_PER_US)),
        }
    }

    fn late(&self, by: u64) -> AskError {
        AskError::Fault(SandboxFault::Late {
            by: self.time_of(by),
            waiting: false,
        })
    }

    /// Feeds a line and waits for one, until it has run for so long in all.
    async fn exchange(&mut self, line: &[u8], until: u64) -> Result<Range<usize>, AskError> {
        self.lines.forget();
        self.pipes.feed(line);
        loop {
            if let Some(line) = self.lines.find()? {
                return Ok(line);
            }
            match self.go_on(until).await? {
                ModuleStop::Output => {}
                ModuleStop::End => return Err(self.ended_fault().into()),
                ModuleStop::Input => {
                    let (by, waiting) = (Duration::ZERO, true);
                    return Err(SandboxFault::Late { by, waiting }.into());
                }
                ModuleStop::Late => return Err(self.late(self.ran.saturating_sub(until))),
            }
        }
    }

    pub(crate) fn join(&mut self, ponder_guard: &PonderGuard) {
        self.ponder_guard = Some(ponder_guard.clone());
    }

    /// What is to be seen of the last question.
    pub(crate) fn seen(&self) -> SilenceEvidence {
        SilenceEvidence::new(&self.lines, Some(self.pipes.has_input()))
    }

    /// Lets the guest read a line, and go on until it wants the next or ends.
    pub(crate) async fn tell(&mut self, line: &[u8], allowance: Allowance) -> Result<(), AskError> {
        if self.run.is_none() {
            return Err(self.ended_fault().into());
        }
        self.pipes.feed(line);
        self.now = Instant::now();
        let until = self.ran + self.budget(allowance, self.now);
        loop {
            match self.go_on(until).await? {
                ModuleStop::Output if self.lines.left() > flipside_protocol::LONGEST_LINE => {
                    return Err(SandboxFault::TooLong.into());
                }
                ModuleStop::Output => {}
                // How it ended is told when it is asked again, or finished.
                ModuleStop::Input | ModuleStop::End => return Ok(()),
                ModuleStop::Late => return Err(self.late(self.ran.saturating_sub(until))),
            }
        }
    }

    pub(crate) fn unread(&self) -> Option<&[u8]> {
        self.lines.rest()
    }

    pub(crate) fn stderr_since(&self, mark: &mut u64) -> String {
        self.pipes.stderr_since(mark)
    }

    pub(crate) fn ran(&self) -> Duration {
        self.time_of(self.ran)
    }

    /// Closes its input, and lets it run until there is a line, it has ended, or it has run for so long.
    pub(crate) async fn last_words(&mut self, grace: Duration) -> LastWords {
        let until = self.ran + self.amount_of(grace);
        self.now = Instant::now();
        self.lines.clear();
        self.pipes.end_input();
        let mut ended = false;
        while self.lines.lacks_a_line() && !ended {
            match self.go_on(until).await {
                Ok(ModuleStop::Output) => {}
                Ok(ModuleStop::End) => ended = true,
                Ok(ModuleStop::Input | ModuleStop::Late) | Err(_) => break,
            }
        }
        LastWords::new(&self.lines, ended)
    }

    pub(crate) async fn finish(mut self, grace: Duration, mut marks: [u64; 2]) -> FinishedBot {
        let until = self.ran + self.amount_of(grace);
        self.now = Instant::now();
        self.pipes.end_input();
        while let Ok(ModuleStop::Output) = self.go_on(until).await {
            self.lines.clear();
        }
        FinishedBot {
            stderr_tail: self.stderr_since(&mut marks[0]),
            new_stderr: self.stderr_since(&mut marks[1]),
            ended: self.ended.take().unwrap_or(ProcessEnd::Killed),
            cpu: Some(self.ran()),
        }
    }

    /// Runs the guest until it stops, or until it has run for so long in all. Where it runs on, the
    /// thread's other work has its turn with every tick; and that, another module's turn perhaps,
    /// does not count as this one's time.
    ///
    /// It goes on from `self.now`: where it was told to go on is where its turn begins.
    async fn go_on(&mut self, until: u64) -> Result<ModuleStop, AskError> {
        let mut from = Some(self.now);
        let had = until.saturating_sub(self.ran);
        if self.unit == ClockUnit::Fuel {
            self.pipes.set_fuel(had);
        }
        let before = self.ran;
        let came = poll_fn(|cx| {
            // Other work may have had its turn since.
            let begun = from.take().unwrap_or_else(Instant::now);
            self.poll_on(Meter::begin(begun), until, cx)
        })
        .await;
        if self.unit == ClockUnit::Fuel {
            self.ran = before + had.saturating_sub(self.pipes.fuel());
        }
        came
    }

    fn poll_on(
        &mut self,
        meter: Meter,
        until: u64,
        cx: &mut Context<'_>,
    ) -> Poll<Result<ModuleStop, AskError>> {
        let came = loop {
            let Some(run) = &mut self.run else {
                break Ok(ModuleStop::End);
            };
            self.place.running();
            // Nothing that a guest waits for needs to wake it: see `wasi::streams`.
            let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            let stop = self.pipes.take_output(&mut self.lines);
            match (polled, stop) {
                (Poll::Ready(end), _) => {
                    self.run = None;
                    match end {
                        Ok(ModuleOutcome::OutOfFuel) => break Ok(ModuleStop::Late),
                        Ok(ModuleOutcome::Ended(ended)) => self.ended = Some(ended),
                        Err(error) => break Err(AskError::Host(std::io::Error::other(error))),
                    }
                    break Ok(ModuleStop::End);
                }
                (Poll::Pending, StreamStop::Output) => break Ok(ModuleStop::Output),
                (Poll::Pending, StreamStop::Input) => break Ok(ModuleStop::Input),
                (Poll::Pending, StreamStop::Time) => {
                    let now = Instant::now();
                    let ran = self.counted(meter.ran(now));
                    if self.unit == ClockUnit::Time && self.ran + ran >= until {
                        break Ok(ModuleStop::Late);
                    }
                    let looks = self.ponder_guard.as_ref().filter(|_| now >= self.look_at);
                    if let Some(ponder_guard) = looks {
                        ponder_guard.look();
                        self.look_at = now + LOOK;
                    // A guest that stood still for some ticks stops as soon as it goes on.
                    } else if meter.wall(now) < TICK / 2 {
                        continue;
                    }
                    self.ran += ran;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        };
        self.now = Instant::now();
        self.ran += self.counted(meter.ran(self.now));
        Poll::Ready(came)
    }

    /// What the meter shows counts only where the clock counts time.
    fn counted(&self, ran: Duration) -> u64 {
        match self.unit {
            ClockUnit::Time => self.amount_of(ran),
            ClockUnit::Fuel => 0,
        }
    }

    fn ended_fault(&self) -> SandboxFault {
        self.ended
            .as_ref()
            .map_or(SandboxFault::Closed { code: None }, ProcessEnd::fault)
    }
}

/// The whole life of an instance.
async fn run(mut store: Store<WasiState>, ready: InstancePre<WasiState>) -> ModuleEnd {
    fuel::make(&mut store)?;
    let instance = match ready.instantiate_async(&mut store).await {
        Ok(instance) => instance,
        // What comes out of its code is the module's own doing, for it may have a function that runs
        // at its start; and so is data that does not fit its memory. Anything else is the pool.
        Err(error) if error.is::<WasmBacktrace>() || error.is::<Trap>() => {
            return outcome(&store, error);
        }
        Err(error) => return Err(error),
    };
    let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
    fuel::go_on(&mut store)?;
    let returned = start.call_async(&mut store, ()).await;
    fuel::stop(&mut store)?;
    match returned {
        Ok(()) => Ok(ModuleOutcome::Ended(ProcessEnd::Exited(0))),
        Err(error) => outcome(&store, error),
    }
}

/// What came of a guest that did not return.
fn outcome(store: &Store<WasiState>, error: wasmtime::Error) -> ModuleEnd {
    match error.downcast_ref::<Trap>() {
        _ if store.data().limits.failed => Err(error),
        Some(Trap::OutOfFuel) => Ok(ModuleOutcome::OutOfFuel),
        _ => Ok(ModuleOutcome::Ended(ended(store, &error))),
    }
}

/// How a guest ended that did not return.
fn ended(store: &Store<WasiState>, error: &wasmtime::Error) -> ProcessEnd {
    let limits = &store.data().limits;
    let limit = limits.memory as u64;
    match error.downcast_ref::<Exit>() {
        Some(Exit(0)) => ProcessEnd::Exited(0),
        Some(Exit(code)) if limits.refused => ProcessEnd::OutOfMemory {
            limit,
            end: format!("exit code {code}"),
        },
        Some(Exit(code)) => ProcessEnd::Exited(*code),
        None if limits.refused => ProcessEnd::OutOfMemory {
            limit,
            end: reason(error),
        },
        None => ProcessEnd::Trapped(reason(error)),
    }
}

/// A trap in words: what, and in which functions.
fn reason(error: &wasmtime::Error) -> String {
    let mut reason = match error.downcast_ref::<Trap>() {
        Some(trap) => trap.to_string(),
        None => error.root_cause().to_string(),
    };
    let trace = error.downcast_ref::<WasmBacktrace>();
    let frames = trace.map_or(&[][..], WasmBacktrace::frames).iter();
    let names = frames.filter_map(|frame| frame.func_name());
    for (depth, name) in names.take(NAMED_FUNCTIONS).enumerate() {
        reason += if depth == 0 { " in " } else { " < " };
        reason += name;
    }
    reason.truncate(reason.floor_char_boundary(LONGEST_REASON));
    reason
}
