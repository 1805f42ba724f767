//! What a record shows of its match, for whoever compares that with what somebody wrote down. It holds no plies, so
//! many can be kept in memory.

use flipside_referee::{Header, Line, MatchResult, Record, VerifyError, verify};

/// What a record shows.
#[derive(Clone, Debug)]
pub struct RecordSummary {
    /// Its first line.
    pub header: Header,
    /// The seed that it reveals.
    pub seed: String,
    /// The result.
    pub result: MatchResult,
    /// By seat, the end of what a bot with a fault wrote to its standard error.
    pub stderr: Vec<String>,
    /// Faults that no evidence shows; none of a record that was only read.
    pub faults_told: u64,
    /// Whether it has a signature of its own. Records are stored without, and signed when they are given out.
    pub is_signed: bool,
}

impl RecordSummary {
    /// Referees a record again.
    pub fn verified(text: &str) -> Result<Self, VerifyError> {
        let found = verify(text)?;
        let shown = RecordSummary::of(found.record)?;
        Ok(RecordSummary {
            faults_told: found.faults_told,
            ..shown
        })
    }

    /// Reads a record, and checks nothing but its closing hash.
    pub fn read(text: &str) -> Result<Self, VerifyError> {
        RecordSummary::of(Record::read(text)?)
    }

    fn of(record: Record) -> Result<Self, VerifyError> {
        let result = record.result()?;
        let mut stderr = vec![String::new(); result.seats.len()];
        for (_, line) in record.lines {
            if let Line::Fault(fault) = line {
                stderr[usize::from(fault.seat)] = fault.stderr;
            }
        }
        Ok(RecordSummary {
            is_signed: record.signer.is_some(),
            header: record.header,
            seed: record.over.seed,
            result,
            stderr,
            faults_told: 0,
        })
    }
}
