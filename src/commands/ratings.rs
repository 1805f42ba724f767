use flipside_games::AnyGame;
use flipside_games::words::counted;
use flipside_operations::{
    Result, find_against, find_history, find_ratings, games_or_all, in_part,
};
use flipside_report::words::{IMPORTED, TRUSTED};
use flipside_report::{Rated, ReportRow, ReportTable, overall_table};
use flipside_store::{GameRatings, Journal, all_play_all, overall, ratings};
use flipside_tournament::{Against, BotRef, Name, NameError};

use crate::args::{ArenaArg, bot_ref};
use crate::output::{self, OutputFormat, against_caption};
use crate::terminal;

/// Show ratings over all tournaments
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: all]
    game: Option<String>,
    /// Show every version of a bot after each rating period
    #[arg(long, value_name = "NAME", value_parser = without_version)]
    history: Option<Name>,
    /// Show by how many rating points each bot is stronger than this one: NAME or NAME@VERSION
    #[arg(long, value_name = "BOT", value_parser = bot_ref, requires = "game", conflicts_with = "history")]
    against: Option<BotRef>,
    /// Show one table over all games: the mean of a bot's ratings
    #[arg(long, conflicts_with_all = ["game", "history", "against"])]
    overall: bool,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

/// What must be known of the tournaments at these games.
fn notes(journal: &Journal, is_of: impl Fn(&str) -> bool, imported: bool) -> Result<Vec<String>> {
    let mut notes: Vec<String> = imported.then(|| IMPORTED.to_owned()).into_iter().collect();
    let mut tournaments = journal.tournaments()?;
    tournaments.retain(|tournament| is_of(&tournament.settings.game));
    let trusted = tournaments.iter().filter(|one| one.settings.trust);
    let trusted: Vec<&str> = trusted.map(|one| one.name.as_str()).collect();
    if !trusted.is_empty() {
        notes.push(format!("{TRUSTED} in {}", trusted.join(", ")));
    }
    for tournament in &tournaments {
        notes.extend(in_part(journal, tournament)?);
    }
    Ok(notes)
}

/// Prints one table over these games.
fn print_overall(journal: &Journal, games: &[&dyn AnyGame], format: OutputFormat) -> Result<()> {
    let ratings = games.iter().map(|game| ratings(journal, game.info().id));
    let ratings: Vec<GameRatings> = ratings.collect::<Result<_, _>>()?;
    let (games, rows) = overall(&ratings);
    if rows.is_empty() {
        return format.print::<Rated>(&[]);
    }
    let table = || overall_table(&games, &rows);
    let mut captions = vec![format!(
        "rating: the mean of the ratings at {}, each counting the same; low and high: its 95 % interval, against the \
         average of the bots at each game",
        counted(games.len() as u64, "game")
    )];
    if !all_play_all(&games, &rows) {
        captions.push(
            "-: not played there; it counts as 1500 ± 686, the rating before the first match"
                .into(),
        );
    }
    captions.push(
        "ratings at different games have no common scale: 1500 is the average of each game's bots"
            .into(),
    );
    let imported = rows.iter().any(|row| row.imported > 0);
    captions.extend(notes(
        journal,
        |game| games.iter().any(|one| one == game),
        imported,
    )?);
    let text = || Ok(table().text(&captions, terminal::columns()));
    format.print_value(&rows, text, || table().csv())
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
    if let (Some(bot), Some(game)) = (&args.against, games.first()) {
        let (against, rows) = find_against(&journal, game.info().id, bot)?;
        let table = || ReportTable::of("", Against::COLUMNS, &rows);
        let text = || Ok(table().text(&[against_caption(&against)], terminal::columns()));
        return args.format.print_value(&rows, text, || table().csv());
    }
    if args.overall {
        return print_overall(&journal, &games, args.format);
    }
    let rows = find_ratings(&journal, &games)?;
    if !args.format.for_people() || rows.is_empty() {
        return args.format.print(&rows);
    }
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| a.game == b.game) {
        let table = ReportTable::of("", Rated::COLUMNS, rows).text(&[], terminal::columns());
        text += &format!("{}\n{table}\n", rows[0].game);
    }
    text += "low and high: the 95 % interval of the rating, against the average of these bots\n";
    let is_of = |game: &str| rows.iter().any(|row| row.game == game);
    let imported = rows.iter().any(|one| one.row.imported > 0);
    for note in notes(&journal, is_of, imported)? {
        text += &(note + "\n");
    }
    output::print(&text)
}
