//! What a director sends to its workers, and what they send back.

use flipside_games::AnyGame;
use flipside_protocol::{Clock, Patience};
use flipside_referee::{BotSettings, Match, MatchSeed, Player};
use flipside_runner::{Assignment, NotPlayed, RemoteMatch};
use flipside_sandbox::{Program, ProgramKind};
use flipside_store::StoredGame;
use flipside_tournament::{Bot, BotFile};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::transport::names::{JobId, QueueName, Sha256Hash};

/// Some blocks of matches, which a worker plays one after the other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkerJob {
    /// Names the job within its run.
    pub(crate) id: JobId,
    /// Whether processes run without isolation.
    pub(crate) trust: bool,
    /// Whether processes may compute on the turns of others.
    pub(crate) ponder: bool,
    /// The class of machines on which it is to be played, if only one will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<String>,
    /// The programs of the bots, and that of the game if it is not built in.
    pub(crate) programs: Vec<JobProgram>,
    /// The number of the game's program, if it is not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) game: Option<usize>,
    /// The matches, in the order in which they are played.
    pub(crate) matches: Vec<JobMatch>,
}

/// A program of a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobProgram {
    /// Where it lies in the arena; none of one whose file was deleted, which nobody starts.
    pub(crate) file: Option<BotFile>,
    /// How it runs.
    pub(crate) kind: ProgramKind,
    /// The size of its file, in bytes.
    pub(crate) size: u64,
    /// Its SHA-256, hexadecimal, as records have it.
    pub(crate) sha256: String,
    /// The SHA-256 of its file, which is the name of the file on the server. None of one that is built in, or that
    /// nobody starts because its bot does not come.
    pub(crate) content: Option<Sha256Hash>,
}

/// A match of a job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobMatch {
    pub(crate) index: u64,
    id: String,
    pub(crate) game: String,
    options: Box<RawValue>,
    clock: Clock,
    opening_plies: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patience: Option<Patience>,
    /// The seed, 64 hexadecimal digits. It is a secret until the match is over.
    seed: String,
    number: u64,
    pub(crate) seats: Vec<JobSeat>,
}

/// A seat of a match.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobSeat {
    /// The bot, as records name it.
    name: String,
    /// The number of its program in the job.
    pub(crate) program: usize,
    #[serde(default, skip_serializing_if = "BotSettings::is_empty")]
    settings: BotSettings,
    /// Why the bot does not come, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) away: Option<String>,
}

/// What came of a job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkerJobResult {
    /// The job.
    pub(crate) id: JobId,
    /// What came of its matches.
    pub(crate) matches: Vec<AnsweredMatch>,
}

/// What came of a match.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnsweredMatch {
    pub(crate) index: u64,
    pub(crate) outcome: MatchOutcome,
}

/// What came of a match.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MatchOutcome {
    /// It was played.
    Played(RemoteMatch),
    /// It could not be played here.
    Void {
        /// Why.
        reason: String,
        /// The seat whose bot cannot be started here, if that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<usize>,
        /// Whether the program of the game failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_game: bool,
    },
}

impl MatchOutcome {
    /// A match that could not be played, by no bot's doing.
    pub(crate) fn void(reason: impl Into<String>) -> Self {
        MatchOutcome::Void {
            reason: reason.into(),
            seat: None,
            of_game: false,
        }
    }
}

impl WorkerJobResult {
    /// Whether a match of it was played.
    pub(crate) fn has_records(&self) -> bool {
        let played = |one: &AnsweredMatch| matches!(one.outcome, MatchOutcome::Played(_));
        self.matches.iter().any(played)
    }

    /// The same where nothing was played, for this reason.
    pub(crate) fn without_records(mut self, reason: &str) -> Self {
        for one in &mut self.matches {
            one.outcome = MatchOutcome::void(reason);
        }
        self
    }
}

/// The queue of the workers that play for this version: what bots are sent, and what fuel means, may differ between
/// versions.
pub(crate) fn queue() -> QueueName {
    let version = env!("CARGO_PKG_VERSION").replace(['.', '+'], "-");
    QueueName::new(&version.to_ascii_lowercase()).expect("a version is a name")
}

