use flipside_operations::{Result, find_history, find_ratings, games_or_all, in_part};
use flipside_tournament::report::words::{IMPORTED, TRUSTED};
use flipside_tournament::report::{Rated, Table};
use flipside_tournament::{Name, NameError};

use crate::args::ArenaArg;
use crate::output::{self, Format, Row};
use crate::terminal;

/// Show ratings over all tournaments
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: all]
    game: Option<String>,
    /// Show every version of a bot after each rating period
    #[arg(long, value_name = "NAME", value_parser = without_version)]
    history: Option<Name>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

/// Reads the name of a bot; who types its version is told that all are shown.
fn without_version(typed: &str) -> Result<Name, String> {
    typed.parse().map_err(|error: NameError| {
        match typed.split_once('@').map(|(name, _)| name.parse::<Name>()) {
            Some(Ok(name)) => format!("leave the version out: {name} shows all versions of it"),
            _ => error.to_string(),
        }
    })
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let games = games_or_all(args.game.as_deref())?;
    let journal = args.arena.journal()?;
    if let Some(name) = &args.history {
        return args
            .format
            .print_each(|show| find_history(&journal, name, &games, show));
    }
    let rows = find_ratings(&journal, &games)?;
    if !args.format.for_people() || rows.is_empty() {
        return args.format.print(&rows);
    }
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| a.game == b.game) {
        let table = Table::of("", Rated::COLUMNS, rows).text(&[], terminal::columns());
        text += &format!("{}\n{table}\n", rows[0].game);
    }
    text += "low and high: the 95 % interval of the rating, against the average of these bots\n";
    if rows.iter().any(|one| one.row.imported > 0) {
        text += &format!("{IMPORTED}\n");
    }
    let mut tournaments = journal.tournaments()?;
    tournaments.retain(|tournament| rows.iter().any(|row| row.game == tournament.settings.game));
    let trusted = tournaments.iter().filter(|one| one.settings.trust);
    let trusted: Vec<&str> = trusted.map(|one| one.name.as_str()).collect();
    if !trusted.is_empty() {
        text += &format!("{TRUSTED} in {}\n", trusted.join(", "));
    }
    for tournament in &tournaments {
        if let Some(in_part) = in_part(&journal, tournament)? {
            text += &(in_part + "\n");
        }
    }
    output::print(&text)
}
