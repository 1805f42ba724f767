use std::fmt::Write;

use flipside_operations::{MatchDetails, MatchQuery, Result, for_each_match, match_details};
use flipside_tournament::Evidence;
use flipside_tournament::report::words::counted;

use crate::args::ArenaArg;
use crate::number;
use crate::output::{self, Format, plain_line};

/// List matches, latest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print this match's record
    id: Option<String>,
    /// Show the result, stderr and last lines of this match
    #[arg(long, value_name = "ID", conflicts_with_all = ["id", "csv"])]
    show: Option<String>,
    /// Only matches of this tournament
    #[arg(long)]
    tournament: Option<String>,
    /// Only matches at this game
    #[arg(long)]
    game: Option<String>,
    /// Only matches of this bot
    #[arg(long)]
    bot: Option<String>,
    /// Only matches with a fault
    #[arg(long)]
    faults: bool,
    /// Maximum number of matches
    #[arg(long, default_value_t = 50, value_parser = number::whole(0, usize::MAX))]
    limit: usize,
    #[command(flatten)]
    format: Format,
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
        let (bot, points, place) = (plain_line(&seat.bot), seat.result.points, seat.result.place);
        let _ = writeln!(
            text,
            "\nseat {number}: {bot}, points {points}, place {place}"
        );
        if let Some(fault) = &seat.result.fault {
            let _ = writeln!(
                text,
                "  {}: {}",
                plain_line(&fault.name),
                plain_line(&fault.detail)
            );
        }
        let mut kept = shown.evidence.iter();
        if let Some(kept) = kept.find(|kept| usize::from(kept.seat) == number) {
            tell_evidence(&mut text, &kept.evidence);
        }
    }
    text
}

fn tell_evidence(text: &mut String, evidence: &Evidence) {
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
    if !evidence.stderr.is_empty() {
        *text += "  the end of its standard error:\n";
    }
    for line in evidence.stderr.lines() {
        let _ = writeln!(text, "  | {}", plain_line(line));
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.journal()?;
    if let Some(id) = &args.id {
        return output::print_content(&journal.record(id)?);
    }
    if let Some(id) = &args.show {
        let shown = match_details(&journal, id)?;
        let csv = || told(&shown);
        return args.format.print_value(&shown, || Ok(told(&shown)), csv);
    }
    let query = MatchQuery {
        tournament: args.tournament.as_deref(),
        game: args.game.as_deref(),
        bot: args.bot.as_deref(),
        faults: args.faults,
        limit: args.limit,
    };
    args.format
        .print_each(|show| for_each_match(&journal, &query, show))
}
