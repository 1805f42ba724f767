//! FLIP 4 (MindWare, 2003): the sum, the difference and the product of two dice name the squares
//! where a seat may place a piece, and later the pieces that it may move. Four in a line win.

mod action;
mod dice;
mod observation;
pub(crate) mod state;
mod svg;
mod text;
mod view;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub use self::action::Flip4Action;
use self::dice::{CORNERS, HIGHEST, SIDE};
pub use self::dice::{Layout, Number, Roll};
pub use self::state::{
    Direction, DoubleLine, Flip4, Flip4Options, Flip4Reason, LINES, Last, Phase,
};
use self::state::{Flip4End, Flip4Pieces, LOST_TURNS, MAX_ROLLS, MAX_SEATS, PIECES};
pub use self::view::{Flip4Over, Flip4View};
use crate::board::{Square, Squares};
use crate::game::{Event, Game, Illegal, Info, ParseError, SeatLook};
use crate::observation::ObservationForm;
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Outcome, Seat, SeatTurn, Seats, Viewer};
use crate::{chance, chance_by_serde, paint};

/// An outcome of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flip4Sample {
    /// This seat begins: `{"start":2}`.
    Start(Seat),
    /// Both dice are rolled: `{"roll":[3,5]}`.
    Roll(Roll),
}

impl Flip4 {
    /// Returns the squares of a seat's pieces.
    pub fn pieces(&self, seat: Seat) -> Squares<SIDE> {
        self.pieces.0[usize::from(seat)]
    }

    /// Returns the number on a square. Corners have none.
    pub fn number(&self, square: Square<SIDE>) -> Option<u8> {
        let on = Squares::NONE.with(square);
        self.options.layout.numbers(on).next().map(Number::get)
    }

    /// Returns the number of pieces that a seat has yet to place.
    fn hand(&self, seat: Seat) -> u8 {
        PIECES - self.pieces.of(seat).len() as u8
    }

    /// Returns the number of turns in which pieces are placed.
    fn placing_turns(&self) -> u32 {
        u32::from(PIECES) * u32::from(self.seats)
    }

    fn is_placing(&self) -> bool {
        self.turns < self.placing_turns()
    }

    fn roll(&self) -> Option<Roll> {
        self.rolls.iter().rev().flatten().next().copied()
    }

    fn phase(&self) -> Phase {
        if self.end.is_some() {
            return Phase::Over;
        }
        if self.start.is_none() {
            return Phase::Start;
        }
        match self.roll() {
            None => Phase::Roll,
            Some(roll) if self.is_placing() => {
                if !self.open_results(roll).is_empty() {
                    Phase::Place
                } else if self.rolls.iter().all(Option::is_some) {
                    Phase::PlaceAnywhere
                } else {
                    Phase::Roll
                }
            }
            Some(roll) if self.matched(roll).is_empty() => Phase::FreeMove,
            Some(_) => Phase::Move,
        }
    }

    fn open_results(&self, roll: Roll) -> Squares<SIDE> {
        self.options.layout.squares(roll) & self.pieces.open()
    }

    /// Returns the pieces of the seat to move that are on a result.
    fn matched(&self, roll: Roll) -> Squares<SIDE> {
        self.options.layout.squares(roll) & self.pieces.of(self.to_move)
    }

    /// Returns where the seat to move can place a piece in this phase.
    fn places(&self, phase: Phase) -> Squares<SIDE> {
        match (phase, self.roll()) {
            (Phase::Place, Some(roll)) => self.open_results(roll),
            (Phase::PlaceAnywhere, _) => self.pieces.open(),
            _ => Squares::NONE,
        }
    }

    /// Returns the pieces that the seat to move can move in this phase.
    fn movable(&self, phase: Phase) -> Squares<SIDE> {
        match (phase, self.roll()) {
            (Phase::Move, Some(roll)) => self.matched(roll),
            (Phase::FreeMove, _) => self.pieces.of(self.to_move),
            _ => Squares::NONE,
        }
    }

    /// Returns where a piece of the seat to move can go by one step.
    fn steps(&self, from: Square<SIDE>) -> Squares<SIDE> {
        Squares::around(from) & self.not_own()
    }

    /// Returns where a piece of the seat to move can go by way of a corner.
    fn beyond_the_corner(&self, from: Square<SIDE>) -> Squares<SIDE> {
        if !touches_a_corner(from) {
            Squares::NONE
        } else if self.options.corner_return {
            self.not_own().with(from)
        } else {
            self.not_own()
        }
    }

