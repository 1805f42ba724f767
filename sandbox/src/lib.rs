//! A running bot: a process or a WebAssembly module behind one type, which moves lines.
//!
//! This crate knows no game and reads no message; only it starts processes and instances. A bot is
//! used on one thread, inside a tokio runtime of that thread:
//!
//! ```
//! use std::time::{Duration, Instant};
//! use flipside_protocol::ClockUnit;
//! use flipside_sandbox::{Program, Sandbox, SandboxSettings, Start};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = Program::command("/bin/sh", ["-c", "read line; echo \"you said $line\""])?;
//! let sandbox = Sandbox::new(SandboxSettings::default());
//! sandbox.prepare(&program, ClockUnit::Time)?;
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! runtime.block_on(async {
//!     let mut bot = sandbox.start(&program, &Start { seed: 1, label: "example", ..Start::default() })?;
//!     let answer = bot.ask(b"hello\n", Instant::now() + Duration::from_secs(60)).await?;
//!     assert_eq!(answer.line, "you said hello");
//!     let finished = bot.finish(Duration::from_secs(60)).await;
//!     assert_eq!(finished.ended.to_string(), "exited with code 0");
//!     Ok(())
//! })
//! # }
//! ```

mod answer;
mod blocking;
mod bot;
pub mod bundle;
mod cores;
mod error;
mod fault;
mod file_kind;
mod isolation;
pub mod jail;
mod launch;
mod lines;
#[doc(hidden)]
pub mod lock;
mod module;
mod open_regular;
mod poll;
mod proc_file;
mod process;
mod program;
mod room;
mod sandbox;
mod settings;
#[doc(hidden)]
pub mod shell;
mod sizes;
mod stderr_tail;
mod suggest;
mod vfork;

pub use answer::{Allowance, BotAnswer, FinishedBot, LastWords, SEEN_BYTES, SilenceEvidence};
pub use bot::SandboxBot;
pub use bundle::{Bundle, BundleError};
pub use cores::{Claim, Cores};
pub use error::{OpenError, StartError};
pub use fault::{AskError, Crash, ProcessEnd, SandboxFault};
pub use file_kind::{describe, is_module};
pub use flipside_protocol::LONGEST_LINE;
pub use isolation::Isolation;
pub use jail::Jail;
pub use module::cache::LARGEST_CACHE;
pub use module::compiler::{COMPILE_MEMORY, COMPILE_TIME, COMPILE_WAIT, Compiler, LARGEST_CODE};
pub use module::config::METERING;
pub use module::ticker::TICK;
pub use module::wasi::CLOCK_STEP;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use module::wasi::direct::{DirectCalls, File as DirectFile, HostReply as DirectAnswer};
pub use open_regular::{
    FileError, NotRegular, PRIVATE_FOLDER, make_private_folder, open_regular, refuse_others,
};
pub use process::EXIT_WAIT;
pub use process::affinity::{MAX_UNPINS, PIN_AFTER, Pinning};
pub use process::stopwatch::{MAX_STRETCH, MIN_STRETCH, Timing};
pub use process::turns::{IDLE_ALLOWANCE, PonderGuard};
pub use process::usage::FIRST_LOOK;
pub use program::{OwnSettings, Program, ProgramKind, UnknownProgramKind};
pub use room::{FileUse, make_room};
pub use sandbox::{Prepared, Sandbox, Start, Starting};
pub use settings::{INSTANCES, MEMORY, SandboxSettings};
pub use sizes::{LARGEST_MODULE, LARGEST_PROGRAM, LARGEST_TEXT};
pub use stderr_tail::STDERR_TAIL;
pub use suggest::similar_program;
