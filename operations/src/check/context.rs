//! What the steps of a check share: the bot, the games that it plays, what earlier steps have found and measured, and a
//! process that plays on from step to step.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flipside_games::{AnyGame, GAMES, Seat};
use flipside_protocol::{Clock, ClockUnit};
use flipside_referee::Referee;
use flipside_runner::StopSignal;
use flipside_sandbox::{Program, ProgramKind, Sandbox};
use tokio::runtime::Runtime;

use crate::arena_games::game_named;
use crate::check::conversation::{
    Conversation, PATIENCE, StepResult, by_the_bot, hello_line, over_line, stopped,
};
use crate::check::edge_positions::{EdgePositions, search};
use crate::check::outcome::{CheckOutcome, CheckStatus};
use crate::check::playout::RandomPlayout;
use crate::check::request::{CHECK_MATCH_TIME, CHECK_TIME, CheckRequest, QUICK_CHECK_TIME};
use crate::failure::Result;
use crate::programs::runtime;

/// The time that a step usually may take of a check, after which it tries no further game; and of a quick one.
const STEP_TIME: Duration = Duration::from_secs(25);
const QUICK_STEP_TIME: Duration = Duration::from_secs(5);

/// What to do about a process that plays only its first match as it should.
pub(super) const BEGIN_ANEW: &str =
    "begin anew at each hello, or leave out \"reuse\":true in ready";

/// How many games most steps of a quick check try.
const QUICK_GAMES: usize = 2;

/// The times of the moves of a match, in microseconds.
pub(super) struct Times {
    pub(super) game: &'static str,
    pub(super) us: Vec<u64>,
}

/// A step that failed.
struct FailedStep {
    name: &'static str,
    /// The id of the game that it failed at; nothing: it was not about one game.
    game: Option<&'static str>,
}

/// The bot in its checks.
pub(super) struct CheckContext {
    pub(super) runtime: Rc<Runtime>,
    pub(super) sandbox: Sandbox,
    pub(super) program: Program,
    pub(super) also: Option<Program>,
    pub(super) clock: Clock,
    pub(super) quick: bool,
    /// The games to try, and whether the bot must play all of them.
    pub(super) wanted: Vec<&'static dyn AnyGame>,
    pub(super) must_play_all: bool,
    /// Those that it is ready for, as far as that is known.
    pub(super) games: Vec<&'static dyn AnyGame>,
    /// The step that is taken.
    step: &'static Check,
    /// All steps.
    steps: &'static [Check],
    failed: Vec<FailedStep>,
    /// A process that has played and waits for its next `hello`.
    waiting: RefCell<Option<Conversation>>,
    /// How many matches were begun.
    pub(super) matches: u64,
    /// The referee of the matches, with the processes that it keeps.
    pub(super) referee: Option<Referee>,
    /// What the bot did wrong in a process that had played before, and does right in a new one.
    pub(super) reuse_failed: Option<CheckOutcome>,
    positions: Option<Rc<Vec<EdgePositions>>>,
    search: Option<JoinHandle<Vec<EdgePositions>>>,
    /// The longest that a start has taken until its answer to `hello`.
    pub(super) start_took: Duration,
    /// Of each match that was played.
    pub(super) times: Vec<Times>,
    /// Breaks the check off.
    pub(super) asked_to_stop: StopSignal,
    end: Instant,
    step_end: Instant,
    step_time: Duration,
    /// The time that a match may take.
    pub(super) match_time: Duration,
}

