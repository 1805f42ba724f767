//! A match at the table of a game program.

use std::cell::RefCell;
use std::sync::Arc;

use flipside_protocol::game::{
    ActionPath, CheckRequest, ChooseRequest, DrawRequest, DrawingForm, GameAct, GameActs,
    GameEvent, GameOutcome, GameReplay, GameReply, GameRequest, GameSetup, GameState, GameViewer,
    PathsRequest, RandomBytes, RedealRequest, Refused, SampleRequest, ViewRequest, WeightedOutcome,
    WordsRequest,
};
use rand_core::Rng;
use serde_json::Value;
use serde_json::value::RawValue;

use super::drawing::{not_svg, of_text};
use super::limits::{
    LONGEST_DRAWING, LONGEST_VIEW, MAX_COLUMNS, MAX_LINES, about, check_action, check_object,
    check_outcome, in_one_line,
};
use super::link::GameLink;
use super::paths::not_path;
use super::position::Position;
use super::processes::{GameProcesses, written};
use crate::chance;
use crate::failure::GameFailure;
use crate::game::{Illegal, Info, ParseError, Refusal};
use crate::options::OptionsError;
use crate::perft::PerftError;
use crate::seats::{Outcome, Points, Seat, SeatTurn, Seats, Viewer};
use crate::table::{Table, refuse_others, refuse_unasked};

/// The reason of a match whose program failed. No table has it: such a match is void.
const FAILED: &str = "failed";

/// What a table shows where its program failed.
const NO_VIEW: &str = "{}";

/// A match of a game program.
pub(super) struct ProgramTable {
    game: Arc<GameProcesses>,
    seats: u8,
    /// By seat.
    sides: Vec<u8>,
    /// How the match began.
    setup: GameSetup,
    /// What has happened.
    events: Vec<GameEvent>,
    /// What was dealt anew: after how many events, for whom and from what.
    redeals: Vec<(usize, RedealRequest)>,
    /// The seats of the last event, if seats acted.
    acted: Vec<Seat>,
    position: Position,
    /// The choices that were read and checked in this position, by ascending seat.
    chosen: Vec<(Seat, String)>,
    program: RefCell<RunningProgram>,
}

/// The program, or how it failed.
enum RunningProgram {
    Runs(Box<dyn GameLink>),
    Failed(GameFailure),
}

impl ProgramTable {
    /// A table before its match begins.
    pub(super) fn new(game: Arc<GameProcesses>, seats: u8) -> Self {
        let program = match game.link() {
            Ok(link) => RunningProgram::Runs(link),
            Err(failure) => RunningProgram::Failed(failure),
        };
        ProgramTable {
            game,
            seats,
            sides: (0..seats).collect(),
            setup: GameSetup {
                options: no_view(),
                seats,
            },
            events: Vec::new(),
            redeals: Vec::new(),
            acted: Vec::new(),
            position: Position::over(seats, FAILED),
            chosen: Vec::new(),
            program: RefCell::new(program),
        }
    }

    /// Begins the match; returns the options as the program writes them, if it does. Where the program fails, the table
    /// is there and has a failure.
    ///
    /// # Errors
    /// The program refuses the options.
    pub(super) fn begin(&mut self, setup: GameSetup) -> Result<Option<String>, OptionsError> {
        self.setup = setup;
        match self.ask(&GameRequest::Setup(self.setup.clone())) {
            Ok(GameReply::State(mut state)) => {
                let options = state.options.take();
                if let Some(Err(what)) = options
                    .as_ref()
                    .map(|options| check_object("options", options, LONGEST_VIEW))
                {
                    self.fail("setup", what);
                    return Ok(None);
                }
                if let Some(options) = &options {
                    // Whoever verifies the record sets it up with these.
                    if let Err(error) = self.game.description.options.complete(options.get()) {
                        self.fail("setup", format!("its own options do not fit: {error}"));
                        return Ok(None);
                    }
                    self.setup.options.clone_from(options);
                }
                // The failure is kept.
                let _ = self.take("setup", state, 0);
                Ok(options.map(|options| options.get().to_owned()))
            }
            Ok(GameReply::Refused(Refused { reason, .. })) => {
                Err(OptionsError(in_one_line(&reason)))
            }
            Ok(other) => {
                self.unexpected("setup", &other, "state");
                Ok(None)
            }
            Err(_) => Ok(None),
        }
    }

