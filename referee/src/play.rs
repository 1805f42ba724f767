//! The referee: plays a match between running bots.

use std::pin::pin;
use std::time::{Duration, Instant};

use flipside_games::{AnyGame, OptionsError, Seat, Seats, Viewer};
use flipside_protocol::{Clock, FromReferee, Hello, Limits, Over};
use flipside_sandbox::{Company, Program, Sandbox, Settings, Start, StartError};
use futures_util::future::{Either, join_all, select};
use serde_json::value::RawValue;
use tracing::Instrument;

use crate::clock::SeatClock;
use crate::course::{Course, Next, Verdict};
use crate::fault::{Fault, FaultKind};
use crate::halts::{HALT_HEARD, Halts};
use crate::kept::Kept;
use crate::opening::{OpeningError, opening_fits};
use crate::person::{Acted, Decision, News, Nobody, Person, Place};
use crate::ranges::seat_name;
use crate::record::{FORMAT, Header, LONGEST_RECORD, ReadyLine, SeatLine, Writer};
use crate::seat::{Choice, SeatedBot};
use crate::seed::MatchSeed;
use crate::traffic::Exchanged;
use crate::watch::{SeatScene, Showing, Watcher};

/// How long a bot may take to read `over` and to end after it, before it is stopped.
pub const OVER_ALLOWANCE: Duration = Duration::from_millis(200);

/// How much too late the referee itself may be before a bot's lateness is the host's doing.
pub const MOST_LATENESS: Duration = Duration::from_millis(100);

/// How often somebody who may break a match off is asked whether to.
pub const STOP_LOOK: Duration = Duration::from_millis(50);

/// The kind of a person's seat, in a record.
pub const PERSON: &str = "person";

/// Who plays on a seat.
#[derive(Clone, Debug)]
pub struct Player {
    /// The name for the record: `greedy@2`.
    pub name: String,
    who: Who,
    /// Why it does not come, if it does not.
    away: Option<String>,
}

#[derive(Clone, Debug)]
enum Who {
    Bot(Program),
    Person,
}

impl Player {
    /// A player named as its file is.
    pub fn of(program: Program) -> Self {
        Player::named(program.name().to_owned(), program)
    }

    /// A bot's player with a name of its own.
    pub fn named(name: impl Into<String>, program: Program) -> Self {
        Player {
            name: name.into(),
            who: Who::Bot(program),
            away: None,
        }
    }

    /// A person; see [`Referee::play_with`].
    pub fn person(name: impl Into<String>) -> Self {
        Player {
            name: name.into(),
            who: Who::Person,
            away: None,
        }
    }

    /// The same, who does not come to the match: its bot is not started, and has the fault `forfeit`
    /// from the beginning, with this detail.
    pub fn away(self, why: impl Into<String>) -> Self {
        Player {
            away: Some(why.into()),
            ..self
        }
    }

    /// What is started; nothing for a person.
    pub fn program(&self) -> Option<&Program> {
        match &self.who {
            Who::Bot(program) => Some(program),
            Who::Person => None,
        }
    }
}

/// A match that is to be played.
pub struct Match {
    /// The id, for the record and the logs.
    pub id: String,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The game's options, a JSON object.
    pub options: String,
    /// The clock of every seat.
    pub clock: Clock,
    /// The seed that all randomness comes from.
    pub seed: MatchSeed,
    /// Who plays, by seat.
    pub players: Vec<Player>,
    /// How many plies are drawn from the seed before anybody is asked.
    pub opening_plies: u32,
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What came of it.
    pub verdict: Verdict,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// How each seat fared.
    pub seats: Vec<SeatReport>,
    /// The record: JSON lines.
    pub record: String,
}

/// How a seat fared.
#[derive(Clone, Debug, Default)]
pub struct SeatReport {
    /// Actions of its bot.
    pub plies: u64,
    /// The time that its bot used for them, in microseconds.
    pub used_us: u64,
    /// The time that the machine withheld from it, which is not in `used_us`, in microseconds.
    pub withheld_us: u64,
    /// Whether its bot was seen computing on the turns of others.
    pub ponders: bool,
    /// What it did wrong, if anything.
    pub fault: Option<Fault>,
    /// If it did, the last lines that were said between the referee and its bot.
    pub traffic: Vec<Exchanged>,
}

