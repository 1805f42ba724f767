use std::path::Path;

use flipside_games::words::counted;
use flipside_operations::{
    AuditNews, Failure, Proof, Rerun, RerunNews, Result, audit_tournaments, game_named, rerun,
    rerun_tournaments, signed_by, verify,
};
use flipside_referee::Verified;
use flipside_report::plain_line;
use flipside_store::Arena;
use flipside_store::audit::Audited;
use flipside_tournament::Tournament;

use crate::args::{ArenaArg, TrustArg};
use crate::output::{OTHER_FUEL, also, print, tell};
use crate::progress::{Progress, Steps, print_above};

/// Verify records and compare the journal with them
///
/// Checks the closing hash, the range of every field, legality, times, random events, faults and the result. Names who
/// signed a record file.
///
/// For a match in the arena, also compares the journal's result and checks that the match follows from the settings.
/// --tournament and --all do so on all cores, and also find missing and added matches.
///
/// --rerun also plays every WebAssembly module again with what it was sent, and compares its answers. If an answer
/// differs, that bot did not play the match. Processes are not played again.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["records", "tournament", "all"])))]
pub(crate) struct Args {
    /// Record files or match ids
    records: Vec<String>,
    /// Verify every match of this tournament
    #[arg(long, value_name = "NAME")]
    tournament: Option<String>,
    /// Verify every match of every tournament
    #[arg(long)]
    all: bool,
    /// Play the modules again, and compare their answers
    #[arg(long)]
    rerun: bool,
    /// Program of the game, where it is no built-in one: a file or a folder
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(game) = &args.game {
        game_named(args.arena.path(), game, args.trust.into())?;
    }
    if args.all || args.tournament.is_some() {
        let arena = Arena::open(args.arena.path())?;
        let name = args.tournament.as_deref();
        let audited = run_tournaments(&arena, name);
        return match (args.rerun, audited) {
            (false, audited) => audited,
            (true, Ok(())) => run_again(&arena, name),
            // What the journal has beside that is looked at, too.
            (true, Err(failure)) => {
                tell(&failure);
                run_again(&arena, name).and(Err(failure))
            }
        };
    }
    let mut wrong = 0;
    for name in &args.records {
        match verified(args.arena.path(), name, args.rerun) {
            Ok(told) => print(&(plain_line(&told) + "\n"))?,
            Err(failure) if args.records.len() > 1 => {
                wrong += 1;
                tell(&failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::new(format!(
            "{wrong} of {} records are wrong",
            args.records.len()
        ))),
    }
}

/// Verifies a file, or a match in the arena: gives a line about it.
fn verified(arena: &Path, name: &str, again: bool) -> Result<String> {
    let (verified, is_file) = match verify(arena, name)? {
        Proof::File(verified) => (verified, true),
        Proof::Record(verified) => (verified, false),
        Proof::Forfeit => {
            return Ok(format!(
                "{name}: ok: a forfeit, which follows from the matches before it"
            ));
        }
    };
    let Verified {
        record,
        draws,
        faults_shown,
        faults_told,
    } = *verified;
    let shown = also(faults_shown, "fault", " shown by evidence");
    let told = also(faults_told, "fault", " without evidence");
    let draws = also(draws, "random event", "");
    let again = match again {
        true => {
            let rerun = rerun(arena, &record).map_err(|failure| failure.about(name))?;
            format!("; {}", played_again(&rerun))
        }
        false => String::new(),
    };
    // The arena keeps records without signatures.
    let signed = match is_file {
        true => format!(", {}", signed_by(arena, record.signer)),
        false => String::new(),
    };
    let header = &record.header;
    Ok(format!(
        "{name}: ok: {} {}, {}{draws}{shown}{told}, {}{signed}{again}",
        header.game,
        header.id,
        counted(record.over.plies, "ply"),
        record.over.reason
    ))
}

/// What came of modules that were played again.
fn played_again(rerun: &Rerun) -> String {
    let Rerun {
        seats,
        answers,
        by_time,
        other_fuel,
        absent,
        others,
    } = *rerun;
    let (modules, equal) = (counted(seats, "module"), counted(answers, "answer"));
    let words = [
        format!("{modules} played again, {equal} equal"),
        also(by_time, "fault", " of time not compared"),
        also(other_fuel, "module", OTHER_FUEL),
        also(absent, "module", " not here"),
        also(others, "seat", " of processes or people not played again"),
    ];
    words.concat()
}

/// Plays the modules of one tournament, or of all, again.
fn run_again(arena: &Arena, name: Option<&str>) -> Result<()> {
    let mut progress: Option<Progress> = None;
    let (all, wrong) = rerun_tournaments(arena, name, |news| {
        match news {
            RerunNews::Begins(matches) => {
                progress = Some(Progress::new(Steps("match", "played again"), 0, matches));
            }
            RerunNews::Reached(done) => progress.iter_mut().for_each(|bar| bar.reach(done)),
            RerunNews::Wrong(line) => print_above(progress.as_ref(), &(line + "\n"))?,
        }
        Ok(())
    })?;
    progress.into_iter().for_each(Progress::end);
    print(&format!("{}\n", played_again(&all)))?;
    match wrong {
        0 => Ok(()),
        _ => {
            let what = format!("in {} a module answers otherwise", counted(wrong, "match"));
            Err(Failure::new(what).hint(
                "each is named above; such a record was not made by the module that it names",
            ))
        }
    }
}

/// Verifies every match of one tournament, or of all.
fn run_tournaments(arena: &Arena, name: Option<&str>) -> Result<()> {
    let mut progress: Option<Progress> = None;
    let audit = audit_tournaments(arena, name, |news| {
        match news {
            AuditNews::Begins(matches) => {
                progress = Some(Progress::new(Steps("match", "verified"), 0, matches));
            }
            AuditNews::Reached(done) => progress.iter_mut().for_each(|bar| bar.reach(done)),
            AuditNews::Wrong(line) => print_above(progress.as_ref(), &(line + "\n"))?,
            AuditNews::Done {
                tournament,
                audited,
                running,
            } => print_above(progress.as_ref(), &line(tournament, audited, running))?,
        }
        Ok(())
    })?;
    progress.into_iter().for_each(Progress::end);
    if audit.tournaments > 1 {
        let all = counted(audit.tournaments, "tournament");
        print(&format!("{all}: {}\n", in_words(&audit.sum)))?;
    }
    if audit.wrong == 0 {
        return Ok(());
    }
    let what = format!("the journal has {}", counted(audit.wrong, "error"));
    Err(Failure::new(what)
        .hint("each is named above; results that no record shows should not count"))
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
    format!("{}; {faults} without evidence", words.join(", "))
}