    fn info(&self) -> &'static Info {
        self.game.description.info
    }

    /// Asks the program.
    fn ask(&self, request: &GameRequest) -> Result<GameReply, GameFailure> {
        let step = request.name();
        let mut program = self.program.borrow_mut();
        let link = match &mut *program {
            RunningProgram::Runs(link) => link,
            RunningProgram::Failed(failure) => return Err(failure.clone()),
        };
        let answer = link.exchange(&written(request));
        let read =
            answer.and_then(|line| GameReply::read(line).map_err(|error| about(&error, line)));
        read.map_err(|what| {
            let failure = self.game.failure(step, what);
            // To drop it ends it.
            *program = RunningProgram::Failed(failure.clone());
            failure
        })
    }

    /// Ends the program, which is of no use any more. The first failure stays.
    fn fail(&self, step: &'static str, what: impl Into<String>) -> GameFailure {
        let mut program = self.program.borrow_mut();
        if let RunningProgram::Failed(failure) = &*program {
            return failure.clone();
        }
        let failure = self.game.failure(step, what);
        *program = RunningProgram::Failed(failure.clone());
        failure
    }

    /// The program answered something else than it should.
    fn unexpected(&self, step: &'static str, reply: &GameReply, due: &str) -> GameFailure {
        let why = match reply {
            GameReply::Refused(Refused { reason, .. }) => format!(": {}", in_one_line(reason)),
            _ => String::new(),
        };
        let what = format!("it answered {:?}, and {due:?} is due{why}", reply.name());
        self.fail(step, what)
    }

    /// Takes a state that so many acts led to, or an outcome of chance.
    fn take(
        &mut self,
        step: &'static str,
        state: GameState,
        events: usize,
    ) -> Result<(), GameFailure> {
        if let Some(sides) = &state.sides {
            let fits = sides.len() == usize::from(self.seats)
                && sides.iter().all(|&side| side < self.seats);
            if !fits {
                return Err(self.fail(step, format!("the sides are {sides:?}")));
            }
            if step == "setup" {
                self.sides.clone_from(sides);
            } else if *sides != self.sides {
                return Err(self.fail(step, "the sides change during the match"));
            }
        }
        match Position::of(&self.game, self.seats, state, events) {
            Ok(position) => {
                self.position = position;
                self.chosen.clear();
                Ok(())
            }
            Err(what) => Err(self.fail(step, what)),
        }
    }

    /// Checks the action of a seat that is asked. A listed one is legal; what is wrong with another one, the program says.
    fn check_asked(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        refuse_unasked(self.turn(), seat)?;
        let listed = self
            .position
            .asked(seat)
            .and_then(|asked| asked.actions.as_ref());
        if listed.is_some_and(|all| all.binary_search_by(|one| one.as_str().cmp(action)).is_ok()) {
            return Ok(());
        }
        if let Err(why) = check_action(action) {
            return Err(ParseError(why).into());
        }
        let request = GameRequest::Check(CheckRequest {
            seat,
            action: action.to_owned(),
        });
        if listed.is_some() {
            // It is illegal whatever the program says, which is asked for words only: another one is, so that no bot
            // can make a program fail that its match needs.
            let unlisted = || Illegal(format!("{action:?} is not among the legal actions"));
            return Err(match self.copied().ask(&request) {
                Ok(GameReply::Refused(refused)) => in_words(refused),
                _ => unlisted().into(),
            });
        }
        match self.ask(&request)? {
            GameReply::Legal => Ok(()),
            GameReply::Refused(refused) => Err(in_words(refused)),
            other => Err(self.unexpected("check", &other, "legal").into()),
        }
    }

    /// Takes choices that were checked, of all seats that are asked.
    fn take_acts(&mut self, acts: Vec<GameAct>) -> Result<(), Refusal> {
        let request = GameRequest::Acts(GameActs { acts });
        let reply = self.ask(&request)?;
        let GameRequest::Acts(GameActs { acts }) = request else {
            unreachable!("it was made above")
        };
        let GameReply::State(state) = reply else {
            return Err(self.unexpected("acts", &reply, "state").into());
        };
        self.take("acts", state, acts.len())?;
        self.acted = acts.iter().map(|act| act.seat).collect();
        self.events.push(GameEvent {
            acts: Some(acts),
            chance: None,
        });
        Ok(())
    }

    /// Whether chance can have an outcome, as far as outcomes are listed.
    fn check_listed(&self, outcome: &str) -> Result<(), Refusal> {
        let Some(outcomes) = &self.position.outcomes else {
            return Ok(());
        };
        let mut texts = outcomes.iter().map(|one| one.outcome.get());
        if texts.clone().any(|one| one == outcome) {
            return Ok(());
        }
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        let wanted = value(outcome);
        if wanted.is_some() && texts.any(|one| value(one) == wanted) {
            return Ok(());
        }
        Err(Illegal("chance cannot have this outcome now".into()).into())
    }

    /// The view that came with the position, if one did.
    fn told_view(&self, viewer: Viewer) -> Option<&RawValue> {
        match viewer {
            Viewer::Open => self.position.open_view.as_deref(),
            Viewer::Seat(seat) => self.position.asked(seat).map(|asked| &*asked.view),
            Viewer::Public => None,
        }
    }

    fn view(&self, viewer: Viewer) -> Box<RawValue> {
        if let Some(view) = self.told_view(viewer) {
            return view.to_owned();
        }
        let viewer = viewer_of(viewer);
        match self.ask(&GameRequest::View(ViewRequest { viewer })) {
            Ok(GameReply::View(reply)) => match check_object("the view", &reply.view, LONGEST_VIEW)
            {
                Ok(()) => reply.view,
                Err(what) => {
                    self.fail("view", what);
                    no_view()
                }
            },
            Ok(other) => {
                self.unexpected("view", &other, "view");
                no_view()
            }
            Err(_) => no_view(),
        }
    }

    /// A drawing of a view; nothing where the program does not draw in this form.
    pub(super) fn draw_view(&self, view: Box<RawValue>, form: DrawingForm) -> Option<String> {
        match self.ask(&GameRequest::Draw(DrawRequest { view, form })) {
            Ok(GameReply::Drawing(reply)) if reply.drawing.len() <= LONGEST_DRAWING => {
                Some(reply.drawing)
            }
            Ok(GameReply::Drawing(_)) => {
                let what = format!("the drawing is over {LONGEST_DRAWING} bytes long");
                self.fail("draw", what);
                None
            }
            Ok(GameReply::Unsupported | GameReply::Refused(_)) => None,
            Ok(other) => {
                self.unexpected("draw", &other, "drawing");
                None
            }
            Err(_) => None,
        }
    }

    /// A drawing of what a viewer sees, by another process of the program: a match goes on though nobody can draw it.
    fn drawn_apart(&self, viewer: Viewer, form: DrawingForm) -> Option<String> {
        if !self.game.draws() {
            return None;
        }
        let apart = ProgramTable::new(Arc::clone(&self.game), self.seats);
        let drawn = apart.draw_view(self.view(viewer), form);
        if apart.failure().is_some() {
            self.game.cannot_draw();
        }
        drawn
    }

    /// Words of the program; nothing where it has none.
    fn words(&self, request: WordsRequest) -> Option<String> {
        match self.ask(&GameRequest::Words(request)) {
            Ok(GameReply::Words(reply)) => Some(in_one_line(&reply.words)),
            Ok(GameReply::Unsupported | GameReply::Refused(_)) | Err(_) => None,
            Ok(other) => {
                self.unexpected("words", &other, "words");
                None
            }
        }
    }

    /// What the program says of the paths of a seat's actions; nothing where it has none.
    pub(super) fn told_paths(&self, seat: Seat) -> Option<Vec<ActionPath>> {
        match self.ask(&GameRequest::Paths(PathsRequest { seat })) {
            Ok(GameReply::Paths(reply)) => Some(reply.paths),
            Ok(GameReply::Unsupported | GameReply::Refused(_)) | Err(_) => None,
            Ok(other) => {
                self.unexpected("paths", &other, "paths");
                None
            }
        }
    }

    /// Whether a viewer learns one part of the last event; `by_default` where the program does not say.
    fn sees(&self, viewer: Viewer, part: Option<usize>, by_default: bool) -> bool {
        let seen = self.position.seen.as_ref().zip(part);
        let seen = seen.and_then(|(seen, part)| seen.get(part));
        match (viewer, seen) {
            (Viewer::Open, _) => true,
            (_, None) => by_default,
            (Viewer::Seat(seat), Some(seen)) => seen.contains(seat),
            // What every seat learns is no secret.
            (Viewer::Public, Some(seen)) => {
                Seats::first(self.seats).all(|seat| seen.contains(seat))
            }
        }
    }
}