/// Why a match could not be played: the host's fault or the organiser's, never a bot's.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The game cannot be set up so.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The match cannot begin with an opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// A bot cannot be started.
    #[error("{bot}: {error}")]
    Start {
        /// Which.
        bot: String,
        /// Why.
        error: StartError,
    },
    /// The operating system failed the referee.
    #[error("the match cannot go on: {0}")]
    Host(#[from] std::io::Error),
    /// The match is so long that its record could not be kept.
    #[error(
        "the match has so many plies that its record would be over {LONGEST_RECORD} bytes long"
    )]
    LongRecord,
    /// A person has broken the match off.
    #[error("seat {0} has broken the match off")]
    BrokenOff(Seat),
}

impl Error {
    /// The way out, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Start { error, .. } => error.hint(),
            Error::LongRecord => Some(
                "give the game an option that ends it sooner, as max_plies or max_turns".into(),
            ),
            Error::Options(_) | Error::Opening(_) | Error::Host(_) | Error::BrokenOff(_) => None,
        }
    }
}

/// Plays matches, one after the other, on the thread that calls it. It keeps the bots that wish to
/// be used again, but for matches of a block that they have met: before one of these they are ended.
pub struct Referee {
    runtime: tokio::runtime::Runtime,
    sandbox: Sandbox,
    kept: Kept,
    showing: Showing,
    halts: Halts,
}

impl Referee {
    /// A referee whose bots start in this sandbox.
    ///
    /// # Errors
    /// When the operating system gives no event queue.
    pub fn new(sandbox: Sandbox) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Referee {
            runtime,
            sandbox,
            kept: Kept::default(),
            showing: Showing::default(),
            halts: Halts::default(),
        })
    }

    /// The same, watched from outside: see [`Watcher`].
    pub fn watched_by(mut self, watcher: impl Watcher + Send + 'static) -> Self {
        self.showing = Showing::to(Box::new(watcher));
        self
    }

    /// The same, told by these when the process was stopped.
    pub fn halted_by(mut self, halts: &Halts) -> Self {
        self.halts = halts.clone();
        self
    }

    /// Whether bots wait for their next match.
    pub fn keeps_bots(&self) -> bool {
        self.kept.bots().next().is_some()
    }

    /// Ends the bots that wait for their next match.
    pub fn end_kept(&mut self) {
        // They are parts of the runtime's event queue.
        let _inside = self.runtime.enter();
        self.kept.end_all();
    }

    /// Plays a match to its end.
    ///
    /// # Errors
    /// When the host, not a bot, is at fault: then there is no result.
    pub fn play(&mut self, the_match: &Match) -> Result<Played, Error> {
        self.play_with(the_match, &mut Nobody)
    }

    /// Plays a match in which this person is asked for every seat that is a person's.
    ///
    /// # Errors
    /// As [`play`](Referee::play), and when the person breaks the match off.
    pub fn play_with(
        &mut self,
        the_match: &Match,
        person: &mut dyn Person,
    ) -> Result<Played, Error> {
        let Referee {
            runtime,
            sandbox,
            kept,
            showing,
            halts,
        } = self;
        let playing = play((sandbox, halts), kept, showing, the_match, person);
        runtime.block_on(playing.instrument(span(the_match)))
    }

    /// Plays a match to its end, unless `stop` is true before: it is asked every [`STOP_LOOK`], and as
    /// soon as a module that computes gives way. Then the match is broken off, and nothing came of it.
    ///
    /// # Errors
    /// As [`play`](Referee::play).
    pub fn play_unless(
        &mut self,
        the_match: &Match,
        stop: impl Fn() -> bool,
    ) -> Result<Option<Played>, Error> {
        let Referee {
            runtime,
            sandbox,
            kept,
            showing,
            halts,
        } = self;
        let mut nobody = Nobody;
        let playing = play((sandbox, halts), kept, showing, the_match, &mut nobody);
        let playing = playing.instrument(span(the_match));
        let stopping = async {
            while !stop() {
                tokio::time::sleep(STOP_LOOK).await;
            }
        };
        runtime.block_on(async {
            match select(pin!(playing), pin!(stopping)).await {
                Either::Left((played, _)) => played.map(Some),
                Either::Right(_) => Ok(None),
            }
        })
    }
}

