//! What came of playing recorded matches again.

use serde::Serialize;

/// What came of matches that were played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rerun {
    /// Seats whose modules were played again.
    pub seats: u64,
    /// Answers of theirs that were compared.
    pub answers: u64,
    /// Faults that cannot be compared: those of time.
    pub by_time: u64,
    /// Seats of modules whose clocks count fuel that means something else here, because the engine is another. They are
    /// not played again.
    pub other_fuel: u64,
    /// Seats of modules whose files are not here.
    pub absent: u64,
    /// Seats of processes and people, which are not played again.
    pub others: u64,
}

impl Rerun {
    /// Adds what came of another match.
    pub fn add(&mut self, other: Rerun) {
        let Rerun {
            seats,
            answers,
            by_time,
            other_fuel,
            absent,
            others,
        } = other;
        self.seats += seats;
        self.answers += answers;
        self.by_time += by_time;
        self.other_fuel += other_fuel;
        self.absent += absent;
        self.others += others;
    }
}

/// What came of one match: counts, or the first answer that is not the recorded one, in words.
pub type RerunResult = std::result::Result<Rerun, String>;