fn viewer_of(viewer: Viewer) -> GameViewer {
    match viewer {
        Viewer::Seat(seat) => GameViewer::Seat(seat),
        Viewer::Public => GameViewer::Public,
        Viewer::Open => GameViewer::Open,
    }
}

/// What the program says of an action that it refuses.
fn in_words(refused: Refused) -> Refusal {
    let Refused { reason, malformed } = refused;
    let reason = in_one_line(&reason);
    match malformed {
        true => ParseError(reason).into(),
        false => Illegal(reason).into(),
    }
}

/// Random bytes for the program.
fn random_bytes(rng: &mut dyn Rng) -> RandomBytes {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    RandomBytes(bytes)
}

fn no_view() -> Box<RawValue> {
    RawValue::from_string(NO_VIEW.into()).expect("it is JSON")
}

/// An outcome as JSON.
fn outcome(event: &str) -> Result<Box<RawValue>, Refusal> {
    let outcome = RawValue::from_string(event.to_owned())
        .map_err(|_| Refusal::Malformed(ParseError("the outcome is not JSON".into())))?;
    check_outcome(&outcome).map_err(|why| Refusal::Malformed(ParseError(why)))?;
    Ok(outcome)
}

impl Position {
    /// The end of a match that brought nobody anything.
    fn over(seats: u8, reason: &'static str) -> Self {
        let points = Points::zero(seats);
        Position {
            turn: SeatTurn::Over(Outcome { points, reason }),
            asks: Vec::new(),
            outcomes: None,
            open_view: None,
            seen: None,
        }
    }
}