/// At the highest level, so that every line of the log has it, however it is filtered.
fn span(the_match: &Match) -> tracing::Span {
    tracing::error_span!("match", id = %the_match.id, game = the_match.game.info().id)
}

impl Drop for Referee {
    fn drop(&mut self) {
        // They go before the runtime does.
        self.end_kept();
    }
}

async fn play(
    host: (&Sandbox, &Halts),
    kept: &mut Kept,
    showing: &mut Showing,
    the_match: &Match,
    person: &mut dyn Person,
) -> Result<Played, Error> {
    showing.begins();
    let played = play_to_the_end(host, kept, showing, the_match, person).await;
    showing.over();
    played
}

async fn play_to_the_end(
    (sandbox, halts): (&Sandbox, &Halts),
    kept: &mut Kept,
    showing: &mut Showing,
    the_match: &Match,
    person: &mut dyn Person,
) -> Result<Played, Error> {
    let seats = u8::try_from(the_match.players.len()).unwrap_or(u8::MAX);
    let setup = the_match.game.set_up(&the_match.options, seats)?;
    opening_fits(setup.table.info(), the_match.opening_plies)?;
    let limits = Limits {
        line: flipside_protocol::LONGEST_LINE as u64,
        memory: sandbox.settings().memory,
    };
    let options = RawValue::from_string(setup.options.clone()).expect("a game's options are JSON");
    let mut game = Running {
        record: Writer::begin(&header(the_match, &options, limits, sandbox.settings())),
        course: Course::new(setup, &the_match.clock, &the_match.seed),
        bots: Vec::new(),
        clocks: Vec::new(),
        view: Vec::new(),
        actions: Vec::new(),
        company: match sandbox.settings().ponder {
            true => Company::that_ponders(),
            false => Company::default(),
        },
        the_match,
        halts,
        showing,
        person,
        people: (0..)
            .zip(&the_match.players)
            .filter(|(_, player)| player.program().is_none())
            .map(|(seat, _)| seat)
            .collect(),
    };
    tracing::info!(clock = %the_match.clock, "begins");
    // While a module is compiled no bot's time must run.
    for player in &the_match.players {
        if let (Some(program), None) = (player.program(), &player.away) {
            sandbox.prepare(program).map_err(|error| Error::Start {
                bot: player.name.clone(),
                error: error.into(),
            })?;
        }
    }
    kept.end_those_that_met(&the_match.seed);
    let before_they_start = halts.now();
    game.bots = seat_all(sandbox, kept, the_match, &game.company)?;
    kept.bots().for_each(|bot| bot.rest_beside(&game.company));
    game.greet(
        &Hello {
            protocol: flipside_protocol::VERSION,
            match_id: the_match.id.clone(),
            game: the_match.game.info().id.to_owned(),
            options,
            seat: 0,
            seats,
            clock: the_match.clock,
            limits,
            commitment: the_match.seed.commitment(),
            seed: 0,
        },
        &the_match.seed,
        before_they_start,
    )
    .await?;
    if the_match.opening_plies > 0 && game.course.next() != Next::Decided {
        let opening = game.course.open(the_match.opening_plies, &the_match.seed);
        game.record.opening(&opening);
    }
    loop {
        match game.course.next() {
            Next::Decided => break,
            _ if game.record.is_full() => return Err(Error::LongRecord),
            Next::Chance => game.draw(),
            Next::Seats { asked, fallen } => game.ask(asked, fallen).await?,
        }
    }
    let verdict = game.course.verdict();
    game.show(Seats::NONE);
    game.say_over(&verdict).await;
    let plies = game.course.plies;
    tracing::info!(points = ?verdict.points, reason = verdict.reason, plies, "over");
    let left = join_all(game.bots.into_iter().map(|bot| bot.leave(OVER_ALLOWANCE))).await;
    let mut reports = Vec::with_capacity(left.len());
    for ((report, again), player) in left.into_iter().zip(&the_match.players) {
        reports.push(report);
        if let (Some((bot, met)), Some(program)) = (again, player.program()) {
            kept.keep(program.sha256(), bot, met, the_match.seed);
        }
    }
    let record = game.record.end(&verdict, plies, the_match.seed.to_string());
    Ok(Played {
        verdict,
        plies,
        seats: reports,
        record,
    })
}

