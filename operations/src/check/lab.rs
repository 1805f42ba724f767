//! What the steps of a check share: the bot, the games that it plays, and what earlier steps have measured.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use flipside_games::{AnyGame, Seat, Table};
use flipside_protocol::Clock;
use flipside_sandbox::{Program, Sandbox};
use tokio::runtime::Runtime;

use crate::check::spots::{Spots, search};
use crate::check::talk::{Found, PATIENCE, Talk, hello_line};
use crate::check::{CHECK_TIME, CheckOutcome, CheckRequest, CheckStatus, QUICK_CHECK_TIME};
use crate::entry::find_player;
use crate::games::{find_game, games_or_all};
use crate::{Failure, Result};

/// The time that a step may take of a check, after which it tries no further game; and of a quick one.
const STEP_TIME: Duration = Duration::from_secs(25);
const QUICK_STEP_TIME: Duration = Duration::from_secs(5);

/// How many games most steps of a quick check try.
const QUICK_GAMES: usize = 2;

/// The times of the moves of a match, in microseconds.
pub(super) struct Times {
    pub(super) game: &'static str,
    pub(super) us: Vec<u64>,
}

/// The bot in its checks.
pub(super) struct Lab {
    pub(super) runtime: Rc<Runtime>,
    pub(super) sandbox: Sandbox,
    program: Program,
    pub(super) also: Option<Program>,
    pub(super) clock: Clock,
    pub(super) quick: bool,
    /// The games to try, and whether the bot must play all of them.
    wanted: Vec<&'static dyn AnyGame>,
    pub(super) must_play_all: bool,
    /// Those that it is ready for, and what it said.
    games: Option<Vec<&'static dyn AnyGame>>,
    spots: Option<Rc<Vec<Spots>>>,
    /// The longest that a start has taken until its answer to `hello`.
    pub(super) start_took: Duration,
    /// Of each match that was played.
    pub(super) times: Vec<Times>,
    end: Instant,
    step_end: Instant,
    step_time: Duration,
}

impl Lab {
    pub(super) fn new(arena: &Path, request: &CheckRequest<'_>) -> Result<Self> {
        let find = |typed: &str| -> Result<Program> {
            let player = find_player(arena, typed)?;
            Ok(player.program().expect("it is a bot's player").clone())
        };
        let program = find(request.bot)?;
        let also = request.also.map(find).transpose()?;
        let wanted = match request.games {
            [] => games_or_all(None)?,
            ids => ids.iter().map(|id| find_game(id)).collect::<Result<_>>()?,
        };
        let sandbox = request.processes.sandbox(arena, 1);
        for program in [Some(&program), also.as_ref()].into_iter().flatten() {
            sandbox.prepare(program)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Failure::new)?;
        let (time, step_time) = match request.quick {
            true => (QUICK_CHECK_TIME, QUICK_STEP_TIME),
            false => (CHECK_TIME, STEP_TIME),
        };
        Ok(Lab {
            runtime: Rc::new(runtime),
            sandbox,
            program,
            also,
            clock: request.clock,
            quick: request.quick,
            wanted,
            must_play_all: !request.games.is_empty(),
            games: None,
            spots: None,
            start_took: Duration::ZERO,
            times: Vec::new(),
            end: Instant::now() + time,
            step_end: Instant::now() + step_time,
            step_time,
        })
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn wanted(&self) -> &[&'static dyn AnyGame] {
        &self.wanted
    }

    /// The games that the bot is ready for, as far as that is known.
    pub(super) fn games(&self) -> &[&'static dyn AnyGame] {
        self.games.as_deref().unwrap_or(&[])
    }

    pub(super) fn plays(&mut self, games: Vec<&'static dyn AnyGame>) {
        self.games = Some(games);
    }

    pub(super) fn time_is_up(&self) -> bool {
        Instant::now() >= self.end
    }

    /// A step begins, and has its share of the time.
    pub(super) fn begins(&mut self) {
        self.step_end = self.end.min(Instant::now() + self.step_time);
    }

    /// Whether a step has had its share: then it tries no further game.
    pub(super) fn step_is_up(&self) -> bool {
        Instant::now() >= self.step_end
    }

    pub(super) fn step_left(&self) -> Duration {
        self.step_end.saturating_duration_since(Instant::now())
    }

    /// The bot, started.
    pub(super) fn start(&self) -> Found<Talk> {
        Talk::start(&self.runtime, &self.sandbox, &self.program)
    }

    /// The `hello` of a match.
    pub(super) fn hello(&self, game: &str, options: &str, seat: Seat, seats: u8) -> String {
        hello_line(game, options, seat, seats, self.sandbox.settings().memory)
    }

    /// The bot, started and ready for this seat.
    pub(super) fn ready(
        &self,
        game: &dyn AnyGame,
        options: &str,
        seat: Seat,
        seats: u8,
    ) -> Found<Talk> {
        let mut talk = self.start()?;
        talk.greet(&self.hello(game.info().id, options, seat, seats))?;
        Ok(talk)
    }

    /// The first game that the bot plays.
    pub(super) fn game(&self) -> Found<&'static dyn AnyGame> {
        let first = self.games().first().copied();
        first.ok_or_else(|| CheckOutcome::skipped("it plays no game").into())
    }

