//! Records that are read and verified, and journals that are compared with them.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use flipside_games::words::counted;
use flipside_referee::{LONGEST_RECORD, Verified};
use flipside_report::plain_line;
use flipside_sandbox::shell::quoted;
use flipside_sandbox::{bundle, open_regular};
use flipside_store::audit::{Audited, Finding, RecordAudit, audit, audit_match};
use flipside_store::{Arena, Error, Journal};
use flipside_tournament::Tournament;

use crate::concurrency::cores;
use crate::failure::{Failure, Result};
use crate::files::read_text;

/// Whether what was typed is a file with a record, and not the id of a match.
fn is_a_record_file(typed: &str) -> bool {
    Path::new(typed).exists() || typed.contains('/')
}

/// The text of a record: of a file, or of a match of the arena in this folder.
///
/// # Errors
/// When there is no such file or match, or it cannot be read.
pub fn read_record(arena: &Path, typed: &str) -> Result<String> {
    if is_a_record_file(typed) {
        let path = Path::new(typed);
        return read_text(path, LONGEST_RECORD as u64).map_err(|failure| match is_packed(path) {
            true => Failure::usage(format!("{typed} is an archive, and no record")).hint(format!(
                "flipside import {} --check verifies an archive of a tournament",
                quoted(typed)
            )),
            false if failure.hints().is_empty() => failure.hint(
                "name a record's file or the id of a match; `flipside matches` lists the matches with their ids",
            ),
            false => failure,
        });
    }
    let arena = Arena::open(arena).map_err(|_| {
        Failure::usage(format!(
            "there is no file {typed:?}, and no arena at {} with a match of this id",
            arena.display()
        ))
        .hint("name a record's file, or pick the arena with --arena DIR")
    })?;
    let journal = arena.read_journal()?;
    journal.record(typed).map_err(|error| {
        let hint = match error {
            Error::NoSuchMatch { .. } if journal.tournament(typed).is_ok() => format!(
                "it is a tournament: `flipside verify --tournament {typed}` verifies it, and `flipside matches \
                 --tournament {typed}` lists its matches"
            ),
            Error::NoSuchMatch { .. } => "`flipside matches` lists the matches with their ids".into(),
            ref error => return Failure::usage(error).maybe_hint(error.hint()),
        };
        Failure::usage(&error).hint(hint)
    })
}

/// Whether a file is compressed, as archives of tournaments and packed bots are.
fn is_packed(path: &Path) -> bool {
    let mut head = [0; 4];
    let opened = open_regular(path);
    opened.is_ok_and(|(mut file, _)| file.read_exact(&mut head).is_ok()) && bundle::is_packed(&head)
}

/// What a match was found to be.
pub enum Proof {
    /// The record in a file is true.
    File(Box<Verified>),
    /// The record in the arena is true. Those have no signatures.
    Record(Box<Verified>),
    /// It is a forfeit without a record, which follows from the matches before it.
    Forfeit,
}

/// Verifies a record in a file, or a match of the arena in this folder: its record, its result in the journal, and
/// whether the tournament's settings ask for it.
///
/// # Errors
/// When there is no such file or match, or it is not as it must be.
pub fn verify(arena: &Path, typed: &str) -> Result<Proof> {
    if !is_a_record_file(typed) {
        let journal = Arena::open(arena).and_then(|arena| arena.read_journal());
        match journal.and_then(|journal| audit_match(&journal, typed)) {
            Ok(RecordAudit::Forfeit) => return Ok(Proof::Forfeit),
            Ok(RecordAudit::Wrong(what)) => {
                return Err(Failure::new(format!(
                    "{typed}: the journal is not what the match's record and the tournament's settings show: {what}"
                ))
                .hint("the result should not count; `flipside verify --all` looks for others"));
            }
            // Reading tells what is wrong in the words of whoever typed it.
            _ => {}
        }
    }
    let verified = flipside_referee::verify(&read_record(arena, typed)?);
    let verified = verified.map_err(|error| Failure::from(error).about(typed))?;
    let proof = match is_a_record_file(typed) {
        true => Proof::File,
        false => Proof::Record,
    };
    Ok(proof(Box::new(verified)))
}

/// What is heard while journals are compared with their records.
pub enum AuditNews<'a> {
    /// So many matches will be verified.
    Begins(u64),
    /// So many matches are done.
    Reached(u64),
    /// Something is not as it must be: a line about it.
    Wrong(String),
    /// A tournament is done.
    Done {
        /// Which.
        tournament: &'a Tournament,
        /// How many of its matches were found to be what.
        audited: &'a Audited,
        /// Whether it is being played now.
        running: bool,
    },
}