/// Starts the bots of a match. Where the machine fails to start one while others run already, these may have
/// taken what it lacks: then all are started anew, that one before them.
fn seat_all(
    sandbox: &Sandbox,
    kept: &mut Kept,
    the_match: &Match,
    company: &Company,
) -> Result<Vec<SeatedBot>, Error> {
    let mut seats: Vec<Seat> = (0..)
        .zip(&the_match.players)
        .map(|(seat, _)| seat)
        .collect();
    let mut seated = Vec::with_capacity(seats.len());
    let mut is_again = false;
    let mut left = seats.clone().into_iter();
    while let Some(seat) = left.next() {
        match seat_one(sandbox, kept, the_match, seat) {
            Ok(mut bot) => {
                bot.join(company);
                seated.push(bot);
            }
            Err(error) if !is_again && lacks_something(&error) => {
                tracing::warn!(%error, "all bots of the match are started anew");
                seated.clear();
                kept.end_all();
                is_again = true;
                seats.sort_by_key(|&other| other != seat);
                left = seats.clone().into_iter();
            }
            Err(error) => return Err(error),
        }
    }
    seated.sort_by_key(|bot: &SeatedBot| bot.seat);
    Ok(seated)
}

/// Whether a bot could not be started for want of something that others may have.
fn lacks_something(error: &Error) -> bool {
    use StartError::{Busy, Host, Jail, Stage};
    let Error::Start { error, .. } = error else {
        return false;
    };
    matches!(error, Host(_) | Jail(_) | Stage { .. } | Busy(_))
}

/// Starts who plays on a seat, or takes one that waits for its next match.
fn seat_one(
    sandbox: &Sandbox,
    kept: &mut Kept,
    the_match: &Match,
    seat: Seat,
) -> Result<SeatedBot, Error> {
    let player = &the_match.players[usize::from(seat)];
    let began = Instant::now();
    let Some(program) = player.program() else {
        return Ok(SeatedBot::new(seat, None, began));
    };
    if let Some(why) = &player.away {
        return Ok(SeatedBot::away(seat, why, began));
    }
    if let Some((bot, met)) = kept.take(program.sha256()) {
        return Ok(SeatedBot::new(seat, Some(bot), began).that_met(met));
    }
    let label = format!("{} seat {seat}", the_match.id);
    let start = Start {
        seed: the_match.seed.of_bot(seat),
        label: &label,
    };
    let started = sandbox.start(program, &start);
    let bot = started.map_err(|error| Error::Start {
        bot: player.name.clone(),
        error,
    })?;
    Ok(SeatedBot::new(seat, Some(bot), began))
}

fn header(the_match: &Match, options: &RawValue, limits: Limits, settings: &Settings) -> Header {
    let seat = |player: &Player| SeatLine {
        bot: seat_name(&player.name),
        kind: player
            .program()
            .map_or(PERSON.into(), |program| program.kind().to_string()),
        sha256: player
            .program()
            .map_or_else(String::new, |program| program.sha256().to_owned()),
    };
    Header {
        format: FORMAT,
        flipside: env!("CARGO_PKG_VERSION").to_owned(),
        id: the_match.id.clone(),
        game: the_match.game.info().id.to_owned(),
        options: options.to_owned(),
        clock: the_match.clock,
        limits,
        walls: Some(settings.walls.name().to_owned()),
        ponder: settings.ponder,
        opening_plies: the_match.opening_plies,
        seats: the_match.players.iter().map(seat).collect(),
        number: the_match.seed.number(),
        commitment: the_match.seed.commitment(),
    }
}

/// A person is ready at once.
fn ready_person(seat: Seat) -> ReadyLine {
    ReadyLine {
        seat,
        name: None,
        version: None,
        actions: false,
        us: 0,
    }
}

