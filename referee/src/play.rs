//! A match in progress: asks the seats, judges their answers, and tells everything that happens to those who listen.

use std::pin::pin;

use flipside_games::{GameFailure, Seat, Seats, Table};
use flipside_protocol::Limits;
use flipside_sandbox::{PonderGuard, Sandbox};
use futures_util::future::{Either, join_all, select};
use serde_json::value::RawValue;

use crate::answer::Choice;
use crate::bot_pool::BotPool;
use crate::clock::SeatClock;
use crate::diagnosis::FaultMoment;
use crate::error::Error;
use crate::event::{Listener, MatchEvent};
use crate::event_log::EventLog;
use crate::fault::{Fault, FaultKind};
use crate::match_setup::{Match, PERSON, Player};
use crate::observer::{ObserverEvent, Observing};
use crate::opening::opening_fits;
use crate::person::{Decision, People, Person};
use crate::questions::{TurnParts, hello_line, hello_of, over_line};
use crate::ranges::seat_name;
use crate::record::{FORMAT, Header, HeaderType, ReadyLine, SeatLine};
use crate::recorder::Recorder;
use crate::result::{MatchResult, PlayedMatch};
use crate::seat::SeatedBot;
use crate::seating::{prepare, seat_all};
use crate::state::{MatchState, NextStep};
use crate::suspend_counter::{SUSPEND_HEARD, SuspendCounter};
use crate::tally::RefereeTally;
use crate::watch::{Show, WatchFeed};

/// What a referee brings to its matches.
pub(crate) struct MatchHost {
    pub(crate) sandbox: Sandbox,
    pub(crate) suspend_counter: SuspendCounter,
    pub(crate) pool: BotPool,
    pub(crate) showing: WatchFeed,
    pub(crate) observing: Observing,
    /// Whether files are looked for that jailed bots lose at the end.
    pub(crate) looks_for_files: bool,
    /// The class of this machine, if records are to name it.
    pub(crate) machine: Option<String>,
}

impl MatchHost {
    pub(crate) fn new(sandbox: Sandbox) -> Self {
        MatchHost {
            sandbox,
            suspend_counter: SuspendCounter::default(),
            pool: BotPool::default(),
            showing: WatchFeed::default(),
            observing: Observing::default(),
            looks_for_files: false,
            machine: None,
        }
    }

    /// Plays a match to its end.
    pub(crate) async fn play(
        &mut self,
        the_match: &Match,
        person: &mut dyn Person,
    ) -> Result<PlayedMatch, Error> {
        self.showing.begins(the_match);
        let played = self.play_to_the_end(the_match, person).await;
        self.showing.over();
        played
    }

    async fn play_to_the_end(
        &mut self,
        the_match: &Match,
        person: &mut dyn Person,
    ) -> Result<PlayedMatch, Error> {
        let (sandbox, suspend_counter, pool) =
            (&self.sandbox, &self.suspend_counter, &mut self.pool);
        let here = (sandbox, self.machine.as_deref());
        let showing = &mut self.showing;
        let (mut game, header) =
            MatchInPlay::set_up(the_match, here, suspend_counter, showing, person)?;
        tracing::info!(clock = %the_match.clock, "begins");
        let prepared = prepare(sandbox, pool, the_match)?;
        pool.end_those_that_met(&the_match.seed);
        let before_they_start = suspend_counter.now();
        game.observing = self.observing.begins(the_match);
        game.bots = seat_all(sandbox, pool, the_match, &game.ponder_guard)?;
        // From here on each bot holds its own.
        drop(prepared);
        for bot in &mut game.bots {
            bot.observing = game.observing.clone();
        }
        (pool.bots()).for_each(|bot| bot.rest_beside(&game.ponder_guard));
        game.greet(&header, before_they_start).await?;
        game.open()?;
        loop {
            // What is asked of its program between two steps may have failed, too.
            game.state.not_failed()?;
            match game.state.next() {
                NextStep::Decided => break,
                _ if game.listeners.record.is_full() => return Err(Error::LongRecord),
                NextStep::Chance => game.sample()?,
                NextStep::Seats {
                    asked,
                    disqualified,
                } => game.ask(asked, disqualified).await?,
            }
        }
        if self.looks_for_files {
            game.bots.iter_mut().for_each(SeatedBot::look_for_files);
        }
        Ok(game.end(pool, sandbox).await)
    }
}

