use std::fmt::Write;

use flipside_tournament::{
    CrossTable, Format as Pairings, Journal, Ranking, Row as Standing, Settings, Standings,
    Tournament, table,
};

use crate::arena::ArenaArg;
use crate::failure::{Failure, Result};
use crate::output::{Column, Format, aligned};

/// Show a tournament's standings and its cross table
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tournament's name; without it, the latest.
    tournament: Option<String>,
    /// Only the cross table.
    #[arg(long)]
    cross: bool,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

const COLUMNS: &[Column] = &[
    Column::Number("rank"),
    Column::Text("bot"),
    Column::Number("rating"),
    Column::Number("deviation"),
    Column::Text("95 % interval"),
    Column::Number("games"),
    Column::Number("won"),
    Column::Number("drawn"),
    Column::Number("lost"),
    Column::Number("score"),
    Column::Number("%"),
    Column::Number("faults"),
    Column::Number("voids"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.open()?.read_journal()?;
    let tournament = match &args.tournament {
        Some(name) => journal.tournament(name)?,
        None => journal.latest_tournament()?.ok_or_else(|| {
            Failure::new("no tournament was played in this arena")
                .hint("`flipside tournament GAME BOT BOT...` plays one")
        })?,
    };
    if args.cross {
        let cross_table = table(&journal, &tournament)?.cross;
        let text = || Ok(cross(&cross_table) + "\n");
        return args
            .format
            .print_value(&cross_table, text, || cross_table.to_csv());
    }
    show(&journal, &tournament, args.format)
}

/// What is said where bots had no jail around them.
pub(crate) const TRUSTED: &str = "trust: processes were started without a jail";

/// Prints a tournament's standings and its cross table.
pub(crate) fn show(journal: &Journal, tournament: &Tournament, format: Format) -> Result<()> {
    let standings = table(journal, tournament)?;
    let text = || Ok(told(tournament, &standings));
    format.print_value(&standings, text, || standings.to_csv())
}

/// The standings and the cross table, for people.
pub(crate) fn told(tournament: &Tournament, standings: &Standings) -> String {
    let settings = &tournament.settings;
    let mut text = format!(
        "{} - {}{}, {}, clock {}, seed {}: {} of {} matches\n\n{}\n",
        tournament.name,
        settings.game,
        seats_in_words(settings),
        format_in_words(settings),
        settings.clock,
        settings.seed,
        standings.played,
        standings.total,
        aligned(COLUMNS, standings.rows.iter().map(cells)),
    );
    if let Some(ranking) = &standings.ranking {
        let _ = writeln!(text, "\n{}", ranked(ranking, standings));
    }
    let _ = write!(
        text,
        "\n{}\nscore of the bot on the left against the bot above\n",
        cross(&standings.cross)
    );
    if settings.trust {
        let _ = writeln!(text, "{TRUSTED}");
    }
    if standings.voids > 0 {
        let _ = writeln!(
            text,
            "voids: {} times a match failed by no fault of a bot, and was or will be played again",
            standings.voids
        );
    }
    text
}

/// The format, and how many rounds were asked for.
fn format_in_words(settings: &Settings) -> String {
    let rounds = match settings.rounds {
        1 => "1 round".into(),
        rounds => format!("{rounds} rounds"),
    };
    match settings.format {
        Pairings::RoundRobin => rounds,
        format if format.counts_its_rounds() => format.to_string(),
        format => format!("{format}, {rounds}"),
    }
}

/// What the ranks come from, in a format with an order of its own.
fn ranked(ranking: &Ranking, standings: &Standings) -> String {
    let header: Vec<String> = [""]
        .iter()
        .chain(&ranking.by)
        .map(|heading| (*heading).to_owned())
        .collect();
    let rows = ranking
        .rows
        .iter()
        .zip(&standings.rows)
        .map(|(row, standing)| {
            std::iter::once(format!("{} {}", row.rank, standing.bot))
                .chain(row.cells.clone())
                .collect::<Vec<_>>()
        });
    crate::output::grid(&header, rows)
}

/// How many seats a match has, where that is not two bots.
fn seats_in_words(settings: &Settings) -> String {
    match (settings.seats, settings.copies) {
        (2, 1) => String::new(),
        (seats, 1) => format!(", {seats} seats"),
        (seats, copies) => format!(", {seats} seats, {copies} for each bot"),
    }
}

fn cells(row: &Standing) -> Vec<String> {
    vec![
        row.rank.to_string(),
        row.bot.clone(),
        format!("{:.0}", row.rating),
        format!("{:.0}", row.deviation),
        format!("{:.0} to {:.0}", row.low, row.high),
        row.games.to_string(),
        row.wins.to_string(),
        row.draws.to_string(),
        row.losses.to_string(),
        format!("{:.1}", row.score),
        format!("{:.1}", row.percent),
        row.faults.to_string(),
        row.voids.to_string(),
    ]
}

/// Who scored how much against whom; columns are numbered by rank.
fn cross(table: &CrossTable) -> String {
    let numbers: Vec<String> = (1..=table.bots.len())
        .map(|rank| rank.to_string())
        .collect();
    // Headings of a table are static; a cross table has as many as it has bots.
    let header = std::iter::once(String::new())
        .chain(numbers.iter().cloned())
        .collect::<Vec<_>>();
    let rows = table.bots.iter().enumerate().map(|(at, bot)| {
        let cells = table.cells[at]
            .iter()
            .enumerate()
            .map(|(other, cell)| match at == other {
                true => "-".to_owned(),
                false => format!(
                    "{:.1}/{}",
                    cell.score(),
                    cell.wins + cell.draws + cell.losses
                ),
            });
        std::iter::once(format!("{} {bot}", at + 1))
            .chain(cells)
            .collect::<Vec<_>>()
    });
    crate::output::grid(&header, rows)
}