impl WorkerJob {
    /// The names of the files of its bots.
    pub(crate) fn files(&self) -> impl Iterator<Item = String> {
        let files = self
            .programs
            .iter()
            .filter_map(|program| program.file.as_ref());
        files.map(BotFile::to_string)
    }
}

impl JobMatch {
    /// A match as it is sent; `program` gives the number of a bot's program.
    pub(crate) fn of(assignment: &Assignment<'_>, mut program: impl FnMut(&Bot) -> usize) -> Self {
        let Assignment {
            index,
            the_match,
            bots,
        } = assignment;
        let seat = |(player, bot): (&Player, &&Bot)| JobSeat {
            name: player.name.clone(),
            program: program(bot),
            settings: player.settings().clone(),
            away: player.absence().map(str::to_owned),
        };
        JobMatch {
            index: *index,
            id: the_match.id.clone(),
            game: the_match.game.info().id.to_owned(),
            options: RawValue::from_string(the_match.options.clone())
                .expect("a game's options are JSON"),
            clock: the_match.clock,
            opening_plies: the_match.opening_plies,
            patience: the_match.patience,
            seed: the_match.seed.to_string(),
            number: the_match.seed.number(),
            seats: the_match.players.iter().zip(bots).map(seat).collect(),
        }
    }

    /// The seats for which a program of the job is started, each with the match.
    pub(crate) fn starts(&self, program: usize) -> impl Iterator<Item = (u64, usize)> {
        let seats = self.seats.iter().enumerate();
        let starts = seats.filter(move |(_, it)| it.program == program && it.away.is_none());
        starts.map(|(seat, _)| (self.index, seat))
    }

    /// The match of this game, with the programs of its job by number.
    ///
    /// # Errors
    /// When the job is not whole, or a program cannot be started here.
    pub(crate) fn the_match(
        &self,
        game: &'static dyn AnyGame,
        programs: &[Result<Program, String>],
    ) -> Result<Match, NotPlayed> {
        let seed: Result<MatchSeed, _> = self.seed.parse();
        let seed = seed.map_err(|_| "the seed is not 64 hexadecimal digits".to_owned())?;
        let player = |(number, seat): (usize, &JobSeat)| {
            let program = programs.get(seat.program);
            let program =
                program.ok_or_else(|| "a seat has a program that is not there".to_owned())?;
            let program = program.clone().map_err(|reason| NotPlayed {
                reason: format!("{}: {reason}", seat.name),
                seat: Some(number),
                of_game: false,
            })?;
            if seat.settings.is_of_this_machine() {
                // The director refuses it before; whoever lends a machine gives no bot its network or its variables.
                let reason = format!(
                    "{}: a worker gives no bot a network or an environment",
                    seat.name
                );
                return Err(reason.into());
            }
            let player = Player::named(seat.name.clone(), program);
            let player = player.with_settings(seat.settings.clone());
            Ok(match &seat.away {
                Some(why) => player.away(why),
                None => player,
            })
        };
        let players: Result<Vec<Player>, NotPlayed> =
            self.seats.iter().enumerate().map(player).collect();
        Ok(Match {
            id: self.id.clone(),
            game,
            options: self.options.get().to_owned(),
            clock: self.clock,
            seed: seed.numbered(self.number),
            players: players?,
            opening_plies: self.opening_plies,
            patience: self.patience,
        })
    }
}

impl JobProgram {
    /// The program of a game, as long as its file is not on the server.
    pub(crate) fn of_game(game: &StoredGame) -> Self {
        JobProgram {
            file: Some(game.file.clone()),
            kind: game.kind,
            size: game.size,
            sha256: game.sha256.clone(),
            content: None,
        }
    }

    /// The program of a bot, as long as its file is not on the server.
    pub(crate) fn of(bot: &Bot) -> Self {
        JobProgram {
            file: bot.file.clone(),
            kind: bot.kind,
            size: bot.size,
            sha256: bot.sha256.clone(),
            content: None,
        }
    }
}
