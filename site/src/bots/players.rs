//! Bots for a game: which play it, and refusing those that do not.

use std::collections::HashMap;

use axum::http::StatusCode;
use flipside_games::without_version;
use flipside_operations::{plays_as_sample, samples_of};
use flipside_tournament::{Bot, BotFile, BotRef, Name, SAMPLE_PREFIX};

use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// A bot that can be chosen for a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OfferedBot {
    /// How it is named.
    pub(crate) name: String,
    /// Whether it has not been checked, so that nobody knows what it plays.
    pub(crate) is_unchecked: bool,
}

/// The bots that play a game: the newest versions of the arena's by name, and then the built-in ones.
pub(crate) fn offered(reading: &ReadContext<'_>, game: &str) -> Result<Vec<OfferedBot>> {
    let mut newest: HashMap<Name, Bot> = HashMap::new();
    for bot in reading.journal.bots()? {
        // A built-in bot of the arena is offered as what it is.
        let is_stored = matches!(bot.file, Some(BotFile::Stored { .. }));
        if is_stored && bot.is_here() {
            newest.insert(bot.name.clone(), bot);
        }
    }
    let mut bots: Vec<Bot> = newest.into_values().collect();
    bots.retain(|bot| bot.games.is_empty() || bot.plays(game));
    bots.sort_by(|one, other| one.name.as_str().cmp(other.name.as_str()));
    let of_arena = bots.into_iter().map(|bot| OfferedBot {
        name: bot.name.to_string(),
        is_unchecked: bot.games.is_empty(),
    });
    let built_in = samples_of(without_version(game)).into_iter();
    let built_in = built_in.map(|name| OfferedBot {
        name,
        is_unchecked: false,
    });
    Ok(of_arena.chain(built_in).collect())
}

/// Makes sure that bots of these names are there, and that the built-in ones play a game. What a stored bot plays
/// beside the games of its check, nobody knows.
///
/// # Errors
/// The first that does not, at the field `bots`.
pub(crate) fn refuse_strangers(
    reading: &ReadContext<'_>,
    names: &[String],
    game: &str,
) -> Result<()> {
    names.iter().try_for_each(|typed| {
        refuse_stranger(reading, typed, game).map_err(|problem| problem.at("bots"))
    })
}

fn refuse_stranger(reading: &ReadContext<'_>, typed: &str, game: &str) -> Result<()> {
    if plays_as_sample(typed, game)? {
        return Ok(());
    }
    let named: BotRef = typed
        .parse()
        .map_err(|error| Problem::unfit(format!("{typed:?} is no bot's name: {error}")))?;
    let bot = reading.journal.bot(&named).map_err(|error| {
        let mut problem = Problem::from(error);
        // It is no page that is missing.
        if problem.status == StatusCode::NOT_FOUND {
            problem.status = StatusCode::UNPROCESSABLE_ENTITY;
        }
        problem
    })?;
    if let Some(BotFile::BuiltIn(sample)) = &bot.file {
        let sample = format!("{SAMPLE_PREFIX}{sample}");
        return refuse_stranger(reading, &sample, game);
    }
    Ok(())
}
