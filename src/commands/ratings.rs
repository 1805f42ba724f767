use flipside_tournament::report::words::TRUSTED;
use flipside_tournament::report::{Rated, Table};
use flipside_tournament::{Journal, Name, NameError, Tournament, history, ratings};

use crate::arena::ArenaArg;
use crate::commands::export::in_part;
use crate::commands::games;
use crate::failure::{Failure, Result};
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
    let wanted = match &args.game {
        Some(id) => vec![games::find(id)?],
        None => flipside_games::GAMES.to_vec(),
    };
    let journal = args.arena.open()?.read_journal()?;
    if let Some(name) = &args.history {
        let ids = wanted.iter().map(|game| game.info().id);
        return print_history(&journal, name, ids, args.format);
    }
    let rows = rated(&journal, wanted.iter().map(|game| game.info().id))?;
    if !args.format.for_people() || rows.is_empty() {
        return args.format.print(&rows);
    }
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| a.game == b.game) {
        let table = Table::of("", Rated::COLUMNS, rows).text(&[], terminal::columns());
        text += &format!("{}\n{table}\n", rows[0].game);
    }
    text += "low and high: the 95 % interval of the rating (Glicko-2)\n";
    let shown =
        |tournament: &Tournament| rows.iter().any(|row| row.game == tournament.settings.game);
    let trusted = journal.tournaments()?.into_iter();
    let trusted: Vec<String> = trusted
        .filter(|tournament| tournament.settings.trust && shown(tournament))
        .map(|tournament| tournament.name.to_string())
        .collect();
    if !trusted.is_empty() {
        text += &format!("{TRUSTED} in {}\n", trusted.join(", "));
    }
    for tournament in journal.tournaments()?.iter().filter(|&one| shown(one)) {
        if let Some(in_part) = in_part(&journal, tournament)? {
            text += &(in_part + "\n");
        }
    }
    output::print(&text)
}

fn print_history<'a>(
    journal: &Journal,
    name: &Name,
    games: impl Iterator<Item = &'a str>,
    format: Format,
) -> Result<()> {
    let known = journal.bots()?.iter().any(|bot| bot.name == *name);
    if !known {
        return Err(
            Failure::usage(format!("no bot is named {name:?}", name = name.as_str()))
                .hint("`flipside bots` lists the arena's bots; the name is without its version"),
        );
    }
    let mut rows = Vec::new();
    for game in games {
        rows.extend(history(journal, game, name.as_str())?);
    }
    format.print(&rows)
}

fn rated<'a>(journal: &Journal, games: impl Iterator<Item = &'a str>) -> Result<Vec<Rated>> {
    let mut all = Vec::new();
    for game in games {
        let rows = ratings(journal, game)?.rows;
        all.extend(rows.into_iter().map(|row| Rated {
            game: game.to_owned(),
            row,
        }));
    }
    Ok(all)
}