/// What a record says of a match before it begins.
fn header(
    the_match: &Match,
    options: &RawValue,
    (sandbox, machine): (&Sandbox, Option<&str>),
) -> Header {
    let settings = sandbox.settings();
    let limits = Limits {
        line: flipside_protocol::LONGEST_LINE as u64,
        memory: settings.memory,
    };
    let seats = (the_match.players.iter()).map(|player| seat_line(player, limits.memory, sandbox));
    let mut header = Header {
        kind: HeaderType::Match,
        format: FORMAT,
        flipside: env!("CARGO_PKG_VERSION").to_owned(),
        id: the_match.id.clone(),
        game: the_match.game.info().id.to_owned(),
        game_sha256: (the_match.game.program()).map(|program| program.sha256.clone()),
        options: options.to_owned(),
        clock: the_match.clock,
        metering: the_match.metering().map(str::to_owned),
        machine: None,
        limits,
        isolation: settings.isolation.name().to_owned(),
        ponder: settings.ponder,
        opening_plies: the_match.opening_plies,
        patience: the_match.patience,
        seats: seats.collect(),
        number: the_match.seed.number(),
        commitment: the_match.seed.commitment(),
    };
    if !header.counts_only_fuel() {
        header.machine = machine.map(str::to_owned);
    }
    header
}

/// What a record says of who sits on a seat, where all bots may use so much memory.
fn seat_line(player: &Player, of_all: u64, sandbox: &Sandbox) -> SeatLine {
    let program = player.program();
    let mut line = SeatLine {
        bot: seat_name(&player.name),
        kind: program.map_or(PERSON.into(), |program| program.kind().to_string()),
        sha256: program.map_or_else(String::new, |program| program.sha256().to_owned()),
        settings: player.settings().clone(),
        memory: None,
    };
    let memory = program.map(|program| sandbox.memory_of(program));
    line.memory = memory.filter(|memory| *memory < line.given_memory(of_all));
    line
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
        let time = clocks[usize::from(seat)].move_time();
        return bots[usize::from(seat)].ask(time, true).await;
    }
    let asking = at_once(bots, seats, async |bot| {
        let time = clocks[usize::from(bot.seat)].move_time();
        bot.ask(time, false).await
    });
    let asked = asking.await.into_iter();
    asked.map(|(_, done)| done).fold(Ok(()), Result::and)
}

/// Those who listen to what happens.
struct Listeners<'p> {
    record: Recorder,
    tally: RefereeTally,
    people: People<'p>,
    show: Show<'p>,
    event_log: EventLog,
}

impl Listener for Listeners<'_> {
    fn hear(&mut self, event: &MatchEvent<'_>, table: &dyn Table) {
        self.record.hear(event, table);
        self.tally.hear(event, table);
        self.people.hear(event, table);
        self.show.hear(event, table);
        self.event_log.hear(event, table);
    }
}

/// A match in progress: its state, its bots, those who listen, and buffers that are used again at every turn.
struct MatchInPlay<'p> {
    state: MatchState,
    bots: Vec<SeatedBot>,
    listeners: Listeners<'p>,
    turn: TurnParts,
    /// Where draws are written.
    draw: Vec<u8>,
    ponder_guard: PonderGuard,
    observing: Observing,
    the_match: &'p Match,
    suspend_counter: &'p SuspendCounter,
}