/// Does something with several bots at once: first with the processes, which compute beside each
/// other, then with one module after the other. A module computes on this very thread: while it
/// does, a process's answer would lie unread, and another module would only wait for it.
async fn at_once<T>(
    bots: &mut [SeatedBot],
    seats: Seats,
    what: impl AsyncFn(&mut SeatedBot) -> T,
) -> Vec<(Seat, T)> {
    let (modules, processes): (Vec<_>, Vec<_>) = bots
        .iter_mut()
        .filter(|bot| seats.contains(bot.seat))
        .partition(|bot| bot.is_module());
    let with_seat = async |bot: &mut SeatedBot| (bot.seat, what(bot).await);
    let mut done = join_all(processes.into_iter().map(&with_seat)).await;
    for bot in modules {
        done.push(with_seat(bot).await);
    }
    done
}

/// Asks the bots on these seats, and waits for all their answers. Where the host fails a bot, the first of these
/// errors is given; the others have answered.
async fn ask_bots(bots: &mut [SeatedBot], seats: Seats, clocks: &[SeatClock]) -> Result<(), Error> {
    if let (Some(seat), 1) = (seats.lowest(), seats.len()) {
        let allowance = clocks[usize::from(seat)].for_move();
        return bots[usize::from(seat)].ask(allowance).await;
    }
    let asking = at_once(bots, seats, async |bot| {
        bot.ask(clocks[usize::from(bot.seat)].for_move()).await
    });
    let asked = asking.await.into_iter();
    asked.map(|(_, done)| done).fold(Ok(()), Result::and)
}

/// A match in progress: the course, who plays, the record, and buffers that are used again at every
/// turn.
struct Running<'p> {
    course: Course,
    bots: Vec<SeatedBot>,
    record: Writer,
    clocks: Vec<u64>,
    view: Vec<u8>,
    actions: Vec<u8>,
    company: Company,
    the_match: &'p Match,
    halts: &'p Halts,
    showing: &'p mut Showing,
    person: &'p mut dyn Person,
    /// The seats that the person is asked for, as long as they have not been left.
    people: Seats,
}