impl Table for ProgramTable {
    fn info(&self) -> &'static Info {
        self.info()
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn side(&self, seat: Seat) -> u8 {
        self.sides.get(usize::from(seat)).copied().unwrap_or(seat)
    }

    fn turn(&self) -> SeatTurn {
        match &*self.program.borrow() {
            RunningProgram::Runs(_) => self.position.turn,
            RunningProgram::Failed(_) => SeatTurn::Over(Outcome {
                points: Points::zero(self.seats),
                reason: FAILED,
            }),
        }
    }

    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>) {
        let actions = self
            .position
            .asked(seat)
            .and_then(|asked| asked.actions.as_deref());
        out.push(b'[');
        for (place, action) in actions.unwrap_or_default().iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            // They were checked: nothing in them is escaped in JSON.
            out.push(b'"');
            out.extend_from_slice(action.as_bytes());
            out.push(b'"');
        }
        out.push(b']');
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        let asked = self.position.asked(seat);
        asked
            .and_then(|asked| asked.actions.clone())
            .unwrap_or_default()
    }

    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String) {
        let Some(asked) = self.position.asked(seat) else {
            return;
        };
        if let Some(actions) = &asked.actions {
            *out += chance::one_of::<String>(rng, actions);
            return;
        }
        let random = random_bytes(rng);
        match self.ask(&GameRequest::Choose(ChooseRequest { seat, random })) {
            Ok(GameReply::Action(reply)) => match check_action(&reply.action) {
                Ok(()) => *out += &reply.action,
                Err(what) => drop(self.fail("choose", what)),
            },
            Ok(other) => drop(self.unexpected("choose", &other, "action")),
            Err(_) => {}
        }
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.check_asked(seat, action)
    }

    fn choose(&mut self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.check_asked(seat, action)?;
        let action = action.to_owned();
        match self.chosen.binary_search_by_key(&seat, |&(seat, _)| seat) {
            Ok(place) => self.chosen[place] = (seat, action),
            Err(place) => self.chosen.insert(place, (seat, action)),
        }
        Ok(())
    }

    fn play(&mut self) -> Result<(), Refusal> {
        refuse_others(self.turn(), self.chosen.iter().map(|&(seat, _)| seat))?;
        let chosen = std::mem::take(&mut self.chosen);
        let act = |(seat, action)| GameAct { seat, action };
        self.take_acts(chosen.into_iter().map(act).collect())
    }

    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal> {
        for &(seat, action) in acts {
            self.check_asked(seat, action)?;
        }
        refuse_others(self.turn(), acts.iter().map(|&(seat, _)| seat))?;
        let act = |&(seat, action): &(Seat, &str)| GameAct {
            seat,
            action: action.to_owned(),
        };
        self.take_acts(acts.iter().map(act).collect())
    }

    fn sample(&self, rng: &mut dyn Rng, out: &mut Vec<u8>) {
        if let Some(outcomes) = &self.position.outcomes {
            let sum = outcomes.iter().map(|one| one.weight).sum();
            let mut place = chance::below(rng, sum);
            let drawn = outcomes.iter().find(|WeightedOutcome { weight, .. }| {
                let is_here = place < *weight;
                place = place.saturating_sub(*weight);
                is_here
            });
            let drawn = drawn.expect("a place below the sum of the weights is in one of them");
            out.extend_from_slice(drawn.outcome.get().as_bytes());
            return;
        }
        let random = random_bytes(rng);
        match self.ask(&GameRequest::Sample(SampleRequest { random })) {
            Ok(GameReply::Outcome(reply)) => match check_outcome(&reply.outcome) {
                Ok(()) => out.extend_from_slice(reply.outcome.get().as_bytes()),
                Err(what) => drop(self.fail("sample", what)),
            },
            Ok(other) => drop(self.unexpected("sample", &other, "outcome")),
            Err(_) => {}
        }
    }

    fn chance(&mut self, event: &str) -> Result<(), Refusal> {
        if self.turn() != SeatTurn::Chance {
            let why = "the table does not wait for chance";
            return Err(Refusal::Unasked(why.into()));
        }
        let outcome = outcome(event)?;
        self.check_listed(event)?;
        let is_listed = self.position.outcomes.is_some();
        let request = GameRequest::Chance(GameOutcome { outcome });
        match self.ask(&request)? {
            GameReply::State(state) => self.take("chance", state, 1)?,
            GameReply::Refused(Refused { reason, .. }) if !is_listed => {
                return Err(Illegal(in_one_line(&reason)).into());
            }
            other => return Err(self.unexpected("chance", &other, "state").into()),
        }
        if let GameRequest::Chance(GameOutcome { outcome }) = request {
            self.events.push(GameEvent {
                acts: None,
                chance: Some(outcome),
            });
        }
        self.acted.clear();
        Ok(())
    }

    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        match self.told_view(viewer) {
            Some(view) => out.extend_from_slice(view.get().as_bytes()),
            None => out.extend_from_slice(self.view(viewer).get().as_bytes()),
        }
    }

    fn sees_action(&self, viewer: Viewer, seat: Seat, _: &str) -> bool {
        let own = viewer == Viewer::Seat(seat);
        let part = self.acted.iter().position(|&acted| acted == seat);
        own || self.sees(viewer, part, !self.info().secrets)
    }

    fn sees_chance(&self, viewer: Viewer, _: &str) -> bool {
        let part = self.acted.is_empty().then_some(0);
        self.sees(viewer, part, !self.info().secrets)
    }

    /// Where the program has no paths, or some that cannot be followed, each action is a choice.
    fn paths(&self, seat: Seat) -> Vec<ActionPath> {
        let actions = self.actions(seat);
        if actions.is_empty() {
            return Vec::new();
        }
        let told = self.told_paths(seat).filter(|paths| {
            paths.len() == actions.len() && paths.iter().all(|path| not_path(path).is_none())
        });
        told.unwrap_or_else(|| actions.into_iter().map(ActionPath::beside).collect())
    }

    fn action_in_words(&self, action: &str) -> String {
        let request = WordsRequest {
            action: Some(action.to_owned()),
            outcome: None,
        };
        self.words(request).unwrap_or_else(|| action.to_owned())
    }

    fn chance_in_words(&self, event: &str) -> String {
        let request = outcome(event).ok().map(|outcome| WordsRequest {
            action: None,
            outcome: Some(outcome),
        });
        let words = request.and_then(|request| self.words(request));
        words.unwrap_or_else(|| event.to_owned())
    }

    /// A program that does not sample what is hidden leaves the match as it is.
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table> {
        let mut table = self.copied();
        let request = RedealRequest {
            viewer: viewer_of(viewer),
            random: random_bytes(rng),
        };
        if table.deal_anew(&request).is_ok_and(|dealt| dealt) {
            table.redeals.push((table.events.len(), request));
        }
        Box::new(table)
    }

    fn text(&self, viewer: Viewer) -> String {
        let drawn = self.drawn_apart(viewer, DrawingForm::Text);
        if let Some(failure) = self.failure() {
            return format!("{}\n", in_one_line(&failure.to_string()));
        }
        let text = drawn.unwrap_or_else(|| self.view(viewer).get().to_owned());
        let lines = text.lines().take(MAX_LINES).map(|line| {
            let plain = line.chars().filter(|letter| !letter.is_control());
            plain.take(MAX_COLUMNS).collect::<String>() + "\n"
        });
        lines.collect()
    }

    fn svg(&self, viewer: Viewer) -> String {
        let drawn = self.drawn_apart(viewer, DrawingForm::Svg);
        // What could do something within a page is not shown.
        let drawn = drawn.filter(|svg| not_svg(svg).is_none());
        drawn.unwrap_or_else(|| of_text(&self.text(viewer)))
    }

    fn perft(&self, depth: u32) -> Result<u64, PerftError> {
        let info = self.info();
        if info.chance {
            return Err(PerftError::Chance(info.id));
        }
        if info.simultaneous {
            return Err(PerftError::Simultaneous(info.id));
        }
        if !self.lists_actions() {
            return Err(PerftError::Unlisted(info.id));
        }
        let Some(deeper) = depth.checked_sub(1) else {
            return Ok(1);
        };
        let Some(seat) = self.turn().asked().lowest() else {
            return Ok(0);
        };
        let actions = self.actions(seat);
        if deeper == 0 {
            return Ok(actions.len() as u64);
        }
        let mut child = self.copied();
        let mut total = 0u64;
        for (at, action) in actions.iter().enumerate() {
            if at > 0 {
                child.go_back_to(self);
            }
            // A program that failed counts nothing, and its failure is kept.
            if let Err(Refusal::Failed(failure)) = child.act(&[(seat, action)]) {
                self.fail(failure.step, failure.what);
                return Ok(0);
            }
            total = total
                .checked_add(child.perft(deeper)?)
                .ok_or(PerftError::TooLarge)?;
        }
        Ok(total)
    }

    fn copy(&self) -> Box<dyn Table> {
        Box::new(self.copied())
    }

    fn failure(&self) -> Option<GameFailure> {
        match &*self.program.borrow() {
            RunningProgram::Runs(_) => None,
            RunningProgram::Failed(failure) => Some(failure.clone()),
        }
    }

    fn lists_actions(&self) -> bool {
        self.game.description.lists
    }
}

