use std::fmt::Write;
use std::time::Duration;

use flipside_games::words::counted;
use flipside_operations::{
    MatchDetails, MatchQuery, Result, for_each_match, match_details, pondered, slowest_moves,
};
use flipside_report::{plain_line, words};
use flipside_store::{Arena, Evidence, MAX_RECORDS_READ, SeatNotes};
use flipside_tournament::{SlowMove, SlowMoves};

use crate::args::ArenaArg;
use crate::number;
use crate::output::{self, OutputFormat, note};

/// List matches, latest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print this match's record, signed if the arena has a key and played the match
    #[arg(conflicts_with_all = ["tournament", "game", "bot", "faults", "limit", "json", "csv"])]
    id: Option<String>,
    /// Show the result, stderr and last lines of this match
    #[arg(long, value_name = "ID", conflicts_with_all = ["id", "csv", "tournament", "game", "bot", "faults", "limit"])]
    show: Option<String>,
    /// List only matches of this tournament
    #[arg(long)]
    tournament: Option<String>,
    /// List only matches at this game
    #[arg(long)]
    game: Option<String>,
    /// List only matches of this bot
    #[arg(long)]
    bot: Option<String>,
    /// List only matches with a fault
    #[arg(long)]
    faults: bool,
    /// List the slowest moves instead, one for each bot of a match
    #[arg(long, conflicts_with_all = ["id", "show"])]
    slowest: bool,
    /// List at most this many matches
    #[arg(long, default_value_t = 50, value_parser = number::whole(0, usize::MAX))]
    limit: usize,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

/// A match for people. What bots wrote cannot steer the terminal.
fn told(shown: &MatchDetails) -> String {
    let row = &shown.row;
    let mut text = format!(
        "{} - {}: {} after {}\n",
        plain_line(&row.id),
        plain_line(&row.game),
        plain_line(&row.reason),
        counted(row.plies, "ply")
    );
    if row.elsewhere {
        text += "played in another arena; its record was verified\n";
    }
    for (number, seat) in row.seats.iter().enumerate() {
        let (bot, place) = (plain_line(&seat.bot), seat.result.place);
        let points = words::points(seat.points);
        let _ = writeln!(
            text,
            "\nseat {number}: {bot}, points {points}, place {place}"
        );
        if let Some(fault) = &seat.result.fault {
            let told = plain_line(&format!("{}: {}", fault.name, fault.detail));
            let _ = writeln!(text, "  {told}");
        }
        let mut kept = shown.evidence.iter();
        if let Some(kept) = kept.find(|kept| usize::from(kept.seat) == number) {
            tell_evidence(&mut text, &kept.kept);
        }
        let mut notes = shown.notes.iter();
        if let Some(kept) = notes.find(|kept| usize::from(kept.seat) == number) {
            tell_notes(&mut text, &kept.kept);
        }
    }
    text
}

fn tell_notes(text: &mut String, notes: &SeatNotes) {
    if let Some(us) = notes.pondered_us {
        let cpu = Duration::from_micros(us);
        let _ = writeln!(text, "  warning: {}", pondered(cpu));
    }
    tell_stderr(text, &notes.stderr);
}

fn tell_evidence(text: &mut String, evidence: &Evidence) {
    if let Some(hint) = &evidence.hint {
        let _ = writeln!(text, "  hint: {}", plain_line(hint));
    }
    if !evidence.traffic.is_empty() {
        *text += "  the last lines to it (>) and from it (<):\n";
    }
    for said in &evidence.traffic {
        let way = if said.from_bot { '<' } else { '>' };
        let _ = write!(text, "  {way} {}", plain_line(&said.line));
        if said.bytes > said.line.len() as u64 {
            let _ = write!(text, " ... ({} bytes)", said.bytes);
        }
        text.push('\n');
    }
    tell_stderr(text, &evidence.stderr);
}

fn tell_stderr(text: &mut String, stderr: &str) {
    if !stderr.is_empty() {
        *text += "  the end of its standard error:\n";
    }
    for line in stderr.lines() {
        let _ = writeln!(text, "  | {}", plain_line(line));
    }
}

fn slowest(args: &Args, found: &SlowMoves) -> Result<()> {
    args.format.print(&found.moves)?;
    if !found.all {
        note!(
            "{MAX_RECORDS_READ} records were read, those of the bots that used most time; others may have slower moves"
        );
        note!("hint: --tournament NAME, --game GAME and --bot BOT leave fewer");
    }
    if let Some(SlowMove { id, seat, ply, .. }) =
        found.moves.first().filter(|_| args.format.for_people())
    {
        note!(
            "hint: flipside debug {} --seat {seat} --ply {ply}",
            plain_line(id)
        );
    }
    Ok(())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.journal()?;
    if let Some(id) = &args.id {
        let arena = Arena::open(args.arena.path())?;
        return output::print_content(&arena.record_to_give(&journal, id)?);
    }
    if let Some(id) = &args.show {
        let shown = match_details(&journal, id)?;
        let text = || told(&shown);
        return args.format.print_value(&shown, || Ok(text()), text);
    }
    let query = MatchQuery {
        tournament: args.tournament.as_deref(),
        game: args.game.as_deref(),
        bot: args.bot.as_deref(),
        faults: args.faults,
        limit: args.limit,
    };
    if args.slowest {
        return slowest(args, &slowest_moves(&journal, &query)?);
    }
    args.format
        .print_each(|show| for_each_match(&journal, &query, show))
}
