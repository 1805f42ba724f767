//! What authors of bots do: bots from the kits, bundles, bots of other runtimes, and mistakes.

mod bundles;
#[path = "../common/mod.rs"]
mod common;
mod kits;
mod mistakes;
mod runtimes;
