use std::num::NonZeroUsize;

use flipside_referee::Verified;
use flipside_tournament::audit::{Audited, Finding, Found, audit, audit_match};
use flipside_tournament::{Arena, Journal, Tournament};

use crate::arena::{ArenaArg, is_a_record_file, read_record};
use crate::failure::{Failure, Result};
use crate::output::{plain_line, print};
use crate::progress::{Progress, Steps};
use crate::words::counted;

/// Verify records and compare the journal with them
///
/// Checks the closing hash, the range of every field, legality, times, draws, faults and the result.
///
/// For a match in the arena, also compares the journal's result and checks that the settings ask for the match.
/// --tournament and --all do so on all cores, and also find missing and added matches.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Record files or match ids
    #[arg(required_unless_present_any = ["tournament", "all"])]
    records: Vec<String>,
    /// Verify every match of this tournament
    #[arg(long, value_name = "NAME", conflicts_with = "records")]
    tournament: Option<String>,
    /// Verify every match of every tournament
    #[arg(long, conflicts_with_all = ["records", "tournament"])]
    all: bool,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.all || args.tournament.is_some() {
        return run_tournaments(&args.arena, args.tournament.as_deref());
    }
    let mut wrong = 0;
    for name in &args.records {
        match verify(&args.arena, name) {
            Ok(told) => print(&(plain_line(&told) + "\n"))?,
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

/// Verifies a file, or a match in the arena: gives a line about it.
fn verify(arena: &ArenaArg, name: &str) -> Result<String> {
    if is_a_record_file(name) {
        return verify_text(name, &read_record(arena, name)?);
    }
    let journal = Arena::open(arena.path()).and_then(|arena| arena.read_journal());
    let found = journal.and_then(|journal| audit_match(&journal, name));
    match found {
        Ok(Found::Forfeit) => Ok(format!(
            "{name}: ok: a forfeit, which follows from the matches before it"
        )),
        Ok(Found::Wrong(what)) => Err(Failure::new(format!(
            "{name}: the journal is not what the match's record and the tournament's settings show: {what}"
        ))
        .hint("the result should not count; `flipside verify --all` looks for others")),
        // Reading tells what is wrong in the words of whoever typed it.
        _ => verify_text(name, &read_record(arena, name)?),
    }
}

fn verify_text(name: &str, text: &str) -> Result<String> {
    let Verified {
        record,
        draws,
        faults_shown,
        faults_told,
    } = flipside_referee::verify(text)
        .map_err(|error| Failure::new(&error).maybe_hint(error.hint()).about(name))?;
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
    Ok(format!(
        "{name}: ok: {} {}, {}{draws}{faults}, {}",
        header.game,
        header.id,
        counted(record.over.plies, "ply"),
        record.over.reason
    ))
}

/// Verifies every match of one tournament, or of all.
fn run_tournaments(arena: &ArenaArg, name: Option<&str>) -> Result<()> {
    let arena = arena.open()?;
    // What runs now is not finished, and what has come since is not seen.
    let journal = arena.read_journal()?;
    let mut wrong = 0;
    for stray in journal.strays()? {
        wrong += 1;
        print(&format!("journal: wrong: {}\n", plain_line(&stray)))?;
    }
    let tournaments = match name {
        Some(name) => vec![journal.tournament(name)?],
        None => journal.tournaments()?,
    };
    let mut matches = 0;
    for tournament in &tournaments {
        matches += journal.played(tournament.id)?.len();
    }
    let mut progress = Progress::new(Steps("match", "verified"), 0, matches);
    let (mut done, mut sum) = (0, Audited::default());
    for tournament in &tournaments {
        let running = arena.is_running(&tournament.name);
        let mut printed = Ok(());
        let audited = audit(&journal, tournament, threads()?, |finding, here, _| {
            progress.reach(done + here);
            if let (Ok(()), Some(line)) = (&printed, told(finding, running)) {
                printed = progress.print(&line);
            }
        });
        printed?;
        let audited = match audited {
            Ok(audited) => audited,
            // The others may be read nevertheless.
            Err(error) => {
                wrong += 1;
                let line = format!("{}: wrong: {error}", tournament.name);
                progress.print(&(plain_line(&line) + "\n"))?;
                continue;
            }
        };
        done += journal.played(tournament.id)?.len();
        let missing = if running { 0 } else { audited.missing };
        wrong += audited.wrong + missing;
        progress.print(&line(tournament, &audited, running))?;
        add(&mut sum, &audited);
    }
    progress.end();
    if tournaments.len() > 1 {
        let all = counted(tournaments.len() as u64, "tournament");
        print(&format!("{all}: {}\n", in_words(&sum)))?;
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::new("1 thing in the journal is not as it must be")),
        _ => Err(Failure::new(format!(
            "{wrong} things in the journal are not as they must be"
        ))),
    }
    .map_err(|failure| {
        failure.hint("each is named above; results that no record shows should not count")
    })
}

fn threads() -> Result<NonZeroUsize> {
    std::thread::available_parallelism().map_err(Failure::new)
}

/// The line of a match that is not as it must be.
fn told(finding: &Finding, running: bool) -> Option<String> {
    let id = &finding.id;
    let line = match &finding.found {
        Found::Wrong(what) => format!("{id}: wrong: {what}"),
        Found::Missing if !running => format!(
            "{id}: missing: later matches have results; it was deleted, was void each time, or the tournament was \
             killed before it landed; the command that began the tournament plays it"
        ),
        Found::Missing | Found::True { .. } | Found::Forfeit | Found::Open => return None,
    };
    Some(plain_line(&line) + "\n")
}

fn line(tournament: &Tournament, audited: &Audited, running: bool) -> String {
    let name = &tournament.name;
    let there = audited.proven + audited.forfeits + audited.left_out;
    let rest = match (running, there < audited.due && audited.wrong == 0) {
        (true, _) => ", and it is being played now",
        (false, true) => ", and it is not over",
        (false, false) => "",
    };
    format!("{name}: {}{rest}\n", in_words(audited))
}

/// How many matches were found to be what.
fn in_words(audited: &Audited) -> String {
    let mut words = vec![
        format!("{} ok", counted(audited.proven, "match")),
        format!("{} wrong", audited.wrong),
        format!("{} without a record", audited.forfeits + audited.left_out),
    ];
    for (number, what) in [(audited.missing, "missing"), (audited.open, "do not count")] {
        if number > 0 {
            words.push(format!("{number} {what}"));
        }
    }
    let faults = counted(audited.faults_told, "fault");
    format!("{}; {faults} on the referee's word", words.join(", "))
}

fn add(sum: &mut Audited, one: &Audited) {
    let Audited {
        proven,
        forfeits,
        wrong,
        missing,
        open,
        left_out,
        faults_told,
        due,
    } = one;
    sum.proven += proven;
    sum.forfeits += forfeits;
    sum.wrong += wrong;
    sum.missing += missing;
    sum.open += open;
    sum.left_out += left_out;
    sum.faults_told += faults_told;
    sum.due = sum.due.saturating_add(*due);
}

/// Refuses a tournament that is not what its records show: with a match that was changed, added or deleted.
pub(crate) fn refuse_changed(
    arena: &Arena,
    journal: &Journal,
    tournament: &Tournament,
) -> Result<()> {
    let hint = format!(
        "`flipside verify --tournament {}` names every match; where one is missing, the command that began the \
         tournament plays it",
        tournament.name
    );
    if let Some(stray) = journal.strays()?.first() {
        return Err(
            Failure::new(format!("the journal is damaged or was changed: {stray}")).hint(hint),
        );
    }
    // What runs now may have landed out of order.
    let running = arena.is_running(&tournament.name);
    let matches = journal.played(tournament.id)?.len();
    let mut progress = Progress::new(Steps("match", "verified"), 0, matches);
    let mut first = None;
    let audited = audit(journal, tournament, threads()?, |finding, done, _| {
        progress.reach(done);
        first = first.take().or_else(|| told(finding, running));
    })?;
    let number = audited.wrong + if running { 0 } else { audited.missing };
    match first {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!(
            "{} of {} {} not what the records show, and nothing is written; the first: {}",
            counted(number, "match"),
            tournament.name,
            if number == 1 { "is" } else { "are" },
            first.trim_end(),
        ))
        .hint(hint)),
    }
}
