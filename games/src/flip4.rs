//! FLIP 4 (MindWare, 2003): four in a row on the numbers that two dice give. Two to four seats.
//!
//! The rules are here; what is seen is in `view`, how it is drawn in `draw`.

mod board;
mod draw;
mod view;

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use crate::chance::below;
use crate::course::{malformed, quoted};
use crate::{
    Event, Game, Illegal, Info, Malformed, OptionsError, Outcome, Points, Seat, Seats, Turn,
    Viewer, Whole, chance_by_serde,
};

use board::Board;
pub use board::{LINES, Layout, Squares, VALUES};
pub use view::View;

/// The pieces of each seat, as many as make a line.
const PIECES: u32 = 4;

/// The most seats.
const MOST: usize = 4;

/// So many rolls without an open square, and a piece may be placed anywhere; so many lost turns in
/// a row, and any piece may move.
const PATIENCE: u8 = 3;

/// A match of FLIP 4.
#[derive(Clone, Debug)]
pub struct Flip4 {
    options: Options,
    seats: u8,
    board: Board,
    /// The seat that the draw at the start named.
    start: Option<Seat>,
    /// Whose turn it is.
    mover: Seat,
    /// Which way the turn goes round.
    order: Order,
    /// The last roll of this turn.
    roll: Option<Roll>,
    /// How many rolls this turn has had.
    rolls: u8,
    /// What the seat whose turn it is may do; nothing while the dice are to be rolled.
    task: Option<Task>,
    /// By seat, turns lost in a row.
    lost: [u8; MOST],
    /// How many turns have ended.
    turns: u32,
    previous: Option<Previous>,
    over: Option<Over>,
}

/// The settings of FLIP 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The 21 values in reading order, the corners left out.
    pub layout: Layout,
    /// Whether a piece may come back from a corner to where it began.
    pub corner_return: bool,
    /// Who wins when a flip completes a line of the mover's and one of an opponent's.
    pub double_line: DoubleLine,
    /// After so many turns the match is a draw. A lost turn counts, rolling again does not.
    pub max_turns: Whole<1, 1_000_000>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            layout: Layout::DEFAULT,
            corner_return: true,
            double_line: DoubleLine::Mover,
            max_turns: Whole::new(3000),
        }
    }
}

/// Who wins when a flip completes two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DoubleLine {
    /// The seat that moved.
    Mover,
    /// The seat whose piece was flipped.
    Opponent,
    /// Both get a point.
    Both,
}

/// A number on the board.
pub type Value = u8;

/// What two dice show, in order; 1 to 6 each.
pub type Roll = [u8; 2];

/// Which way the turn goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// From seat 0 to seat 1.
    Ascending,
    /// From seat 1 to seat 0.
    Descending,
}

/// What a seat may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Place a piece on an open square of a result.
    Place,
    /// Place a piece on any open square but a corner.
    PlaceAnywhere,
    /// Move a piece that stands on a result.
    Move,
    /// Move any piece, or pass.
    MoveAny,
}

/// The turn before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Previous {
    /// Whose turn it was.
    seat: Seat,
    /// Its last roll.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = 6))))]
    roll: Roll,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// Points by seat.
    points: Vec<i32>,
    /// By which rule.
    reason: Reason,
}

/// The rules by which a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Four pieces in a line.
    Line,
    /// The most turns were taken: a draw.
    Limit,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::Line => "line",
            Reason::Limit => "limit",
        }
    }
}

/// What chance does: `{"start":2}`, `{"roll":[3,5]}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// The seat that starts.
    Start(Seat),
    /// One roll of both dice.
    Roll(Roll),
}

/// What a seat can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `12` places a piece.
    Place(Value),
    /// `7-16` moves a piece, or flips it with the one that stands there.
    Move(Value, Value),
    /// `15-C-20` moves a piece to its corner and on.
    Corner(Value, Value),
    /// `pass` gives up a move that is allowed and not asked for.
    Pass,
}

impl Action {
    fn write(self, out: &mut String) {
        use std::fmt::Write as _;
        let _ = match self {
            Action::Place(to) => write!(out, "{to}"),
            Action::Move(from, to) => write!(out, "{from}-{to}"),
            Action::Corner(from, to) => write!(out, "{from}-C-{to}"),
            Action::Pass => write!(out, "pass"),
        };
    }

    /// The text with nulls after it, which has the texts' order.
    fn key(self) -> [u8; 8] {
        let mut key = [0; 8];
        let mut at = 0;
        let mut put = |byte| {
            key[at] = byte;
            at += 1;
        };
        let number = |value: Value, put: &mut dyn FnMut(u8)| {
            if value >= 10 {
                put(b'0' + value / 10);
            }
            put(b'0' + value % 10);
        };
        match self {
            Action::Place(to) => number(to, &mut put),
            Action::Move(from, to) => {
                number(from, &mut put);
                put(b'-');
                number(to, &mut put);
            }
            Action::Corner(from, to) => {
                number(from, &mut put);
                b"-C-".iter().for_each(|&byte| put(byte));
                number(to, &mut put);
            }
            Action::Pass => b"pass".iter().for_each(|&byte| put(byte)),
        }
        key
    }
}