impl<'p> MatchInPlay<'p> {
    /// The match before its bots are started, and what its record begins with.
    fn set_up(
        the_match: &'p Match,
        here: (&Sandbox, Option<&str>),
        suspend_counter: &'p SuspendCounter,
        showing: &'p mut WatchFeed,
        person: &'p mut dyn Person,
    ) -> Result<(Self, Header), Error> {
        let seats = u8::try_from(the_match.players.len()).unwrap_or(u8::MAX);
        let setup = the_match.game.set_up(&the_match.options, seats)?;
        opening_fits(setup.table.info(), the_match.opening_plies)?;
        let options = setup.options.clone();
        let options = RawValue::from_string(options).expect("a game's options are JSON");
        let people = (0..).zip(&the_match.players);
        let people = people.filter(|(_, player)| player.program().is_none());
        let people = People {
            person,
            seats: people.map(|(seat, _)| seat).collect(),
        };
        let (sandbox, _) = here;
        let header = header(the_match, &options, here);
        let game = MatchInPlay {
            state: MatchState::new(setup, header.seat_clocks(), &the_match.seed),
            bots: Vec::new(),
            listeners: Listeners {
                record: Recorder::begin(&header),
                tally: RefereeTally::of(the_match.players.len()),
                people,
                show: Show { showing, the_match },
                event_log: EventLog::new(the_match.players.len()),
            },
            turn: TurnParts::default(),
            draw: Vec::new(),
            ponder_guard: match sandbox.settings().ponder {
                true => PonderGuard::that_ponders(),
                false => PonderGuard::default(),
            },
            observing: Observing::default(),
            the_match,
            suspend_counter,
        };
        Ok((game, header))
    }

    fn hear(&mut self, event: &MatchEvent<'_>) {
        self.listeners.hear(event, &*self.state.table);
    }