impl ProgramTable {
    fn copied(&self) -> Self {
        let mut table = ProgramTable::new(Arc::clone(&self.game), self.seats);
        table.go_back_to(self);
        table
    }

    /// Plays the match of another table again, as far as it has come.
    fn go_back_to(&mut self, other: &Self) {
        if let Some(failure) = other.failure() {
            self.fail(failure.step, failure.what);
            return;
        }
        self.setup = other.setup.clone();
        self.sides.clone_from(&other.sides);
        self.redeals.clear();
        match self.play_again(other) {
            Ok(()) if self.position.turn == other.position.turn => {
                self.chosen.clone_from(&other.chosen);
            }
            Ok(()) => drop(self.fail("replay", "it replays to another state")),
            // It is kept.
            Err(Refusal::Failed(_)) => {}
            Err(refusal) => drop(self.fail("replay", refusal.to_string())),
        }
    }

    fn play_again(&mut self, other: &Self) -> Result<(), Refusal> {
        let dealt = other
            .redeals
            .first()
            .map_or(other.events.len(), |(events, _)| *events);
        let (replayed, stepped) = other.events.split_at(dealt);
        self.replay(replayed)?;
        let mut redeals = other.redeals.iter().peekable();
        for at in 0..=stepped.len() {
            while let Some((_, request)) = redeals.next_if(|(events, _)| *events == dealt + at) {
                self.deal_anew(request)?;
                self.redeals.push((dealt + at, request.clone()));
            }
            match stepped.get(at) {
                Some(GameEvent {
                    acts: Some(acts), ..
                }) => self.take_acts(acts.clone())?,
                Some(GameEvent {
                    chance: Some(outcome),
                    ..
                }) => self.chance(outcome.get())?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Begins the match, and takes events in one exchange.
    fn replay(&mut self, events: &[GameEvent]) -> Result<(), GameFailure> {
        let request = GameReplay {
            options: self.setup.options.clone(),
            seats: self.seats,
            events: events.to_vec(),
        };
        let reply = self.ask(&GameRequest::Replay(request))?;
        let GameReply::State(state) = reply else {
            return Err(self.unexpected("replay", &reply, "state"));
        };
        let acts = events.last().and_then(|event| event.acts.as_ref());
        let parts = acts.map_or(usize::from(!events.is_empty()), Vec::len);
        self.take("replay", state, parts)?;
        self.events = events.to_vec();
        self.acted = acts.into_iter().flatten().map(|act| act.seat).collect();
        Ok(())
    }

    /// Samples anew what a viewer must not know; returns whether the program does that.
    fn deal_anew(&mut self, request: &RedealRequest) -> Result<bool, GameFailure> {
        match self.ask(&GameRequest::Redeal(request.clone()))? {
            GameReply::State(state) => {
                // Nothing happened that anybody could learn.
                self.take(
                    "redeal",
                    GameState {
                        seen: None,
                        ..state
                    },
                    0,
                )?;
                Ok(true)
            }
            GameReply::Unsupported => Ok(false),
            other => Err(self.unexpected("redeal", &other, "state")),
        }
    }
}

impl Drop for ProgramTable {
    /// A program that did all it should plays another match.
    fn drop(&mut self) {
        let over = RunningProgram::Failed(self.game.failure("end", ""));
        let program = self.program.replace(over);
        if let RunningProgram::Runs(link) = program {
            self.game.take_back(link);
        }
    }
}