/// The order of the texts.
impl Ord for Action {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Action {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What two dice give: sum, difference and product.
fn results([one, other]: Roll) -> [Value; 3] {
    [one + other, one.abs_diff(other), one * other]
}

impl Flip4 {
    /// The squares of a seat's pieces: a bit each, in reading order.
    pub fn pieces(&self, seat: Seat) -> Squares {
        self.board.of(seat)
    }

    /// The numbers by square, in reading order; corners have none.
    pub fn numbers(&self) -> impl Iterator<Item = Option<Value>> + '_ {
        (0..board::SQUARES).map(|square| self.board.value(square))
    }

    /// How many pieces are on the board, of all seats.
    fn placed(&self) -> u32 {
        (0..self.seats)
            .map(|seat| self.board.of(seat).count_ones())
            .sum()
    }

    /// Whether pieces are still being placed.
    fn placing(&self) -> bool {
        self.placed() < PIECES * u32::from(self.seats)
    }

    /// Whether a number is a result of the roll.
    fn is_result(&self, value: Value) -> bool {
        self.roll.is_some_and(|roll| results(roll).contains(&value))
    }

    /// Whether a piece of the seat whose turn it is stands on a result.
    fn has_match(&self) -> bool {
        self.own_values().any(|value| self.is_result(value))
    }

    /// The numbers on which the seat whose turn it is has pieces.
    fn own_values(&self) -> impl Iterator<Item = Value> + '_ {
        self.board.values_of(self.mover)
    }

    /// What a seat may do after this roll; nothing if it rolls again or has lost the turn.
    fn task(&self) -> Option<Task> {
        let roll = self.roll?;
        if self.placing() {
            if results(roll).iter().any(|&value| self.board.is_open(value)) {
                Some(Task::Place)
            } else {
                (self.rolls >= PATIENCE).then_some(Task::PlaceAnywhere)
            }
        } else if self.has_match() {
            Some(Task::Move)
        } else {
            (self.lost[usize::from(self.mover)] >= PATIENCE).then_some(Task::MoveAny)
        }
    }

    fn take_roll(&mut self, roll: Roll) {
        self.roll = Some(roll);
        self.rolls += 1;
        if !self.placing() {
            let matched = self.has_match();
            let lost = &mut self.lost[usize::from(self.mover)];
            *lost = if matched { 0 } else { *lost + 1 };
        }
        self.task = self.task();
        if self.task.is_none() && !self.placing() {
            self.end_turn(false);
        }
    }

    /// Ends the turn: the limit, the order of play, and whose turn comes.
    fn end_turn(&mut self, placed: bool) {
        let roll = self.roll.take().expect("a turn has a roll");
        self.previous = Some(Previous {
            seat: self.mover,
            roll,
        });
        self.rolls = 0;
        self.task = None;
        self.turns += 1;
        if self.over.is_none() && self.turns >= self.options.max_turns.get() {
            self.over = Some(Over {
                points: vec![0; self.seats.into()],
                reason: Reason::Limit,
            });
        }
        if !placed && self.seats > 2 && roll[0] == roll[1] {
            self.order = match self.order {
                Order::Ascending => Order::Descending,
                Order::Descending => Order::Ascending,
            };
        }
        self.mover = match self.order {
            Order::Ascending => (self.mover + 1) % self.seats,
            Order::Descending => (self.mover + self.seats - 1) % self.seats,
        };
    }

    /// Who has won by the lines that stand now, if any do.
    fn judged(&self) -> Option<Over> {
        let lines: Seats = (0..self.seats)
            .filter(|&seat| self.board.has_line(seat))
            .collect();
        let winners = match self.options.double_line {
            _ if lines.len() < 2 => lines,
            DoubleLine::Both => lines,
            DoubleLine::Mover => Seats::one(self.mover),
            DoubleLine::Opponent => lines.without(self.mover),
        };
        (!winners.is_empty()).then(|| Over {
            points: (0..self.seats)
                .map(|seat| i32::from(winners.contains(seat)))
                .collect(),
            reason: Reason::Line,
        })
    }

    /// Where a piece may come down after its corner.
    fn goes_on(&self, from: Value, to: Value) -> bool {
        match self.board.owner(to) {
            _ if from == to => self.options.corner_return,
            Some(owner) => owner != self.mover,
            None => true,
        }
    }

