//! Matches of real bots: what the referee charges, faults, records, shows and verifies.

#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hostile_programs;
mod matches;
mod pauses;
mod people;
mod programs;
mod questions;
mod ranges;
mod transcript;
mod verify;
mod watching;
