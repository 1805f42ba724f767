//! A match that is to be played, and who plays it.

use flipside_games::{AnyGame, Seat};
use flipside_protocol::{Clock, ClockUnit, Patience};
use flipside_sandbox::{METERING, Program};

use crate::bot_settings::BotSettings;
use crate::seed::MatchSeed;

/// The kind of a person's seat, in a record.
pub const PERSON: &str = "person";

/// A match that is to be played.
pub struct Match {
    /// The id, for the record and the logs.
    pub id: String,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The game's options, a JSON object.
    pub options: String,
    /// The clock of every seat whose player has none of its own.
    pub clock: Clock,
    /// The seed that all randomness comes from.
    pub seed: MatchSeed,
    /// The players, by seat.
    pub players: Vec<Player>,
    /// How many plies are drawn from the seed before anybody is asked.
    pub opening_plies: u32,
    /// How long the clock of each process may stand still, in all; none: no bot may pause.
    pub patience: Option<Patience>,
}

/// The player of a seat.
#[derive(Clone, Debug)]
pub struct Player {
    /// The name for the record: `greedy@2`.
    pub name: String,
    /// None: it is a person.
    program: Option<Program>,
    /// What it has of its own.
    settings: BotSettings,
    /// Why the player is absent, if it is.
    absence: Option<String>,
}

impl Match {
    /// By seat, the side that it is on; each on its own where the game refuses the options.
    pub fn sides(&self) -> Vec<u8> {
        let seats = self.players.len() as u8;
        let setup = self.game.set_up(&self.options, seats).ok();
        let side = |seat: u8| setup.as_ref().map_or(seat, |setup| setup.table.side(seat));
        (0..seats).map(side).collect()
    }

    /// The clock of each seat.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = Clock> {
        let own = self.players.iter().map(|player| player.settings.clock);
        own.map(|clock| clock.unwrap_or(self.clock))
    }

    /// What the clock of a seat counts.
    pub(crate) fn unit(&self, seat: Seat) -> ClockUnit {
        let clock = self.clocks().nth(usize::from(seat));
        clock.map_or_else(ClockUnit::default, |clock| clock.unit)
    }

    /// What the fuel of its clocks is, if a bot's clock counts fuel.
    pub(crate) fn metering(&self) -> Option<&'static str> {
        let mut bots = self.clocks().zip(&self.players);
        bots.any(|(clock, player)| clock.unit == ClockUnit::Fuel && player.program().is_some())
            .then_some(METERING)
    }
}

impl Player {
    /// Returns a player named as its file is.
    pub fn of(program: Program) -> Self {
        Player::named(program.name().to_owned(), program)
    }

    /// Returns a bot's player with a name of its own.
    pub fn named(name: impl Into<String>, program: Program) -> Self {
        Player {
            program: Some(program),
            ..Player::person(name)
        }
    }

    /// Returns a person; see [`Referee::play_with`](crate::Referee::play_with).
    pub fn person(name: impl Into<String>) -> Self {
        Player {
            name: name.into(),
            program: None,
            settings: BotSettings::default(),
            absence: None,
        }
    }

    /// Returns the same player with settings of its own. A person has only a clock.
    #[must_use]
    pub fn with_settings(self, settings: BotSettings) -> Self {
        let own = settings.of_program();
        Player {
            program: self.program.map(|program| program.with_own(own)),
            settings,
            ..self
        }
    }

    /// Returns what it has of its own.
    pub fn settings(&self) -> &BotSettings {
        &self.settings
    }

    /// Returns the same player, absent: its bot is not started and has the fault `forfeit` from the beginning, with
    /// this detail.
    pub fn away(self, why: impl Into<String>) -> Self {
        Player {
            absence: Some(why.into()),
            ..self
        }
    }

    /// Returns why the player is absent, if it is.
    pub fn absence(&self) -> Option<&str> {
        self.absence.as_deref()
    }

    /// Returns the program that is started, or nothing for a person.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// Returns the program and why it is absent, if it is; nothing for a person.
    pub(crate) fn bot(&self) -> Option<(&Program, Option<&str>)> {
        let program = self.program()?;
        Some((program, self.absence.as_deref()))
    }
}