    /// The bot on seat 0 of its first game, and the table where it is asked first.
    pub(super) fn first_turn(&self) -> Found<(Talk, Walk)> {
        let game = self.game()?;
        let mut walk = Walk::of(game, 1)?;
        let seat = walk.next().expect("a match begins with a question");
        let talk = self.ready(game, &walk.options, seat, walk.seats)?;
        Ok((talk, walk))
    }

    /// Positions of random play at the games that the bot plays, with what is rare about them.
    pub(super) fn spots(&mut self) -> Rc<Vec<Spots>> {
        if let Some(spots) = &self.spots {
            return Rc::clone(spots);
        }
        let spots = self.tried().iter().map(|game| search(*game, self.quick));
        let spots = Rc::new(spots.collect());
        self.spots = Some(Rc::clone(&spots));
        spots
    }

    /// The games that most steps try: where there is little time, the first of them.
    fn tried(&self) -> &[&'static dyn AnyGame] {
        let games = self.games();
        match self.quick {
            true => &games[..games.len().min(QUICK_GAMES)],
            false => games,
        }
    }

    /// Does something for each game that most steps try. What is worst is the outcome; the others are counted.
    pub(super) fn each_game(
        &mut self,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> Found,
    ) -> Found {
        let games = self.tried().to_vec();
        self.each_of(games, what)
    }

    /// The same for every game that the bot plays, also in a quick check.
    pub(super) fn every_game(
        &mut self,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> Found,
    ) -> Found {
        let games = self.games().to_vec();
        self.each_of(games, what)
    }

    fn each_of(
        &mut self,
        games: Vec<&'static dyn AnyGame>,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> Found,
    ) -> Found {
        let mut outcomes = Vec::new();
        for game in games {
            if self.step_is_up() {
                outcomes.push(CheckOutcome::out_of_time().about(game.info().id));
                break;
            }
            let outcome = match what(self, game) {
                Err(super::Stop::Bot(outcome)) => *outcome,
                other => other?,
            };
            outcomes.push(outcome.about(game.info().id));
        }
        Ok(worst(outcomes))
    }
}