impl CheckContext {
    pub(super) fn new(
        arena: &Path,
        request: &CheckRequest<'_>,
        steps: &'static [Check],
    ) -> Result<Self> {
        let wanted = match request.games {
            [] => GAMES.to_vec(),
            ids => ids
                .iter()
                .map(|id| game_named(arena, id, request.processes))
                .collect::<Result<_>>()?,
        };
        let sandbox = request.processes.sandbox(arena, 1);
        for program in [Some(request.program), request.also].into_iter().flatten() {
            // Conversations have no clock; matches have the one that was asked for.
            sandbox.prepare(program, ClockUnit::Time)?;
            sandbox.prepare(program, request.clock.unit)?;
        }
        let (usual, step_time) = match request.quick {
            true => (QUICK_CHECK_TIME, QUICK_STEP_TIME),
            false => (CHECK_TIME, STEP_TIME),
        };
        let time = request.time.unwrap_or(usual);
        let share = |of_usual: Duration| of_usual.mul_f64(time.div_duration_f64(usual));
        let step_time = share(step_time);
        Ok(CheckContext {
            runtime: Rc::new(runtime()?),
            sandbox,
            program: request.program.clone(),
            also: request.also.cloned(),
            clock: request.clock,
            quick: request.quick,
            wanted,
            must_play_all: !request.games.is_empty(),
            games: Vec::new(),
            step: &steps[0],
            steps,
            failed: Vec::new(),
            waiting: RefCell::default(),
            matches: 0,
            referee: None,
            reuse_failed: None,
            positions: None,
            search: None,
            start_took: Duration::ZERO,
            times: Vec::new(),
            asked_to_stop: request.stop.clone(),
            end: Instant::now() + time,
            step_end: Instant::now() + step_time,
            step_time,
            match_time: share(CHECK_MATCH_TIME),
        })
    }

    pub(super) fn time_is_up(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Goes on, unless the check was stopped.
    pub(super) fn go_on(&self) -> Result<()> {
        match self.asked_to_stop.is_asked() {
            true => Err(stopped()),
            false => Ok(()),
        }
    }

    /// A step begins, and has its share of the time.
    pub(super) fn begins(&mut self, step: &'static Check) {
        if step.group != self.step.group {
            // Those that wait are not to disturb the others.
            self.referee = None;
            self.waiting.take();
        }
        self.step = step;
        self.step_end = self.end.min(Instant::now() + self.step_time);
    }

    /// The step failed at this game, but not at others.
    pub(super) fn fails_at(&mut self, game: &'static str) {
        self.failed.push(FailedStep {
            name: self.step.name,
            game: Some(game),
        });
    }

    /// A step is done. What builds on it is not tried where it failed.
    pub(super) fn ends(&mut self, outcome: &CheckOutcome) {
        let name = self.step.name;
        let is_told = self.failed.iter().any(|failed| failed.name == name);
        if outcome.status == CheckStatus::Failed && !is_told {
            self.failed.push(FailedStep { name, game: None });
        }
    }

    /// The step that failed for which the step of this name would fail, too: at this game, or whatever the game is.
    fn cause(&self, step: &str, game: Option<&str>) -> Option<&'static str> {
        let step = self.steps.iter().find(|check| check.name == step)?;
        step.after.iter().find_map(|name| {
            let mut failed = self.failed.iter().filter(|failed| failed.name == *name);
            let is_out = failed.any(|failed| failed.game.is_none() || failed.game == game);
            is_out.then_some(*name).or_else(|| self.cause(name, game))
        })
    }

