//! The statistics of tournaments against other programs and simulations.

mod calibration;
mod counted;
mod coverage;
mod known;
mod ladder;
mod published;
mod simulation;
mod statistics;
