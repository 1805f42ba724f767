//! Tournaments as a user of the library has them, and the statistics against other programs and simulations.

mod calibration;
mod counted;
mod coverage;
mod kill;
mod known;
mod ladder;
mod million;
mod permissions;
mod published;
mod simulation;
mod statistics;
mod swiss;

/// A salt.
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