    /// The earlier step whose failure leaves this step no game to try.
    pub(super) fn cause_at_all_games(&self) -> Option<&'static str> {
        let mut cause = self.cause(self.step.name, None);
        for game in &self.games {
            cause = Some(self.cause(self.step.name, Some(game.info().id))?);
        }
        cause
    }

    /// Whether a step has had its share: then it tries no further game.
    pub(super) fn step_is_up(&self) -> bool {
        Instant::now() >= self.step_end
    }

    pub(super) fn step_left(&self) -> Duration {
        self.step_end.saturating_duration_since(Instant::now())
    }

    /// The bot, started. A process that waited for its next match is ended: it could hold what the new one needs, and
    /// take time from it.
    pub(super) fn start(&self) -> StepResult<Conversation> {
        self.waiting.take();
        self.start_program(&self.program)
    }

    /// The same with a program that may be another one.
    pub(super) fn start_program(&self, program: &Program) -> StepResult<Conversation> {
        let stop = self.asked_to_stop.clone();
        Conversation::start(&self.runtime, &self.sandbox, program, stop)
    }

    /// The `hello` of a match.
    pub(super) fn hello(&self, game: &str, options: &str, seat: Seat, seats: u8) -> String {
        let memory = self.sandbox.memory_of(&self.program);
        hello_line(game, options, seat, seats, memory)
    }

    /// The bot, started and ready for this seat.
    pub(super) fn ready(
        &self,
        game: &dyn AnyGame,
        options: &str,
        seat: Seat,
        seats: u8,
    ) -> StepResult<Conversation> {
        let mut conversation = self.start()?;
        conversation.greet(&self.hello(game.info().id, options, seat, seats))?;
        Ok(conversation)
    }

    /// The first game that the bot plays, without those that earlier steps rule out.
    pub(super) fn game(&self) -> StepResult<&'static dyn AnyGame> {
        let is_in = |game: &&&dyn AnyGame| {
            let id = game.info().id;
            self.cause(self.step.name, Some(id)).is_none()
        };
        let first = self.games.iter().find(is_in).copied();
        first.ok_or_else(|| CheckOutcome::skipped("it plays no game").into())
    }

    /// The bot at its first game, where it is asked first: the table and its seat.
    pub(super) fn first_turn(&self) -> StepResult<(Conversation, RandomPlayout, Seat)> {
        self.first_turn_at(self.game()?)
    }

    /// The same at this game.
    pub(super) fn first_turn_at(
        &self,
        game: &'static dyn AnyGame,
    ) -> StepResult<(Conversation, RandomPlayout, Seat)> {
        let (mut playout, seat) = RandomPlayout::of(game, 1)?;
        let mut conversation = self.ready(game, &playout.options, seat, playout.seats)?;
        playout.tell(&mut conversation, seat);
        Ok((conversation, playout, seat))
    }

    /// Lets the bot play a part of a match in this seat. If it allows that, it does so in a process that has played
    /// before, because many runtimes start slowly. Only what a new process does wrong, too, counts here: the rest is
    /// kept for the step `reuse`, and from then on every process is new.
    pub(super) fn in_a_match(
        &mut self,
        game: &'static dyn AnyGame,
        options: &str,
        seat: Seat,
        seats: u8,
        part: impl Fn(&mut Conversation) -> StepResult,
    ) -> StepResult {
        let hello = self.hello(game.info().id, options, seat, seats);
        let over = over_line(&*RandomPlayout::with(game, options, seats, 0)?.table);
        let part =
            |conversation: &mut Conversation, ready_after: &mut Duration| -> StepResult {
                let begun = Instant::now();
                let greeted = conversation.greet(&hello);
                *ready_after += begun.elapsed();
                Ok(by_the_bot(greeted.and_then(|()| part(conversation)))?
                    .unwrap_or_else(|wrong| wrong))
            };
        let mut earlier = None;
        if let Some(mut conversation) = self.waiting.take() {
            conversation.begin_anew();
            let outcome = part(&mut conversation, &mut Duration::default())?;
            if outcome.status <= CheckStatus::Skipped {
                self.keep(conversation, &over);
                return Ok(outcome);
            }
            earlier = Some(outcome);
        }
        let begun = Instant::now();
        let mut conversation = self.start()?;
        let mut ready_after = begun.elapsed();
        let outcome = part(&mut conversation, &mut ready_after)?;
        self.start_took = self.start_took.max(ready_after);
        if outcome.status <= CheckStatus::Skipped {
            if let Some(earlier) = earlier {
                self.fails_when_reused(earlier.about(game.info().id));
            }
            self.keep(conversation, &over);
        }
        Ok(outcome)
    }

    /// The same in the seat that is asked first in this match of random play.
    pub(super) fn in_a_walk(
        &mut self,
        game: &'static dyn AnyGame,
        seed: u64,
        part: impl Fn(&mut Conversation, &mut RandomPlayout, Seat) -> StepResult,
    ) -> StepResult {
        let (playout, seat) = RandomPlayout::of(game, seed)?;
        self.in_a_match(
            game,
            &playout.options,
            seat,
            playout.seats,
            |conversation| {
                let (mut playout, seat) = RandomPlayout::of(game, seed)?;
                playout.tell(conversation, seat);
                part(conversation, &mut playout, seat)
            },
        )
    }

    /// Ends a match for a bot, which waits for its next if it may.
    fn keep(&mut self, mut conversation: Conversation, over: &str) {
        let may = conversation.ready.reuse && conversation.bot().kind() == ProgramKind::Process;
        if may && self.reuse_failed.is_none() && conversation.tell(over, PATIENCE) {
            self.waiting.replace(Some(conversation));
        }
    }

    /// A process that had played before did something wrong that a new one does right.
    pub(super) fn fails_when_reused(&mut self, outcome: CheckOutcome) {
        if outcome.status == CheckStatus::Failed && self.reuse_failed.is_none() {
            self.reuse_failed = Some(outcome.about(self.step.name));
        }
    }

    /// What was kept for the step `reuse`, once.
    pub(super) fn found_in_reuse(&mut self) -> Option<CheckOutcome> {
        let earlier = self.reuse_failed.take()?;
        let what = "a new process does it right, and one that has played before does not";
        Some(earlier.about(what).advise(BEGIN_ANEW))
    }

    /// Begins to search for rare positions, while the bot is asked other things.
    pub(super) fn begin_search(&mut self) {
        if self.positions.is_none() && self.search.is_none() {
            let (games, quick) = (self.tried().to_vec(), self.quick);
            let stop = self.asked_to_stop.clone();
            // Nobody reads what is found after a stop.
            let search = move |game| search(game, quick || stop.is_asked());
            let search = move || games.into_iter().map(search).collect();
            self.search = Some(std::thread::spawn(search));
        }
    }

    /// Positions of random play at the games that the bot plays, with what is rare about them.
    pub(super) fn positions(&mut self) -> Rc<Vec<EdgePositions>> {
        self.begin_search();
        if let Some(search) = self.search.take() {
            let positions = search.join().expect("random play keeps the rules");
            self.positions = Some(Rc::new(positions));
        }
        Rc::clone(self.positions.as_ref().expect("they were searched for"))
    }

    /// The games that most steps try: where there is little time, the first of them.
    fn tried(&self) -> &[&'static dyn AnyGame] {
        match self.quick {
            true => &self.games[..self.games.len().min(QUICK_GAMES)],
            false => &self.games,
        }
    }

    /// Does something for each game that most steps try. What is worst is the outcome; the others are counted.
    pub(super) fn each_game(
        &mut self,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> StepResult,
    ) -> StepResult {
        self.each_of(self.tried().to_vec(), what)
    }

    /// The same for every game that the bot plays, also in a quick check.
    pub(super) fn every_game(
        &mut self,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> StepResult,
    ) -> StepResult {
        self.each_of(self.games.clone(), what)
    }

    fn each_of(
        &mut self,
        games: Vec<&'static dyn AnyGame>,
        what: impl Fn(&mut Self, &'static dyn AnyGame) -> StepResult,
    ) -> StepResult {
        let mut outcomes = Vec::new();
        for game in games {
            self.go_on()?;
            let id = game.info().id;
            if let Some(cause) = self.cause(self.step.name, Some(id)) {
                outcomes.push(CheckOutcome::because_of(cause).about(id));
                continue;
            }
            if self.step_is_up() {
                outcomes.push(CheckOutcome::out_of_time().about(id));
                break;
            }
            let outcome = by_the_bot(what(self, game))?.unwrap_or_else(|wrong| wrong);
            if outcome.status == CheckStatus::Failed {
                self.fails_at(id);
            }
            outcomes.push(outcome.about(id));
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
    let mut statuses = outcomes.iter().map(|outcome| outcome.status);
    let status = match is_good && statuses.any(|status| status == CheckStatus::Ok) {
        true => CheckStatus::Ok,
        false => status,
    };
    let mut alike = outcomes;
    alike.retain(|outcome| outcome.status == status);
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

/// The time that a step gives a bot to write what it should not.
pub(super) const LISTEN: Duration = Duration::from_millis(250);

const _: () = assert!(LISTEN.as_millis() < PATIENCE.as_millis());

/// A step of a check.
pub struct Check {
    /// The group that it is shown in.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it finds out, in a line.
    pub purpose: &'static str,
    /// The names of the steps that it builds on. Where one of these fails, this one would fail for the same reason, so
    /// it is skipped; where it fails at one game, at that game.
    pub after: &'static [&'static str],
    pub(super) run: fn(&mut CheckContext) -> StepResult,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
