use flipside_referee::Verified;

use crate::arena::{ArenaArg, read_record};
use crate::failure::{Failure, Result};
use crate::output;
use crate::summary::counted;

/// Referee a record again, without the bots
///
/// Checks the closing hash, the legality and the time of every action, the draws against the
/// revealed seed, the faults against their evidence, and the outcome.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files with records, or ids of matches in the arena.
    #[arg(required = true)]
    records: Vec<String>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut wrong = 0;
    for name in &args.records {
        match verify(&args.arena, name) {
            Ok(Verified {
                record,
                draws,
                faults_shown,
                faults_told,
            }) => {
                let mut faults = String::new();
                if faults_shown > 0 {
                    faults += &format!(", {} shown by evidence", counted(faults_shown, "fault"));
                }
                if faults_told > 0 {
                    faults += &format!(", {} on the referee's word", counted(faults_told, "fault"));
                }
                let draws = if draws == 0 {
                    String::new()
                } else {
                    format!(", {}", counted(draws, "draw"))
                };
                let header = &record.header;
                let told = format!(
                    "{name}: true: {} {}, {}{draws}{faults}, {}",
                    header.game,
                    header.id,
                    counted(record.over.plies, "ply"),
                    record.over.reason
                );
                output::print(&(output::plain_line(&told) + "\n"))?;
            }
            Err(failure) if args.records.len() > 1 => {
                wrong += 1;
                failure.tell();
            }
            Err(failure) => return Err(failure),
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::new(format!(
            "{wrong} of {} records are not true",
            args.records.len()
        ))),
    }
}

fn verify(arena: &ArenaArg, name: &str) -> Result<Verified> {
    let text = read_record(arena, name)?;
    flipside_referee::verify(&text)
        .map_err(|error| Failure::new(&error).maybe_hint(error.hint()).about(name))
}