    /// Returns the squares with a number on which the seat to move has no piece.
    fn not_own(&self) -> Squares<SIDE> {
        !(self.pieces.of(self.to_move) | CORNERS)
    }

    /// Returns why the seat to move may not take an action, if so.
    fn refusal(&self, action: Flip4Action) -> Option<String> {
        let phase = self.phase();
        match (phase, action) {
            (Phase::Place | Phase::PlaceAnywhere, Flip4Action::Place(to)) => self.no_place(to),
            (Phase::Place | Phase::PlaceAnywhere, _) => {
                Some("pieces are placed first, as in 12; they move when all are placed".into())
            }
            (_, Flip4Action::Place(_)) => {
                Some("all pieces are placed; move one of them, as in 7-16".into())
            }
            (Phase::FreeMove, Flip4Action::Pass) => None,
            (_, Flip4Action::Pass) => Some("you have a match, so you must move".into()),
            (_, Flip4Action::Move(from, to)) => {
                self.immovable(from).or_else(|| self.no_step(from, to))
            }
            (_, Flip4Action::Corner(from, to)) => {
                self.immovable(from).or_else(|| self.no_corner(from, to))
            }
        }
    }

    fn no_place(&self, to: Number) -> Option<String> {
        let square = self.options.layout.square(to);
        if !self.pieces.open().has(square) {
            Some(format!("there is a piece on {to}"))
        } else if !self.places(self.phase()).has(square) {
            Some(format!("{to} is no result of the dice"))
        } else {
            None
        }
    }

    fn immovable(&self, from: Number) -> Option<String> {
        let square = self.options.layout.square(from);
        if !self.pieces.of(self.to_move).has(square) {
            Some(format!("you have no piece on {from}"))
        } else if !self.movable(self.phase()).has(square) {
            Some(format!("{from} is no result of the dice"))
        } else {
            None
        }
    }

    fn no_step(&self, from: Number, to: Number) -> Option<String> {
        let [start, target] = [from, to].map(|number| self.options.layout.square(number));
        if self.steps(start).has(target) {
            None
        } else if Squares::around(start).has(target) {
            Some(format!("your own piece is on {to}"))
        } else {
            Some(format!("{to} is not next to {from}"))
        }
    }

    fn no_corner(&self, from: Number, to: Number) -> Option<String> {
        let [start, target] = [from, to].map(|number| self.options.layout.square(number));
        if self.beyond_the_corner(start).has(target) {
            None
        } else if !touches_a_corner(start) {
            Some(format!("{from} is not next to a corner"))
        } else if start == target {
            Some("a piece may not go back to where it began (option corner_return)".into())
        } else {
            Some(format!("your own piece is on {to}"))
        }
    }

    fn rolled(&mut self, roll: Roll) {
        if let Some(next) = self.rolls.iter_mut().find(|next| next.is_none()) {
            *next = Some(roll);
        }
        if self.is_placing() {
            return;
        }
        let lost = &mut self.lost[usize::from(self.to_move)];
        match self.options.layout.squares(roll) & self.pieces.of(self.to_move) {
            Squares::NONE => *lost += 1,
            _ => *lost = 0,
        }
        if (1..LOST_TURNS).contains(lost) {
            self.end_turn(roll, None);
        }
    }

    fn done(&mut self, action: Flip4Action) {
        let seat = self.to_move;
        let roll = self.roll().expect("the dice are rolled before a seat acts");
        let square = |number| self.options.layout.square(number);
        match action {
            Flip4Action::Place(to) => self.pieces.toggle(seat, square(to)),
            Flip4Action::Move(from, to) | Flip4Action::Corner(from, to) => {
                self.pieces.exchange(seat, square(from), square(to));
            }
            Flip4Action::Pass => {}
        }
        self.lost[usize::from(seat)] = 0;
        self.end_turn(roll, Some(action));
    }

    fn end_turn(&mut self, roll: Roll, action: Option<Flip4Action>) {
        let seat = self.to_move;
        if self.reverses(roll) {
            self.direction = self.direction.reversed();
        }
        self.turns += 1;
        self.last = Some(Last { seat, roll, action });
        self.rolls = [None; MAX_ROLLS];
        self.to_move = self.direction.after(seat, self.seats);
        self.end = self.judged(seat);
    }

    /// Returns whether a turn with this roll reverses the order of play at its end.
    fn reverses(&self, roll: Roll) -> bool {
        roll.is_double() && !self.is_placing() && self.seats > 2
    }