    fn why_not_place(&self, to: Value) -> Option<String> {
        if !self.placing() {
            Some("all pieces are placed: now they move, as in 7-16".into())
        } else if !self.board.is_open(to) {
            Some(format!("{to} is not open"))
        } else if self.task == Some(Task::Place) && !self.is_result(to) {
            Some(format!(
                "{to} is none of the results {}",
                self.results_in_words()
            ))
        } else {
            None
        }
    }

    fn why_not_from(&self, from: Value) -> Option<String> {
        if self.placing() {
            Some("pieces are placed until all are on the board, as in 12".into())
        } else if self.board.owner(from) != Some(self.mover) {
            Some(format!("you have no piece on {from}"))
        } else if self.task == Some(Task::Move) && !self.is_result(from) {
            Some(format!(
                "{from} is none of the results {}",
                self.results_in_words()
            ))
        } else {
            None
        }
    }

    fn why_not_move(&self, from: Value, to: Value) -> Option<String> {
        if !self.board.are_neighbours(from, to) {
            Some(format!("{from} and {to} do not touch"))
        } else if self.board.owner(to) == Some(self.mover) {
            Some(format!("your own piece is on {to}"))
        } else {
            None
        }
    }

    fn why_not_corner(&self, from: Value, to: Value) -> Option<String> {
        if !self.board.touches_corner(from) {
            Some(format!("{from} touches no corner"))
        } else if !self.goes_on(from, to) {
            Some(match from == to {
                true => "a piece may not come back from a corner to where it began".into(),
                false => format!("your own piece is on {to}"),
            })
        } else {
            None
        }
    }

    fn results_in_words(&self) -> String {
        let mut results = results(self.roll.unwrap_or([1, 1])).to_vec();
        results.sort_unstable();
        results.dedup();
        let words: Vec<String> = results.iter().map(Value::to_string).collect();
        words.join(", ")
    }

    fn refusal(&self, seat: Seat, action: Action) -> Option<String> {
        if self.over.is_some() {
            return Some("the match is over".into());
        }
        if self.task.is_none() || seat != self.mover {
            return Some(format!("it is not seat {seat}'s turn"));
        }
        match action {
            Action::Place(to) => self.why_not_place(to),
            Action::Move(from, to) => self
                .why_not_from(from)
                .or_else(|| self.why_not_move(from, to)),
            Action::Corner(from, to) => self
                .why_not_from(from)
                .or_else(|| self.why_not_corner(from, to)),
            Action::Pass => (self.task != Some(Task::MoveAny))
                .then(|| "you may pass only after three lost turns in a row".into()),
        }
    }

    fn list_places(&self, actions: &mut Vec<Action>) {
        let open = VALUES.iter().copied().filter(|&to| self.board.is_open(to));
        let any = self.task == Some(Task::PlaceAnywhere);
        actions.extend(
            open.filter(|&to| any || self.is_result(to))
                .map(Action::Place),
        );
    }

    fn list_moves(&self, actions: &mut Vec<Action>) {
        let any = self.task == Some(Task::MoveAny);
        for from in self
            .own_values()
            .filter(|&from| any || self.is_result(from))
        {
            let near = self.board.neighbours(from);
            let free = |to: &Value| self.board.owner(*to) != Some(self.mover);
            actions.extend(near.filter(free).map(|to| Action::Move(from, to)));
            if self.board.touches_corner(from) {
                let on = VALUES.iter().filter(|&&to| self.goes_on(from, to));
                actions.extend(on.map(|&to| Action::Corner(from, to)));
            }
        }
        if any {
            actions.push(Action::Pass);
        }
    }
}

impl Game for Flip4 {
    type Options = Options;
    type Action = Action;
    type Chance = Draw;
    type View = View;

