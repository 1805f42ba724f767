//! Tournaments as a user of the library has them, and the statistics against other programs and simulations.

mod calibration;
mod coverage;
mod kill;
mod known;
mod ladder;
mod million;
mod permissions;
mod simulation;
mod statistics;
mod swiss;
