//! The jail of a bot: what a process is started behind when nobody has read it.
//!
//! The *stage* is three processes with one thread each. The *supervisor* stays outside, hears when the bot is to end,
//! and reaps; *init* of the new namespaces builds the isolation and reaps what the bot leaves; the third becomes the
//! bot. So nothing of it happens inside the referee with its threads, and all that the bot starts ends with init, for
//! the kernel ends a namespace of processes with its first.
//!
//! The same source is two things. The launcher uses it as a library. And the build script builds it as a program of its
//! own, [`PROGRAM`], without the standard library and without a C library: it is small, and begins at once.

#![no_std]
#![cfg_attr(stage_program, no_main)]

#[cfg(test)]
extern crate std;

#[path = "../../freestanding/program/call.rs"]
mod call;
mod cgroup;
#[cfg(stage_program)]
#[path = "../../freestanding/program/start.rs"]
mod first;
mod landlock;
mod layer;
mod limits;
mod namespaces;
mod numbers;
mod order;
mod report;
mod root;
mod seccomp;
mod stage;
#[cfg(stage_program)]
mod start;
mod sys;
mod text;
mod watch;

pub use cgroup::{CgroupDir, Controls, PREFIX, Tree, remove_group};
pub use layer::Layer;
pub use limits::{JailLimits, MEMORY, NO_CORE};
pub use order::{StageOrder, word};
pub use root::SYSTEM;
pub use stage::{GO_ON_ALL, HELD_BY_BOTS, STOP_ALL, WRONG_USE, enter};
pub use sys::Strings;

#[cfg(stage_program)]
use start::begin;

/// The program that calls [`enter`] and does nothing else, as an executable for this machine.
#[cfg(not(stage_program))]
pub static PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/stage"));