impl Running<'_> {
    /// Says `hello` to all at once and waits for every `ready`.
    async fn greet(&mut self, hello: &Hello, seed: &MatchSeed, before: u64) -> Result<(), Error> {
        let allowances: Vec<u64> = self
            .course
            .clocks
            .iter()
            .map(SeatClock::for_ready)
            .collect();
        let bots = self.people.fold(Seats::first(hello.seats), Seats::without);
        let greetings = at_once(&mut self.bots, bots, async |bot| {
            let hello = Hello {
                seat: bot.seat,
                seed: seed.of_bot(bot.seat),
                ..hello.clone()
            };
            let mut line = serde_json::to_vec(&FromReferee::Hello(hello)).expect("hello is JSON");
            line.push(b'\n');
            bot.greet(line, allowances[usize::from(bot.seat)]).await
        });
        let mut greeted = greetings.await;
        let is_late =
            |(seat, answer): &(Seat, Result<Result<ReadyLine, Fault>, Error>)| match answer {
                Ok(Ok(ready)) => ready.us > allowances[usize::from(*seat)],
                Ok(Err(fault)) => fault.kind == FaultKind::Late,
                Err(_) => false,
            };
        let late = greeted.iter().any(is_late);
        self.not_halted(bots, before, late).await?;
        greeted.extend(self.people.map(|seat| (seat, Ok(Ok(ready_person(seat))))));
        greeted.sort_by_key(|(seat, _)| *seat);
        let mut fell = Seats::NONE;
        let mut failed = Ok(());
        for (seat, answer) in greeted {
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    failed = failed.and(Err(error));
                    continue;
                }
            };
            match answer {
                Ok(ready) => {
                    if self.course.clocks[usize::from(seat)].ready_took(ready.us) {
                        self.record.ready(&ready);
                    } else {
                        let fault =
                            Fault::late(ready.us, "it was not ready within its start allowance");
                        self.fall(seat, fault, &mut fell);
                    }
                }
                Err(fault) => self.fall(seat, fault, &mut fell),
            }
        }
        self.course.fall(fell);
        self.unless_decided(failed, fell)
    }

    /// The host has failed a bot, or not: where others have fallen at the same time and that decides the match, it
    /// is not void. No bot with a fault is to gain by what it did to another one.
    fn unless_decided(&self, failed: Result<(), Error>, fell: Seats) -> Result<(), Error> {
        match failed {
            Err(error) if !fell.is_empty() && self.course.next() == Next::Decided => {
                tracing::warn!(%error, "a match is decided by a fault though the host failed another bot");
                Ok(())
            }
            failed => failed,
        }
    }

    fn draw(&mut self) {
        self.course.draw(&mut self.view);
        self.record.chance(&self.view);
        if !self.people.is_empty() {
            let draw = std::str::from_utf8(&self.view).expect("JSON is text");
            News::Draw(Some(draw)).tell(self.person, self.people, &*self.course.table);
        }
    }

    /// Asks the seats at once, judges their answers, and lets the table take them together.
    async fn ask(&mut self, asked: Seats, fallen: Seats) -> Result<(), Error> {
        self.course.clocks_ms(&mut self.clocks);
        let people: Seats = asked.filter(|&seat| self.people.contains(seat)).collect();
        let bots = people.fold(asked, Seats::without);
        for seat in bots {
            self.write_turn(seat);
        }
        self.show(asked);
        let before = self.halts.now();
        let Running {
            course,
            bots: seated,
            the_match,
            showing,
            ..
        } = self;
        let asking = ask_bots(seated, bots, &course.clocks);
        let failed = if showing.is_watched() {
            let watching = showing.meanwhile(the_match, &*course.table);
            match select(pin!(asking), pin!(watching)).await {
                Either::Left((done, _)) => done,
                // One watches for ever.
                Either::Right(_) => Ok(()),
            }
        } else {
            asking.await
        };
        let late = bots.into_iter().any(|seat| self.is_late(seat));
        self.not_halted(bots, before, late).await?;
        // The bots have answered by now: none of them waits while a person thinks, and what the
        // person chooses is not there yet when they could learn of it.
        let failed = if people.is_empty() {
            failed
        } else {
            failed?;
            if !self.company.may_ponder() {
                self.company.hush();
            }
            Ok(())
        };
        for seat in people {
            self.ask_person(seat)?;
        }
        let mut fell = Seats::NONE;
        for seat in asked {
            if let Some(Err(fault)) = self.judge(seat) {
                self.fall(seat, fault, &mut fell);
            }
        }
        self.course.fall(fell);
        self.unless_decided(failed, fell)?;
        if !fell.is_empty() && self.course.next() == Next::Decided {
            return Ok(());
        }
        for seat in fallen.chain(fell) {
            self.bots[usize::from(seat)].choice = Choice::stand_in(self.course.stand_in(seat));
        }
        self.act(asked.chain(fallen).collect());
        Ok(())
    }

    /// Whether a seat's answer is not in time.
    fn is_late(&self, seat: Seat) -> bool {
        let allowance = self.course.clocks[usize::from(seat)].for_move();
        match &self.bots[usize::from(seat)].answer {
            Some(Ok(choice)) => choice.us.is_some_and(|us| us > allowance),
            Some(Err(fault)) => fault.kind == FaultKind::Late,
            None => false,
        }
    }

    /// Fails when the process was stopped since then, while these seats were asked. Modules have the time of
    /// their thread, which was stopped as well.
    async fn not_halted(&self, seats: Seats, then: u64, late: bool) -> Result<(), Error> {
        let mut seats = seats.into_iter();
        if seats.all(|seat| self.bots[usize::from(seat)].is_module()) {
            return Ok(());
        }
        if late && !self.halts.since(then) {
            tokio::time::sleep(HALT_HEARD).await;
        }
        match self.halts.since(then) {
            true => Err(std::io::Error::other("it was stopped while a bot was asked").into()),
            false => Ok(()),
        }
    }

    /// Shows the table to who watches: before these seats are asked, so that it is not on their clocks.
    fn show(&mut self, asked: Seats) {
        let scene = |bot: &SeatedBot| SeatScene {
            used_us: bot.report.used_us,
            has_fallen: bot.report.fault.is_some(),
        };
        self.showing.turn(
            self.the_match,
            &*self.course.table,
            (self.course.plies, asked),
            self.bots.iter().map(scene),
        );
    }

    fn ask_person(&mut self, seat: Seat) -> Result<(), Error> {
        let table = &*self.course.table;
        let answer = match self.person.choose(&Place { seat, table }) {
            Decision::Act(action) => Ok(Choice {
                action,
                note: None,
                us: Some(0),
                ..Choice::default()
            }),
            Decision::Leave => {
                let detail = "the person left the table".into();
                Err(Fault::new(FaultKind::Closed, detail, 0))
            }
            Decision::BreakOff => return Err(Error::BrokenOff(seat)),
        };
        self.bots[usize::from(seat)].answered_by_hand(answer);
        Ok(())
    }

    fn write_turn(&mut self, seat: Seat) {
        self.view.clear();
        self.course
            .table
            .write_view(Viewer::Seat(seat), &mut self.view);
        let bot = &mut self.bots[usize::from(seat)];
        let actions = if bot.wants_actions {
            self.actions.clear();
            self.course.table.write_actions(seat, &mut self.actions);
            Some(&self.actions[..])
        } else {
            None
        };
        bot.write_turn(actions, &self.clocks, &self.view);
    }

    /// Whether a seat's answer is in time and legal; nothing where the host failed to ask for it.
    fn judge(&mut self, seat: Seat) -> Option<Result<(), Fault>> {
        let answer = self.bots[usize::from(seat)].answer.take()?;
        Some(answer.and_then(|choice| self.judge_choice(seat, choice)))
    }

    fn judge_choice(&mut self, seat: Seat, choice: Choice) -> Result<(), Fault> {
        let bot = &mut self.bots[usize::from(seat)];
        let us = choice.us.expect("a bot's answer was timed");
        if !self.course.clocks[usize::from(seat)].move_took(us) {
            return Err(Fault::late(us, "its answer came after its time was up"));
        }
        if let Err(refusal) = self.course.table.check(seat, &choice.action) {
            return Err(Fault::refused(&refusal, us, bot.evidence(&choice)));
        }
        bot.choice = choice;
        Ok(())
    }

    /// A seat's bot is out: it is stopped, and what it did goes into the record.
    fn fall(&mut self, seat: Seat, mut fault: Fault, fell: &mut Seats) {
        let bot = &mut self.bots[usize::from(seat)];
        fault.stderr = bot.stop();
        tracing::warn!(seat, %fault, "a bot falls");
        self.record.fault(seat, &fault);
        self.people = self.people.without(seat);
        let news = News::Fault {
            seat,
            kind: fault.kind,
            fault: Some(&fault),
        };
        news.tell(self.person, self.people, &*self.course.table);
        bot.report.fault = Some(fault);
        *fell = fell.with(seat);
    }

    /// The table takes the actions of these seats, together.
    fn act(&mut self, seats: Seats) {
        let bots = &self.bots;
        let one = |seat: Seat| (seat, bots[usize::from(seat)].choice.action.as_str());
        let taken = match (seats.lowest(), seats.len()) {
            (Some(seat), 1) => self.course.table.act(&[one(seat)]),
            _ => self.course.table.act(&seats.map(one).collect::<Vec<_>>()),
        };
        taken.expect("what was checked is taken");
        self.record
            .acts(seats.map(|seat| (seat, &bots[usize::from(seat)].choice)));
        self.course.plies += seats.len() as u64;
        if !self.people.is_empty() {
            let acted = |seat: Seat| {
                let Choice { action, us, .. } = &bots[usize::from(seat)].choice;
                Acted {
                    seat,
                    action: Some(action),
                    stand_in: us.is_none(),
                }
            };
            let news = News::Acts(seats.map(acted).collect());
            news.tell(self.person, self.people, &*self.course.table);
        }
        for seat in seats {
            self.bots[usize::from(seat)].count();
        }
    }

    /// Says `over` to all who are still there. What they make of it changes nothing.
    async fn say_over(&mut self, verdict: &Verdict) {
        let view = String::from_utf8(self.course.final_view()).expect("JSON is text");
        let over = FromReferee::Over(Over {
            points: verdict.points.clone(),
            places: verdict.places.clone(),
            reason: verdict.reason.clone(),
            view: RawValue::from_string(view).expect("a view is JSON"),
        });
        let mut line = serde_json::to_vec(&over).expect("over is JSON");
        line.push(b'\n');
        join_all(
            self.bots
                .iter_mut()
                .map(|bot| bot.tell(&line, OVER_ALLOWANCE)),
        )
        .await;
    }
}