/// The worst outcome, with the number of others like it; of good ones, all in one line.
pub(super) fn worst(outcomes: Vec<CheckOutcome>) -> CheckOutcome {
    let Some(status) = outcomes.iter().map(|outcome| outcome.status).max() else {
        return CheckOutcome::skipped("it plays no game");
    };
    // One game that has no such position is no reason to call the step skipped.
    let is_good = status <= CheckStatus::Skipped;
    let good = outcomes
        .iter()
        .any(|outcome| outcome.status == CheckStatus::Ok);
    let status = match is_good && good {
        true => CheckStatus::Ok,
        false => status,
    };
    let alike: Vec<CheckOutcome> = outcomes
        .into_iter()
        .filter(|outcome| outcome.status == status)
        .collect();
    let also = alike.len() - 1;
    if is_good {
        let found: Vec<&str> = alike.iter().map(|outcome| &*outcome.found).collect();
        return CheckOutcome::new(status, found.join("; "));
    }
    let mut first = alike.into_iter().next().expect("there is the worst");
    if also > 0 {
        let games = if also == 1 { "game" } else { "games" };
        first.found += &format!(" (and {also} more {games})");
    }
    first
}

/// The most plies of a match of random play.
pub(super) const MAX_WALK: u32 = 2_000;

/// A match in which seats act by chance, or as they are told.
pub(super) struct Walk {
    pub(super) options: String,
    pub(super) seats: u8,
    pub(super) table: Box<dyn Table>,
    random: rand::rngs::ChaCha8Rng,
}

impl Walk {
    /// A match at a game's brief options between as few seats as may be.
    pub(super) fn of(game: &'static dyn AnyGame, seed: u64) -> Found<Self> {
        Ok(Walk::with(
            game,
            &game.brief(),
            game.info().least_seats(),
            seed,
        )?)
    }

    pub(super) fn with(
        game: &'static dyn AnyGame,
        options: &str,
        seats: u8,
        seed: u64,
    ) -> Result<Self> {
        let setup = game.set_up(options, seats).map_err(Failure::new)?;
        Ok(Walk {
            options: setup.options,
            seats,
            table: setup.table,
            random: rand::SeedableRng::seed_from_u64(seed),
        })
    }

    /// The lowest seat that is asked next, after what chance does; none: the match is over.
    pub(super) fn next(&mut self) -> Option<Seat> {
        self.asked()?.lowest()
    }

    /// The seats that are asked next, after what chance does; none: the match is over.
    pub(super) fn asked(&mut self) -> Option<flipside_games::Seats> {
        use flipside_games::Turn;
        let mut event = Vec::new();
        loop {
            match self.table.turn() {
                Turn::Seats(seats) => return Some(seats),
                Turn::Over(_) => return None,
                Turn::Chance => {
                    event.clear();
                    self.table.sample(&mut self.random, &mut event);
                    let event = std::str::from_utf8(&event).expect("JSON is text");
                    self.table
                        .chance(event)
                        .expect("a game takes its own draws");
                }
            }
        }
    }

    /// Lets all seats that are asked act by chance, but for those that have an action here.
    pub(super) fn step(&mut self, given: &[(Seat, String)]) {
        let Some(asked) = self.asked() else { return };
        for seat in asked {
            let theirs = given.iter().find(|(theirs, _)| *theirs == seat);
            let action = match theirs {
                Some((_, action)) => action.clone(),
                None => {
                    let mut action = String::new();
                    self.table
                        .random_action(seat, &mut self.random, &mut action);
                    action
                }
            };
            self.table.choose(seat, &action).expect("it is legal");
        }
        self.table.play().expect("all have chosen");
    }
}

/// Lets a bot play so many turns of one seat, where the others act by chance; gives its actions.
pub(super) fn play_turns(
    talk: &mut Talk,
    walk: &mut Walk,
    seat: Seat,
    turns: usize,
) -> Found<Vec<String>> {
    let mut actions = Vec::new();
    let mut plies = 0;
    while actions.len() < turns && plies < MAX_WALK {
        let Some(asked) = walk.asked() else { break };
        let mut given = Vec::new();
        if asked.contains(seat) {
            let action = talk.turn(&mut *walk.table, seat)?;
            actions.push(action.clone());
            given.push((seat, action));
        }
        walk.step(&given);
        plies += 1;
    }
    Ok(actions)
}

/// The time that a step gives a bot to write what it should not.
pub(super) const LISTEN: Duration = Duration::from_millis(250);

const _: () = assert!(LISTEN.as_millis() < PATIENCE.as_millis());