    /// Judges the match after the turn of a seat.
    fn judged(&self, mover: Seat) -> Option<Flip4End> {
        let lines = self.pieces.in_line();
        let winners = if lines.len() < 2 {
            lines
        } else {
            match self.options.double_line {
                DoubleLine::Mover => Seats::one(mover),
                DoubleLine::Opponent => lines.without(mover),
                DoubleLine::Both => lines,
            }
        };
        let reason = match winners {
            Seats::NONE if self.turns < self.options.max_turns.get() => return None,
            Seats::NONE => Flip4Reason::Limit,
            _ => Flip4Reason::Line,
        };
        Some(Flip4End { winners, reason })
    }

    fn outcome(&self, end: Flip4End) -> Outcome {
        let points = (0..self.seats).map(|seat| i32::from(end.winners.contains(seat)));
        Outcome {
            points: points.collect(),
            reason: end.reason.name(),
        }
    }
}

fn touches_a_corner(square: Square<SIDE>) -> bool {
    !(Squares::around(square) & CORNERS).is_empty()
}

impl Game for Flip4 {
    type Options = Flip4Options;
    type Action = Flip4Action;
    type Chance = Flip4Sample;
    type View = Flip4View;

    const INFO: Info = Info {
        id: "flip4",
        title: "FLIP 4",
        summary: "Dice say which squares you may use; flip your way to four in a line",
        seats: &[2, 3, 4],
        chance: true,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = action::NOTATION;

    fn new(options: &Flip4Options, seats: u8) -> Result<Self, OptionsError> {
        Ok(Flip4 {
            options: options.clone(),
            seats,
            pieces: Flip4Pieces::default(),
            start: None,
            direction: Direction::Ascending,
            to_move: 0,
            rolls: [None; MAX_ROLLS],
            lost: [0; MAX_SEATS],
            turns: 0,
            last: None,
            end: None,
        })
    }

    fn brief() -> Flip4Options {
        Flip4Options {
            max_turns: BoundedInt::new(60),
            ..Flip4Options::default()
        }
    }

    fn presets() -> Vec<(&'static str, Flip4Options)> {
        #[rustfmt::skip]
        let in_order = Layout::new([
               0,  1,  2,
            3,  4,  5,  6,  7,
            8,  9, 10, 11, 12,
           15, 16, 18, 20, 24,
              25, 30, 36,
        ]);
        let in_order = Flip4Options {
            layout: in_order.expect("all numbers are there"),
            corner_return: false,
            double_line: DoubleLine::Opponent,
            max_turns: BoundedInt::new(400),
        };
        let both_win = Flip4Options {
            double_line: DoubleLine::Both,
            max_turns: BoundedInt::new(150),
            ..Flip4Options::default()
        };
        let short = Flip4Options {
            max_turns: BoundedInt::new(14),
            ..Flip4Options::default()
        };
        vec![
            ("in-order", in_order),
            ("both-win", both_win),
            ("short", short),
        ]
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn turn(&self) -> SeatTurn {
        match (self.end, self.phase()) {
            (Some(end), _) => SeatTurn::Over(self.outcome(end)),
            (None, Phase::Start | Phase::Roll) => SeatTurn::Chance,
            _ => SeatTurn::Seats(Seats::one(self.to_move)),
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Flip4Action>) {
        actions.clear();
        if seat != self.to_move {
            return;
        }
        let (phase, layout) = (self.phase(), &self.options.layout);
        let places = layout.numbers(self.places(phase));
        actions.extend(places.map(Flip4Action::Place));
        for from in layout.numbers(self.movable(phase)) {
            let square = layout.square(from);
            let steps = layout.numbers(self.steps(square));
            actions.extend(steps.map(|to| Flip4Action::Move(from, to)));
            let beyond = layout.numbers(self.beyond_the_corner(square));
            actions.extend(beyond.map(|to| Flip4Action::Corner(from, to)));
        }
        if phase == Phase::FreeMove {
            actions.push(Flip4Action::Pass);
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        if seat != self.to_move {
            return 0;
        }
        let phase = self.phase();
        let moves = |from| self.steps(from).len() + self.beyond_the_corner(from).len();
        self.places(phase).len()
            + self.movable(phase).map(moves).sum::<usize>()
            + usize::from(phase == Phase::FreeMove)
    }

    fn read_action(&self, text: &str) -> Result<Flip4Action, ParseError> {
        text.parse()
    }

    fn write_action(&self, action: Flip4Action, out: &mut String) {
        action.write(out);
    }

    fn action_in_words(&self, action: Flip4Action) -> String {
        match action {
            Flip4Action::Place(to) => format!("places a piece on {to}"),
            Flip4Action::Move(from, to) => format!("moves {from} to {to}"),
            Flip4Action::Corner(from, to) => format!("moves {from} through the corner to {to}"),
            Flip4Action::Pass => "passes".into(),
        }
    }

    fn path(&self, _: Seat, action: Flip4Action) -> ActionPath {
        match action {
            Flip4Action::Place(to) => ActionPath::on([to]),
            Flip4Action::Move(from, to) => ActionPath::on([from, to]),
            Flip4Action::Corner(from, to) => {
                let corner = Squares::around(self.options.layout.square(from)) & CORNERS;
                let corner = corner.map(|corner| corner.to_string());
                let on_the_way = corner.chain([to.to_string()]);
                ActionPath::on(std::iter::once(from.to_string()).chain(on_the_way))
            }
            Flip4Action::Pass => ActionPath::beside("pass"),
        }
    }

    fn chance_in_words(&self, event: &Flip4Sample) -> String {
        match event {
            Flip4Sample::Start(seat) => format!("seat {seat} begins"),
            Flip4Sample::Roll(roll) => format!("the dice show {}", text::results(*roll)),
        }
    }

    fn check(&self, seat: Seat, action: Flip4Action) -> Result<(), Illegal> {
        let why = match self.phase() {
            Phase::Over => Some("the match is over".into()),
            Phase::Start | Phase::Roll => Some("it is chance's turn".into()),
            _ if seat != self.to_move => Some(format!("it is not seat {seat}'s turn")),
            _ => self.refusal(action),
        };
        Illegal::because(why)
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Chance(&Flip4Sample::Start(seat)) => {
                self.start = Some(seat);
                self.to_move = seat;
            }
            Event::Chance(&Flip4Sample::Roll(roll)) => self.rolled(roll),
            Event::Acts(acts) => self.done(acts[0].1),
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Flip4Sample {
        if self.start.is_none() {
            return Flip4Sample::Start(chance::below(rng, self.seats.into()) as Seat);
        }
        let mut die = || 1 + chance::below(rng, HIGHEST.into()) as u8;
        Flip4Sample::Roll(Roll::new([die(), die()]).expect("dice show 1 to 6"))
    }

    fn check_chance(&self, sample: &Flip4Sample) -> Result<(), Illegal> {
        let why = match (self.phase(), sample) {
            (Phase::Start, &Flip4Sample::Start(seat)) if seat < self.seats => return Ok(()),
            (Phase::Start, &Flip4Sample::Start(seat)) => {
                format!("there are {} seats, from 0, and no seat {seat}", self.seats)
            }
            (Phase::Start, Flip4Sample::Roll(_)) => "who begins is drawn first".into(),
            (Phase::Roll, Flip4Sample::Roll(_)) => return Ok(()),
            (Phase::Roll, Flip4Sample::Start(_)) => "the match has begun".into(),
            _ => "it is not chance's turn".into(),
        };
        Err(Illegal(why))
    }

    chance_by_serde!();

    fn view(&self, _: Viewer) -> Flip4View {
        let running = self.end.is_none() && self.start.is_some();
        let seats = 0..usize::from(self.seats);
        Flip4View {
            layout: self.options.layout.rows(),
            board: view::board(&self.pieces),
            part: if self.is_placing() { 1 } else { 2 },
            phase: self.phase(),
            start: self.start,
            direction: self.direction,
            to_move: running.then_some(self.to_move),
            rolls: self.rolls.iter().flatten().copied().collect(),
            hands: (0..self.seats).map(|seat| self.hand(seat)).collect(),
            lost_turns: self.lost[seats].to_vec(),
            turns: self.turns,
            last: self.last,
            over: self.end.map(|end| Flip4Over {
                points: self.outcome(end).points.to_vec(),
                reason: end.reason,
            }),
        }
    }

    fn observation_form() -> Option<ObservationForm> {
        Some(observation::form())
    }

    fn write_observation(&self, seat: Seat, out: &mut Vec<u8>) {
        observation::write(self, seat, out);
    }

    fn from_view(
        options: &Flip4Options,
        seats: u8,
        viewer: Viewer,
        view: &Flip4View,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        view::resume(Flip4::new(options, seats)?, viewer, view)
    }

    fn text(view: &Flip4View) -> String {
        text::text(view)
    }

    fn look(seat: Seat) -> Option<SeatLook> {
        paint::look(seat)
    }

    fn svg(view: &Flip4View) -> String {
        svg::svg(view)
    }
}