/// How journals compare with their records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifyAudit {
    /// How many tournaments were read.
    pub tournaments: u64,
    /// How many things are not as they must be.
    pub wrong: u64,
    /// How many matches were found to be what, in all tournaments.
    pub sum: Audited,
}

/// Verifies every match of the tournament of this name, or of all, on all cores. `on` hears of each.
///
/// # Errors
/// When the journal cannot be read, or `on` fails.
pub fn audit_tournaments(
    arena: &Arena,
    name: Option<&str>,
    mut on: impl FnMut(AuditNews<'_>) -> Result<()>,
) -> Result<VerifyAudit> {
    // What runs now is not finished, and what has come since is not seen.
    let journal = arena.read_journal()?;
    let mut all = VerifyAudit::default();
    for stray in journal.strays()? {
        all.wrong += 1;
        let line = format!("journal: wrong: {}", plain_line(&stray));
        on(AuditNews::Wrong(line))?;
    }
    let tournaments = one_or_all(&journal, name)?;
    let mut matches = 0;
    for tournament in &tournaments {
        matches += journal.played(tournament.id)?.len();
    }
    on(AuditNews::Begins(matches))?;
    let mut done = 0;
    for tournament in &tournaments {
        let running = arena.is_running(&tournament.name);
        let mut heard = Ok(());
        let audited = audit(&journal, tournament, cores(), |finding, here, _| {
            let wrong = told(finding, running);
            heard = on(AuditNews::Reached(done + here))
                .and_then(|()| wrong.map_or(Ok(()), |line| on(AuditNews::Wrong(line))));
            match heard {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        heard?;
        let audited = match audited {
            Ok(audited) => audited,
            // The others may be read nevertheless.
            Err(error) => {
                all.wrong += 1;
                let line = format!("{}: wrong: {error}", tournament.name);
                on(AuditNews::Wrong(plain_line(&line)))?;
                continue;
            }
        };
        done += journal.played(tournament.id)?.len();
        all.wrong += audited.wrong + if running { 0 } else { audited.missing };
        add(&mut all.sum, &audited);
        on(AuditNews::Done {
            tournament,
            audited: &audited,
            running,
        })?;
    }
    all.tournaments = tournaments.len() as u64;
    Ok(all)
}

/// The tournament of this name, or all.
pub(crate) fn one_or_all(journal: &Journal, name: Option<&str>) -> Result<Vec<Tournament>> {
    Ok(match name {
        Some(name) => vec![journal.tournament(name)?],
        None => journal.tournaments()?,
    })
}

/// The line of a match that is not as it must be.
fn told(finding: &Finding, running: bool) -> Option<String> {
    let id = &finding.id;
    let line = match &finding.found {
        RecordAudit::Wrong(what) => format!("{id}: wrong: {what}"),
        RecordAudit::Missing if !running => format!(
            "{id}: missing: later matches have results; it was deleted, was void each time, or the tournament was \
             killed before it landed; the command that began the tournament plays it"
        ),
        RecordAudit::Missing
        | RecordAudit::True { .. }
        | RecordAudit::Forfeit
        | RecordAudit::Open => return None,
    };
    Some(plain_line(&line))
}

fn add(sum: &mut Audited, one: &Audited) {
    for (sum, one) in [
        (&mut sum.proven, one.proven),
        (&mut sum.forfeits, one.forfeits),
        (&mut sum.wrong, one.wrong),
        (&mut sum.missing, one.missing),
        (&mut sum.open, one.open),
        (&mut sum.left_out, one.left_out),
        (&mut sum.faults_told, one.faults_told),
        (&mut sum.due, one.due),
    ] {
        *sum = sum.saturating_add(one);
    }
}

/// Refuses a tournament that is not what its records show: with a match that was changed, added or deleted.
pub(crate) fn refuse_changed(
    arena: &Arena,
    journal: &Journal,
    tournament: &Tournament,
    mut step: impl FnMut(u64, u64),
) -> Result<()> {
    let hint = format!(
        "`flipside verify --tournament {}` names every match; where one is missing, the command that began the \
         tournament plays it",
        tournament.name
    );
    if let Some(stray) = journal.strays()?.first() {
        let what = format!("the journal is damaged or was changed: {stray}");
        return Err(Failure::new(what).hint(hint));
    }
    // What runs now may have landed out of order.
    let running = arena.is_running(&tournament.name);
    let mut first = None;
    let audited = audit(journal, tournament, cores(), |finding, done, all| {
        step(done, all);
        first = first.take().or_else(|| told(finding, running));
        ControlFlow::Continue(())
    })?;
    let number = audited.wrong + if running { 0 } else { audited.missing };
    match first {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!(
            "{} of {} {} not what the records show, and nothing is written; the first: {first}",
            counted(number, "match"),
            tournament.name,
            if number == 1 { "is" } else { "are" },
        ))
        .hint(hint)),
    }
}