    /// Says `hello` to all at once and waits for every `ready`.
    async fn greet(&mut self, header: &Header, before: u64) -> Result<(), Error> {
        let hello = hello_of(header);
        let allowances: Vec<u64> = self.state.clocks.iter().map(SeatClock::for_ready).collect();
        let lists_actions = self.state.table.lists_actions();
        let people = self.listeners.people.seats;
        let bots = people.fold(Seats::first(hello.seats), Seats::without);
        let greetings = at_once(&mut self.bots, bots, async |bot| {
            let line = &header.seats[usize::from(bot.seat)];
            let line = hello_line(&hello, bot.seat, line, &self.the_match.seed);
            let allowance = allowances[usize::from(bot.seat)];
            bot.greet(line, allowance, lists_actions).await
        });
        let mut greeted = greetings.await;
        let late = greeted.iter().any(|(seat, answer)| match answer {
            Ok(Ok(ready)) => ready.us > allowances[usize::from(*seat)],
            Ok(Err(fault)) => fault.kind == FaultKind::Late,
            Err(_) => false,
        });
        self.not_suspended(bots, before, late).await?;
        // A person is ready at once.
        let ready = |seat| ReadyLine {
            seat,
            ..ReadyLine::default()
        };
        greeted.extend(people.map(|seat| (seat, Ok(Ok(ready(seat))))));
        greeted.sort_by_key(|(seat, _)| *seat);
        let mut fell = Seats::NONE;
        let mut failed = Ok(());
        for (seat, answer) in greeted {
            match answer {
                Ok(Ok(ready)) => {
                    if self.state.clocks[usize::from(seat)].ready_took(ready.us) {
                        self.bots[usize::from(seat)].trace.ready = true;
                        self.hear(&MatchEvent::Ready(&ready));
                    } else {
                        let allowance = allowances[usize::from(seat)];
                        let fault = Fault::late(ready.us, allowance, FaultMoment::Ready);
                        self.fall(seat, fault, &mut fell);
                    }
                }
                Ok(Err(fault)) => self.fall(seat, fault, &mut fell),
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        self.state.disqualify(fell);
        self.unless_decided(failed, fell)
    }

    /// Draws the opening, if the match has one.
    fn open(&mut self) -> Result<(), Error> {
        let plies = self.the_match.opening_plies;
        if plies > 0 && self.state.next() != NextStep::Decided {
            let opening = self.state.open(plies, &self.the_match.seed)?;
            self.hear(&MatchEvent::Opening(&opening));
        }
        Ok(())
    }

    /// Decides whether a host error voids the match: not where others were disqualified in the same turn and that
    /// decides it. No bot at fault gains by what it did to another one.
    fn unless_decided(&self, failed: Result<(), Error>, fell: Seats) -> Result<(), Error> {
        match failed {
            Err(error) if !fell.is_empty() && self.state.next() == NextStep::Decided => {
                tracing::warn!(%error, "a match is decided by a fault though the host failed another bot");
                Ok(())
            }
            failed => failed,
        }
    }

    fn sample(&mut self) -> Result<(), Error> {
        let event = self.state.sample(&mut self.draw)?;
        self.listeners
            .hear(&MatchEvent::Chance(event), &*self.state.table);
        Ok(())
    }

    /// Asks the seats at once, judges their answers, and lets the table take them together.
    async fn ask(&mut self, asked: Seats, disqualified: Seats) -> Result<(), Error> {
        self.turn.take_clocks(&self.state);
        let people = self.listeners.people.seats;
        let people: Seats = asked.filter(|&seat| people.contains(seat)).collect();
        let bots = people.fold(asked, Seats::without);
        for seat in bots {
            self.write_turn(seat);
        }
        self.hear(&MatchEvent::Asked(asked));
        let before = self.suspend_counter.now();
        let failed = self.ask_watched(bots).await;
        let late = bots.into_iter().any(|seat| self.is_late(seat));
        self.not_suspended(bots, before, late).await?;
        // The bots have answered by now: none of them waits while a person thinks, and what the
        // person chooses is not there yet when they could learn of it.
        let failed = if people.is_empty() {
            failed
        } else {
            failed?;
            if !self.ponder_guard.may_ponder() {
                self.ponder_guard.hush();
            }
            Ok(())
        };
        for seat in people {
            self.ask_person(seat)?;
        }
        let mut fell = Seats::NONE;
        for seat in asked {
            if let Some(fault) = self.judge(seat)? {
                self.fall(seat, fault, &mut fell);
            }
        }
        self.state.disqualify(fell);
        self.unless_decided(failed, fell)?;
        if !fell.is_empty() && self.state.next() == NextStep::Decided {
            return Ok(());
        }
        for seat in disqualified.chain(fell) {
            let action = self.state.let_stand_in_choose(seat)?;
            self.bots[usize::from(seat)].choice = Choice::stand_in(action);
        }
        self.act(asked.chain(disqualified).collect())
    }

    /// Asks these bots, while the watcher, if there is one, is shown the turn.
    async fn ask_watched(&mut self, bots: Seats) -> Result<(), Error> {
        let Show { showing, the_match } = &mut self.listeners.show;
        let asking = ask_bots(&mut self.bots, bots, &self.state.clocks);
        if !showing.is_watched() {
            return asking.await;
        }
        let watching = showing.meanwhile(the_match, &*self.state.table);
        match select(pin!(asking), pin!(watching)).await {
            Either::Left((done, _)) => done,
            // Watching never ends.
            Either::Right(_) => Ok(()),
        }
    }

    /// Whether a seat's answer is not in time.
    fn is_late(&self, seat: Seat) -> bool {
        let allowance = self.state.clocks[usize::from(seat)].for_move();
        match &self.bots[usize::from(seat)].answer {
            Some(Ok(choice)) => choice.us.is_some_and(|us| us > allowance),
            Some(Err(fault)) => fault.kind == FaultKind::Late,
            None => false,
        }
    }

    /// Fails when the process was stopped since then, while these seats were asked. Modules have the time of
    /// their thread, which was stopped as well.
    async fn not_suspended(&self, seats: Seats, then: u64, late: bool) -> Result<(), Error> {
        let mut seats = seats.into_iter();
        if seats.all(|seat| self.bots[usize::from(seat)].is_module()) {
            return Ok(());
        }
        if late && !self.suspend_counter.since(then) {
            tokio::time::sleep(SUSPEND_HEARD).await;
        }
        match self.suspend_counter.since(then) {
            true => Err(std::io::Error::other("it was stopped while a bot was asked").into()),
            false => Ok(()),
        }
    }

    fn ask_person(&mut self, seat: Seat) -> Result<(), Error> {
        let table = &*self.state.table;
        let answer = match self.listeners.people.choose(seat, table) {
            Decision::Act(action) => Ok(Choice::by_hand(action)),
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
        let bot = &mut self.bots[usize::from(seat)];
        let table = &mut *self.state.table;
        let event_log = &mut self.listeners.event_log;
        let turn = self.turn.of(table, seat, bot.wants_actions, event_log);
        bot.write_turn(self.state.plies, &turn);
    }

    /// What is wrong with a seat's answer, if it is not in time and legal. Nothing where the host failed to ask for it.
    ///
    /// # Errors
    /// The program of the game fails.
    fn judge(&mut self, seat: Seat) -> Result<Option<Fault>, GameFailure> {
        let bot = &mut self.bots[usize::from(seat)];
        let choice = match bot.answer.take() {
            Some(Ok(choice)) => choice,
            other => return Ok(other.and_then(Result::err)),
        };
        let us = choice.us.expect("a bot's answer was timed");
        let clock = &mut self.state.clocks[usize::from(seat)];
        if let Some(paused) = &choice.paused {
            clock.stood_still(paused.us);
        }
        if !clock.move_took(us) {
            return Ok(Some(Fault {
                paused: choice.paused,
                ..Fault::late(us, clock.for_move(), bot.when())
            }));
        }
        if let Err(refusal) = self.state.table.choose(seat, &choice.action) {
            let evidence = bot.evidence(&choice);
            return Ok(Some(Fault {
                measured: choice.measured,
                paused: choice.paused,
                ..Fault::refused(&refusal, us, bot.when(), evidence)?
            }));
        }
        bot.choice = choice;
        Ok(None)
    }

    /// Disqualifies a seat's bot: it is stopped.
    fn fall(&mut self, seat: Seat, mut fault: Fault, fell: &mut Seats) {
        fault.stderr = self.bots[usize::from(seat)].stop();
        self.observing.hear(seat, &ObserverEvent::Fault(&fault));
        tracing::warn!(seat, %fault, "a bot is disqualified");
        self.hear(&MatchEvent::Fault {
            seat,
            fault: &fault,
        });
        self.bots[usize::from(seat)].trace.fault = Some(fault);
        *fell = fell.with(seat);
    }

    /// The table takes the actions of these seats, together.
    fn act(&mut self, seats: Seats) -> Result<(), Error> {
        let choice = |seat: Seat| (seat, &self.bots[usize::from(seat)].choice);
        // In most games one seat acts at a time, and needs no list.
        let (one, several);
        let choices: &[(Seat, &Choice)] = match (seats.lowest(), seats.len()) {
            (Some(seat), 1) => {
                one = [choice(seat)];
                &one
            }
            _ => {
                several = seats.map(choice).collect::<Vec<_>>();
                &several
            }
        };
        self.state.play(choices.len())?;
        self.listeners
            .hear(&MatchEvent::Acts(choices), &*self.state.table);
        Ok(())
    }

    /// The match is decided: tells everybody, and lets the bots leave.
    async fn end(mut self, pool: &mut BotPool, sandbox: &Sandbox) -> PlayedMatch {
        let result = (self.state).result(std::mem::take(&mut self.listeners.tally.seats));
        self.hear(&MatchEvent::Over {
            result: &result,
            seed: &self.the_match.seed,
        });
        self.say_over(&result).await;
        tracing::info!(points = ?result.points(), reason = result.reason, plies = result.plies, "over");
        let left = join_all(self.bots.into_iter().map(SeatedBot::leave)).await;
        let mut seats = Vec::with_capacity(left.len());
        for ((trace, again), player) in left.into_iter().zip(&self.the_match.players) {
            if let (Some((bot, met)), Some(program)) = (again, player.program()) {
                pool.keep(program, bot, met, self.the_match.seed);
            }
            seats.push(trace);
        }
        if sandbox.is_short_of_room() {
            pool.end_all();
        }
        self.observing.over(&result);
        PlayedMatch {
            result,
            seats,
            record: self.listeners.record.end(),
        }
    }

    /// Says `over` to all who are still there. What they make of it changes nothing.
    async fn say_over(&mut self, result: &MatchResult) {
        let line = over_line(&self.state, result);
        join_all(self.bots.iter_mut().map(|bot| bot.tell(&line))).await;
    }
}
