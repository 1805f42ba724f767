//! A single match as somebody types it.

use std::path::Path;

use flipside_protocol::{Clock, Patience};
use flipside_referee::{MAX_OPENING_PLIES, Match, Player, Referee, opening_fits};

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