    const INFO: Info = Info {
        id: "flip4",
        title: "FLIP 4",
        summary: "Four in a row on the numbers that two dice give, by moving and by flipping with others",
        seats: &[2, 3, 4],
        chance: true,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str =
        "(?:[0-9]|1[0-2568]|2[045]|3[06])(?:(?:-C)?-(?:[0-9]|1[0-2568]|2[045]|3[06]))?|pass";

    fn new(options: &Options, seats: u8) -> Result<Self, OptionsError> {
        Ok(Flip4 {
            board: Board::new(&options.layout),
            options: options.clone(),
            seats,
            start: None,
            mover: 0,
            order: Order::Ascending,
            roll: None,
            rolls: 0,
            task: None,
            lost: [0; MOST],
            turns: 0,
            previous: None,
            over: None,
        })
    }

    fn presets() -> Vec<(&'static str, Options)> {
        let reversed = Layout::reversed();
        vec![
            (
                "opponent-wins-doubles",
                Options {
                    double_line: DoubleLine::Opponent,
                    corner_return: false,
                    max_turns: Whole::new(60),
                    ..Options::default()
                },
            ),
            (
                "both-win-doubles",
                Options {
                    double_line: DoubleLine::Both,
                    layout: reversed,
                    max_turns: Whole::new(100),
                    ..Options::default()
                },
            ),
            (
                "short",
                Options {
                    max_turns: Whole::new(5),
                    ..Options::default()
                },
            ),
        ]
    }

    fn brief() -> Options {
        Options {
            max_turns: Whole::new(60),
            ..Options::default()
        }
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn turn(&self) -> Turn {
        match &self.over {
            Some(Over { points, reason }) => {
                let mut outcome = Points::zero(self.seats);
                for (seat, &points) in points.iter().enumerate() {
                    outcome.set(seat as Seat, points);
                }
                Turn::Over(Outcome {
                    points: outcome,
                    reason: reason.name(),
                })
            }
            None if self.task.is_some() => Turn::Seats(Seats::one(self.mover)),
            None => Turn::Chance,
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.clear();
        if self.over.is_some() || seat != self.mover {
            return;
        }
        match self.task {
            None => return,
            Some(Task::Place | Task::PlaceAnywhere) => self.list_places(actions),
            Some(Task::Move | Task::MoveAny) => self.list_moves(actions),
        }
        actions.sort_unstable();
    }

    fn read_action(&self, text: &str) -> Result<Action, Malformed> {
        if text == "pass" {
            return Ok(Action::Pass);
        }
        let mut words = text.split('-');
        let parts = [words.next(), words.next(), words.next(), words.next()];
        let value = |word: &str| {
            let value = VALUES.into_iter().find(|value| value.to_string() == word);
            value.ok_or_else(|| {
                malformed(format!(
                    "{} is no number of the board in {}",
                    quoted(word),
                    quoted(text)
                ))
            })
        };
        match parts {
            [Some(to), None, ..] => Ok(Action::Place(value(to)?)),
            [Some(from), Some(to), None, _] => Ok(Action::Move(value(from)?, value(to)?)),
            [Some(from), Some("C"), Some(to), None] => Ok(Action::Corner(value(from)?, value(to)?)),
            _ => Err(malformed(format!(
                "{} is not like 12, 7-16, 15-C-20 or pass",
                quoted(text)
            ))),
        }
    }

    fn write_action(&self, action: Action, out: &mut String) {
        action.write(out);
    }

    fn check(&self, seat: Seat, action: Action) -> Result<(), Illegal> {
        match self.refusal(seat, action) {
            None => Ok(()),
            Some(why) => Err(Illegal(why)),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let action = match event {
            Event::Chance(&Draw::Start(seat)) => {
                self.start = Some(seat);
                self.mover = seat;
                return;
            }
            Event::Chance(&Draw::Roll(roll)) => return self.take_roll(roll),
            Event::Acts(acts) => acts[0].1,
        };
        match action {
            Action::Place(to) => self.board.place(self.mover, to),
            Action::Move(from, to) | Action::Corner(from, to) => self.board.flip(from, to),
            Action::Pass => {}
        }
        let placed = matches!(action, Action::Place(_));
        self.lost[usize::from(self.mover)] = 0;
        self.over = self.judged();
        self.end_turn(placed);
    }

    fn draw(&self, rng: &mut dyn Rng) -> Draw {
        match self.start {
            None => Draw::Start(below(rng, self.seats.into()) as Seat),
            Some(_) => Draw::Roll([(); 2].map(|()| 1 + below(rng, 6) as u8)),
        }
    }

    fn check_chance(&self, draw: &Draw) -> Result<(), Illegal> {
        let illegal = |why: &str| Err(Illegal(why.into()));
        if self.turn() != Turn::Chance {
            return illegal("the table does not wait for chance");
        }
        match (self.start, *draw) {
            (None, Draw::Start(seat)) if seat < self.seats => Ok(()),
            (None, Draw::Start(_)) => illegal("there is no such seat"),
            (None, Draw::Roll(_)) => illegal("the starting seat is to be drawn first"),
            (Some(_), Draw::Roll(roll)) if roll.iter().all(|die| (1..=6).contains(die)) => Ok(()),
            (Some(_), Draw::Roll(_)) => illegal("a die shows 1 to 6"),
            (Some(_), Draw::Start(_)) => illegal("the starting seat has been drawn"),
        }
    }

    chance_by_serde!();

    fn view(&self, _: Viewer) -> View {
        View::of(self)
    }

    fn from_view(
        options: &Options,
        seats: u8,
        _: Viewer,
        view: &View,
        _: &mut dyn Rng,
    ) -> Result<Self, Malformed> {
        view.state(options, seats)
    }

    fn text(view: &View) -> String {
        draw::text(view)
    }

    fn svg(view: &View) -> String {
        draw::svg(view)
    }
}
