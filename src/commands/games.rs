use flipside_games::{AnyGame, GAMES, Info, OptionsError, Setup};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::output::{Column, Format, Row};

/// List the games
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct GameRow(Info);

impl Row for GameRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("game", |row: &GameRow| row.0.id.into()),
        Column::text("seats", |row: &GameRow| row.0.seats_in_words().into()),
        Column::text("has", |row: &GameRow| traits(&row.0).into()),
        Column::text("about", |row: &GameRow| row.0.summary.into()),
    ];
    const NOTHING: &'static str = "no games are built in";
}

fn traits(info: &Info) -> String {
    let traits = [
        (info.chance, "chance"),
        (info.secrets, "secrets"),
        (info.simultaneous, "simultaneous turns"),
    ];
    let has = traits.iter().filter(|(has, _)| *has);
    let has: Vec<&str> = has.map(|(_, name)| *name).collect();
    match has.is_empty() {
        true => "full information".into(),
        false => has.join(", "),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    args.format.print(
        &GAMES
            .iter()
            .map(|game| GameRow(*game.info()))
            .collect::<Vec<_>>(),
    )
}

/// A match of a game with these options, or a failure that says how the wrong one may be given.
pub(crate) fn set_up(game: &dyn AnyGame, options: &str, seats: u8) -> Result<Setup> {
    let setup = game.set_up(options, seats);
    setup.map_err(|error| {
        let info = game.info();
        let hint = match info.seats.contains(&seats) {
            true => hint(game, &error),
            false => format!("--seats {}", info.least_seats()),
        };
        Failure::usage(error).hint(hint)
    })
}

/// The way out of a wrong option: its default, as it is typed.
fn hint(game: &dyn AnyGame, error: &OptionsError) -> String {
    let id = game.info().id;
    let all = format!("`flipside rules {id}` lists the options");
    let named = error.0.strip_prefix("option ");
    let Some((name, _)) = named.and_then(|rest| rest.split_once(": ")) else {
        return all;
    };
    let default = &game.presets()[0].1;
    let default: serde_json::Value = serde_json::from_str(default).unwrap_or_default();
    let mut names = name.split('.');
    let value = names.try_fold(&default, |object, name| object.get(name));
    let Some(value) = value else {
        return all;
    };
    let wrap = |inner: String, name: &str| format!("{{\"{name}\":{inner}}}");
    let example = name.rsplit('.').fold(value.to_string(), wrap);
    format!("for example --options '{example}'; {all}")
}

/// The game of this id, or a failure that names the nearest one.
pub(crate) fn find(id: &str) -> Result<&'static dyn flipside_games::AnyGame> {
    flipside_games::find(id).ok_or_else(|| {
        let ids = GAMES.iter().map(|game| game.info().id);
        let nearest =
            ids.max_by(|a, b| strsim::jaro_winkler(a, id).total_cmp(&strsim::jaro_winkler(b, id)));
        let failure = Failure::usage(format!("there is no game {id:?}"));
        match nearest.filter(|nearest| strsim::jaro_winkler(nearest, id) > 0.7) {
            Some(nearest) => failure.hint(format!(
                "did you mean {nearest}? `flipside games` lists them all"
            )),
            None => failure.hint("`flipside games` lists them all"),
        }
    })
}
