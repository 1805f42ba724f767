use flipside_tournament::{MatchFilter, MatchRow, SeatRow};
use serde::Serialize;

use crate::arena::ArenaArg;
use crate::failure::{Failure, Result};
use crate::output::{self, Column, Format, Row};

/// List the matches played, the latest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the record of this match, and no list.
    id: Option<String>,
    /// Only those of this tournament.
    #[arg(long)]
    tournament: Option<String>,
    /// Only those at this game.
    #[arg(long)]
    game: Option<String>,
    /// Only those of this bot.
    #[arg(long)]
    bot: Option<String>,
    /// Only those with a fault.
    #[arg(long)]
    faults: bool,
    /// At most so many.
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Listed(MatchRow);

impl Row for Listed {
    const COLUMNS: &'static [Column] = &[
        Column::Text("match"),
        Column::Text("game"),
        Column::Text("bots by seat, with points"),
        Column::Text("reason"),
        Column::Number("plies"),
        Column::Number("ms"),
        Column::Text("faults"),
    ];
    const NOTHING: &'static str = "no such matches";

    fn cells(&self) -> Vec<String> {
        let row = &self.0;
        let bot = |seat: &SeatRow| format!("{} {}", seat.bot, seat.points);
        let fault = |seat: &SeatRow| {
            seat.fault
                .as_ref()
                .map(|fault| format!("{} {}", seat.bot, fault.name))
        };
        vec![
            row.id.clone(),
            row.game.clone(),
            row.seats.iter().map(bot).collect::<Vec<_>>().join(", "),
            row.reason.clone(),
            row.plies.to_string(),
            format!("{:.1}", row.duration_us as f64 / 1000.0),
            row.seats
                .iter()
                .filter_map(fault)
                .collect::<Vec<_>>()
                .join(", "),
        ]
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.open()?.read_journal()?;
    if let Some(id) = &args.id {
        return output::print(&journal.record(id)?);
    }
    let bot = match &args.bot {
        Some(typed) => {
            let wanted = typed
                .parse()
                .map_err(|error| Failure::usage(format!("{typed:?}: {error}")))?;
            Some(journal.bot(&wanted)?.id)
        }
        None => None,
    };
    let tournament = match &args.tournament {
        Some(name) => Some(journal.tournament(name)?.id),
        None => None,
    };
    let filter = MatchFilter {
        tournament,
        game: args.game.clone(),
        bot,
        faults_only: args.faults,
        limit: args.limit,
        ..MatchFilter::default()
    };
    args.format.print(
        &journal
            .matches(&filter)?
            .into_iter()
            .map(Listed)
            .collect::<Vec<_>>(),
    )
}
