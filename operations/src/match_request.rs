//! A single match as somebody types it.

use std::path::Path;

use flipside_protocol::{Clock, Patience};
use flipside_referee::{BotSettings, MAX_OPENING_PLIES, Match, Player, Referee, opening_fits};
use flipside_tournament::{BotsSettings, Name, SAMPLE_PREFIX};

use crate::NoteSink;
use crate::arena_games::game_named;
use crate::entry::find_player;
use crate::failure::{Failure, Result};
use crate::games::set_up;
use crate::programs::{Processes, prepare};
use crate::seed::{GivenSeed, drawn_id, seed_of_match};

/// What is typed for a match.
#[derive(Clone, Copy, Debug)]
pub struct TypedMatch<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The bots by seat: files, folders or names.
    pub bots: &'a [String],
    /// The options of the game, as JSON.
    pub options: &'a str,
    /// The clock of every bot.
    pub clock: Clock,
    /// The seed, if one is given.
    pub seed: Option<GivenSeed>,
    /// How many plies are drawn from the seed before anybody is asked.
    pub opening_plies: u32,
    /// How long the clock of each process may stand still, in all; none: no bot may pause.
    pub patience: Option<Patience>,
    /// What single bots have of their own.
    pub own: &'a BotsSettings,
}

impl TypedMatch<'_> {
    /// Finds the game and the bots, and prepares the bots. Returns the match and a referee for it.
    ///
    /// # Errors
    /// When there is no such game or bot, the options, the number of bots or the opening do not fit the game, or a bot
    /// cannot be prepared.
    pub fn prepare(
        &self,
        arena: &Path,
        processes: Processes,
        note: NoteSink<'_>,
    ) -> Result<(Match, Referee)> {
        let game = game_named(arena, self.game, processes)?;
        let seats = u8::try_from(self.bots.len()).unwrap_or(u8::MAX);
        set_up(game, self.options, seats).map_err(|failure| {
            if game.info().seats.contains(&seats) {
                failure
            } else {
                failure.hint("name a bot for every seat")
            }
        })?;
        opening_fits(game.info(), self.opening_plies).map_err(|error| {
            Failure::usage(error).hint(format!(
                "openings are for board games in turns without chance, and have at most {MAX_OPENING_PLIES} plies"
            ))
        })?;
        let players = self.bots.iter().map(|bot| find_player(arena, bot));
        let players = players.collect::<Result<Vec<Player>>>()?;
        let players = with_settings(players, self.own)?;
        let sandbox = processes.sandbox(arena, 1);
        prepare(&sandbox, &players, self.clock)?;
        let the_match = Match {
            id: drawn_id(game.info().id),
            game,
            options: self.options.to_owned(),
            clock: self.clock,
            seed: seed_of_match(self.seed, note)?,
            players,
            opening_plies: self.opening_plies,
            patience: self.patience,
        };
        Ok((the_match, Referee::new(sandbox)?))
    }
}

/// The same players, with what they have of their own.
fn with_settings(players: Vec<Player>, own: &BotsSettings) -> Result<Vec<Player>> {
    let named: Vec<(Option<Name>, Option<u32>)> = players.iter().map(named).collect();
    let known = named
        .iter()
        .filter_map(|(name, version)| Some((name.as_ref()?, *version)));
    if let Some(stray) = own.stray(&known.collect::<Vec<_>>()) {
        let what = format!("[bot.{stray}] is of no bot that plays");
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        return Err(Failure::usage(what).hint(format!("the bots are {}", names.join(", "))));
    }
    let of = |(player, (name, version)): (Player, &(Option<Name>, Option<u32>))| {
        let own = name.as_ref().map(|name| own.of_version(name, *version));
        let own: BotSettings = own.unwrap_or_default();
        let why = player
            .program()
            .and_then(|program| own.unfit_for(program.kind()));
        match why {
            Some(why) => Err(Failure::usage(format!("{}: {why}", player.name))
                .hint("leave network and env out, or name a process")),
            None => Ok(player.with_settings(own)),
        }
    };
    players.into_iter().zip(&named).map(of).collect()
}

/// The name and the version of a player, as settings of single bots name it.
fn named(player: &Player) -> (Option<Name>, Option<u32>) {
    let label = player
        .name
        .strip_prefix(SAMPLE_PREFIX)
        .unwrap_or(&player.name);
    let (name, version) = label.split_once('@').unwrap_or((label, ""));
    let name = name.split(':').next().unwrap_or(name);
    (name.parse().ok(), version.parse().ok())
}
