//! Game 3, in turns: the side with more tokens controls a cell, and marked tokens have powers.

pub mod view;

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::facts::Launches;
use super::model::{Aiming, Scatter};
use super::scene::{landing_in_words, name};
use super::svg;
use super::text;
use super::trays::{
    Cell, Control, Kind, Place, SIDES, Side, Size, Spot, TOKENS, Token, Trays, other, side_of,
};
use super::view::{LineView, Reason, Rim, Scored, next_holder, outcome};
use crate::game::{illegal, malformed, quoted};
use crate::{
    Decimal, Event, Game, Illegal, Info, Malformed, OptionsError, Seat, Seats, Turn, Viewer, Whole,
    chance, chance_by_serde,
};

use view::View;

/// A match of game 3.
#[derive(Clone, Debug)]
pub struct ExtraPro {
    seats: u8,
    rim: Rim,
    powers_each: u8,
    /// Whether a line ends the round before the power of the token that completes it acts.
    lines_first: bool,
    max_rounds: u32,
    pub(super) scatter: Scatter,
    /// The round, from 1.
    round: u32,
    /// The side that launches first in this round, once it is sampled.
    first: Option<Side>,
    pub(super) score: [u8; 2],
    pub(super) trays: Trays,
    /// The tokens in hand, by kind.
    hands: [[u8; 5]; 2],
    /// The seats that hold the launchers.
    holders: [Seat; 2],
    landed: Option<Landing>,
    scored: Option<Scored>,
    phase: Phase,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Chance samples the side that starts.
    Starter,
    /// A side launches a token: its turn begins.
    Launch(Side),
    /// A side launches one more token, for a double.
    Double(Side),
    /// Chance samples where a token lands.
    Landing(Side, Kind, Spot),
    /// A side chooses whether to empty the row or the column of this cell.
    Line(Side, Spot),
    /// A side chooses which neighbour of this cell to empty.
    Cell(Side, Spot),
    /// The match has ended. Without a side it is a draw.
    Over(Option<Side>),
}

/// The settings of game 3.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The rules of the game.
    pub rules: Rules,
    /// The launch model, which stands for the hands of the players.
    pub model: Aiming,
}

/// The rules of game 3 that may differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// How many cells a tray has on a side.
    pub size: Size,
    /// What becomes of a token that comes down on a tray but in no cell.
    pub rim: Rim,
    /// How many tokens of each of the four power kinds a side has; the rest of its 21 are basic.
    pub powers_each: Whole<0, 5>,
    /// Whether lines are looked for before a power token acts, and again after it. Otherwise the power acts
    /// first, so that a bomb or a line token never completes a line.
    pub lines_first: bool,
    /// After so many rounds without a winner the match is a draw.
    pub max_rounds: Whole<1, 1_000_000>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            size: Size::new(5),
            rim: Rim::Remove,
            powers_each: Whole::new(2),
            lines_first: false,
            max_rounds: Whole::new(50),
        }
    }
}

/// An action of a seat. Actions are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `clear b3` empties a neighbouring cell.
    Clear(Cell),
    /// `column` empties the landing cell's column.
    Column,
    /// `launch top c3 bomb` launches a token of a kind at a cell.
    Launch(Spot, Kind),
    /// `row` empties the landing cell's row.
    Row,
}

/// An outcome of chance, which a record stores as `{"starter":1}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// The side that starts.
    Starter(Side),
    /// Where the launched token lands. It is always one.
    Landings([Landing; 1]),
}

/// A token comes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Landing {
    /// The side that launched it.
    pub side: Side,
    /// Its kind.
    pub kind: Kind,
    /// Where it came down: `top c3`, `top rim` or `miss`.
    pub place: Place,
}

impl ExtraPro {
    /// Returns the tokens of a side at the start of a round, by kind.
    fn full_hand(&self) -> [u8; 5] {
        let powers = Kind::ALL.len() as u8 - 1;
        let mut hand = [self.powers_each; 5];
        hand[Kind::Basic as usize] = TOKENS - powers * self.powers_each;
        hand
    }

    fn has_tokens(&self, side: Side) -> bool {
        let mut hand = self.hands[usize::from(side)].into_iter();
        hand.any(|tokens| tokens > 0)
    }

    /// Returns the side whose turn it is, if chance is not asked.
    fn mover(&self) -> Option<Side> {
        match self.phase {
            Phase::Launch(side)
            | Phase::Double(side)
            | Phase::Line(side, _)
            | Phase::Cell(side, _) => Some(side),
            Phase::Starter | Phase::Landing(..) | Phase::Over(_) => None,
        }
    }

    /// Returns the seat whose turn it is.
    fn asked(&self) -> Option<Seat> {
        self.mover().map(|side| self.holders[usize::from(side)])
    }

    /// Returns the tokens of a side that are out for the round, by kind, or nothing if the side has
    /// too many tokens.
    fn out(&self, side: Side) -> Option<[u8; 5]> {
        let mut out = self.full_hand();
        let mut take = |kind: Kind, tokens: u8| {
            let left = &mut out[kind as usize];
            *left = left.checked_sub(tokens)?;
            Some(())
        };
        for kind in Kind::ALL {
            take(kind, self.hands[usize::from(side)][kind as usize])?;
        }
        let mut lying = self.trays.tokens().filter(|token| token.side == side);
        lying.try_for_each(|token| take(token.kind, 1))?;
        if let Phase::Landing(of, kind, _) = self.phase {
            if of == side {
                take(kind, 1)?;
            }
        }
        Some(out)
    }

    fn land(&mut self, landing: Landing) {
        let Landing { side, kind, place } = landing;
        self.landed = Some(landing);
        let token = Token { side, kind };
        match place {
            Place::In(spot) => {
                self.trays.put(spot, token);
                self.use_power(side, kind, spot);
            }
            Place::Rim(tray) => {
                if self.rim == Rim::Leave {
                    self.trays.put_on_rim(tray, token);
                }
                self.end_turn(side);
            }
            Place::Miss => self.end_turn(side),
        }
    }

    /// Uses the power of a token that landed in a cell. With an option, a line ends the round first.
    fn use_power(&mut self, side: Side, kind: Kind, spot: Spot) {
        if self.lines_first && self.score(side) {
            return;
        }
        match kind {
            Kind::Basic => self.settle(side),
            Kind::Bomb => {
                self.trays
                    .clear(spot.tray, |cell| cell.is_next_to(spot.cell));
                self.settle(side);
            }
            Kind::Double => match (self.score(side), self.has_tokens(side)) {
                (true, _) => {}
                (false, true) => self.phase = Phase::Double(side),
                (false, false) => self.end_turn(side),
            },
            Kind::Line => self.phase = Phase::Line(side, spot),
            Kind::Cell => self.phase = Phase::Cell(side, spot),
        }
    }

    /// Ends the round if there is a line, and the turn otherwise.
    fn settle(&mut self, side: Side) {
        if !self.score(side) {
            self.end_turn(side);
        }
    }

    /// Scores a line of the side that launched and ends the round. Returns whether there is one.
    fn score(&mut self, side: Side) -> bool {
        let lines = self.trays.lines(side, Control::Most);
        let Some(&line) = lines.first() else {
            return false;
        };
        let score = &mut self.score[usize::from(side)];
        *score += Self::worth(line.tray);
        let has_won = *score >= Self::TARGET;
        self.scored = Some(Scored {
            round: self.round,
            side,
            line: LineView::of(line),
        });
        self.hand_over(side);
        if has_won {
            self.phase = Phase::Over(Some(side));
        } else {
            self.end_round();
        }
        true
    }

    fn hand_over(&mut self, side: Side) {
        let holder = &mut self.holders[usize::from(side)];
        *holder = next_holder(*holder, self.seats);
    }

    /// Gives the turn to the other side, or to this one if the other has no tokens.
    fn end_turn(&mut self, side: Side) {
        self.hand_over(side);
        let mut next = [other(side), side].into_iter();
        match next.find(|&next| self.has_tokens(next)) {
            Some(next) => self.phase = Phase::Launch(next),
            None => self.end_round(),
        }
    }

    /// Starts a new round, which the other side begins, or ends the match.
    fn end_round(&mut self) {
        if self.round >= self.max_rounds {
            self.phase = Phase::Over(None);
            return;
        }
        self.round += 1;
        self.trays.wipe();
        self.hands = [self.full_hand(); 2];
        self.landed = None;
        let first = other(self.first.expect("a round was started"));
        self.first = Some(first);
        self.phase = Phase::Launch(first);
    }
}

impl Game for ExtraPro {
    type Options = Options;
    type Action = Action;
    type Chance = Sample;
    type View = View;

    const INFO: Info = Info {
        id: "puissance4-extra-pro",
        title: "Puissance 4 Flip, extra pro",
        summary: "Flick tokens with powers at two trays, in turns; first to three points",
        seats: &[2, 4, 6],
        chance: true,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = "clear [a-f][1-6]|column|\
        launch (bottom|top) [a-f][1-6] (basic|bomb|cell|double|line)|row";

    fn new(options: &Options, seats: u8) -> Result<Self, OptionsError> {
        let Options { rules, model } = options;
        let mut match_ = ExtraPro {
            seats,
            rim: rules.rim,
            powers_each: rules.powers_each.get() as u8,
            lines_first: rules.lines_first,
            max_rounds: rules.max_rounds.get(),
            scatter: model.scatter(),
            round: 1,
            first: None,
            score: [0; 2],
            trays: Trays::empty(rules.size.get() as u8),
            hands: [[0; 5]; 2],
            holders: SIDES,
            landed: None,
            scored: None,
            phase: Phase::Starter,
        };
        match_.hands = [match_.full_hand(); 2];
        Ok(match_)
    }

    fn presets() -> Vec<(&'static str, Options)> {
        let rules = |size, rim, powers, rounds, lines_first| Rules {
            size: Whole::new(size),
            rim,
            powers_each: Whole::new(powers),
            lines_first,
            max_rounds: Whole::new(rounds),
        };
        let sure = Aiming {
            fumble_bottom: Decimal::new(0.0),
            fumble_top: Decimal::new(0.0),
            across: Decimal::new(0.0),
            along: Decimal::new(0.2),
            ..Aiming::default()
        };
        let clumsy = Aiming {
            fall: Decimal::new(1.0),
            wall: Decimal::new(0.5),
            ..Aiming::default()
        };
        let preset = |name, rules, model| (name, Options { rules, model });
        vec![
            preset("all-powers", rules(4, Rim::Remove, 5, 2, false), sure),
            preset("no-powers", rules(4, Rim::Leave, 0, 1, false), clumsy),
            preset("lines-first", rules(4, Rim::Leave, 5, 2, true), sure),
            preset(
                "large",
                rules(6, Rim::Leave, 1, 1, false),
                Aiming::default(),
            ),
        ]
    }

    fn brief() -> Options {
        let mut options = Options::default();
        options.rules.max_rounds = Whole::new(1);
        options
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn side(&self, seat: Seat) -> u8 {
        side_of(seat)
    }

    fn turn(&self) -> Turn {
        match (self.phase, self.asked()) {
            (Phase::Over(winner), _) => Turn::Over(outcome(self.seats, winner, Reason::Points)),
            (_, Some(seat)) => Turn::Seats(Seats::one(seat)),
            (_, None) => Turn::Chance,
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.clear();
        if self.asked() != Some(seat) {
            return;
        }
        match self.phase {
            Phase::Launch(side) | Phase::Double(side) => {
                let hand = &self.hands[usize::from(side)];
                for aim in Spot::all(self.trays.size) {
                    let kinds = Kind::ALL.iter().filter(|&&kind| hand[kind as usize] > 0);
                    actions.extend(kinds.map(|&kind| Action::Launch(aim, kind)));
                }
            }
            Phase::Line(..) => actions.extend([Action::Column, Action::Row]),
            Phase::Cell(_, at) => {
                let cells = Cell::all(self.trays.size).filter(|cell| cell.is_next_to(at.cell));
                actions.extend(cells.map(Action::Clear));
            }
            Phase::Starter | Phase::Landing(..) | Phase::Over(_) => {}
        }
    }

    fn read_action(&self, text: &str) -> Result<Action, Malformed> {
        let bad = || {
            malformed!(
                "{} is not like launch top c3 basic, row, column or clear c3, with cells of this \
                 tray",
                quoted(text)
            )
        };
        let on_tray = |cell: Cell| {
            if cell.is_on(self.trays.size) {
                Ok(cell)
            } else {
                Err(bad())
            }
        };
        match text {
            "row" => return Ok(Action::Row),
            "column" => return Ok(Action::Column),
            _ => {}
        }
        if let Some(cell) = text.strip_prefix("clear ") {
            let cell = on_tray(cell.parse().map_err(|_| bad())?)?;
            return Ok(Action::Clear(cell));
        }
        let launch = text.strip_prefix("launch ").ok_or_else(bad)?;
        let (aim, kind) = launch.rsplit_once(' ').ok_or_else(bad)?;
        let aim: Spot = aim.parse().map_err(|_| bad())?;
        on_tray(aim.cell)?;
        Ok(Action::Launch(aim, kind.parse().map_err(|_| bad())?))
    }

    fn write_action(&self, action: Action, out: &mut String) {
        match action {
            Action::Clear(cell) => *out += &format!("clear {cell}"),
            Action::Column => out.push_str("column"),
            Action::Launch(aim, kind) => *out += &format!("launch {aim} {kind}"),
            Action::Row => out.push_str("row"),
        }
    }

    fn action_in_words(&self, action: Action) -> String {
        match action {
            Action::Clear(cell) => format!("empties {cell}"),
            Action::Column => "empties the column".into(),
            Action::Launch(aim, kind) => format!("launches a {kind} token at {aim}"),
            Action::Row => "empties the row".into(),
        }
    }

    fn check(&self, seat: Seat, action: Action) -> Result<(), Illegal> {
        if let Phase::Over(_) = self.phase {
            return Err(illegal!("the match is over"));
        }
        if self.asked() != Some(seat) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        match (self.phase, action) {
            (Phase::Launch(side) | Phase::Double(side), Action::Launch(aim, kind)) => {
                if !aim.cell.is_on(self.trays.size) {
                    return Err(illegal!("no tray has a cell {}", aim.cell));
                }
                match self.hands[usize::from(side)][kind as usize] {
                    0 => Err(illegal!("you have no {kind} token in hand")),
                    _ => Ok(()),
                }
            }
            (Phase::Line(..), Action::Row | Action::Column) => Ok(()),
            (Phase::Cell(_, at), Action::Clear(cell)) => {
                if cell.is_on(self.trays.size) && cell.is_next_to(at.cell) {
                    Ok(())
                } else {
                    Err(illegal!("{cell} is not next to {}", at.cell))
                }
            }
            (Phase::Line(..), _) => Err(illegal!("now you choose row or column")),
            (Phase::Cell(_, at), _) => Err(illegal!(
                "now you choose a cell next to {} to clear",
                at.cell
            )),
            _ => Err(illegal!("now you launch a token")),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Acts(acts) => self.act(acts[0].1),
            Event::Chance(Sample::Starter(side)) => {
                self.first = Some(*side);
                self.phase = Phase::Launch(*side);
            }
            Event::Chance(Sample::Landings([landing])) => self.land(*landing),
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Sample {
        match self.phase {
            Phase::Landing(side, kind, aim) => {
                let place = self.scatter.land(self.trays.size, side, aim, rng);
                Sample::Landings([Landing { side, kind, place }])
            }
            _ => Sample::Starter(chance::below(rng, 2) as Side),
        }
    }

    fn check_chance(&self, sample: &Sample) -> Result<(), Illegal> {
        match (self.phase, sample) {
            (Phase::Starter, Sample::Starter(side)) if SIDES.contains(side) => Ok(()),
            (Phase::Landing(side, kind, aim), Sample::Landings([landing])) => {
                if (landing.side, landing.kind) != (side, kind) {
                    return Err(illegal!("another token was launched"));
                }
                let (size, place) = (self.trays.size, landing.place);
                if self.scatter.could_land(size, side, aim, place) && place.is_on(size) {
                    Ok(())
                } else {
                    Err(illegal!(
                        "what is aimed at {aim} cannot come down at {place}"
                    ))
                }
            }
            _ => Err(illegal!("this is not what chance does now")),
        }
    }

    chance_by_serde!();

    fn view(&self, _: Viewer) -> View {
        self.seen()
    }

    fn chance_in_words(&self, event: &Sample) -> String {
        match event {
            Sample::Starter(side) => format!("{} starts", name(*side)),
            Sample::Landings([Landing { side, kind, place }]) => {
                landing_in_words(*side, &format!("{kind} token"), *place)
            }
        }
    }

    fn from_view(
        options: &Options,
        seats: u8,
        _: Viewer,
        view: &View,
        _: &mut dyn Rng,
    ) -> Result<Self, Malformed> {
        view.rebuild(Self::new(options, seats)?)
    }

    fn text(view: &View) -> String {
        text::text(&view.scene())
    }

    fn svg(view: &View) -> String {
        svg::svg(&view.scene())
    }
}

impl ExtraPro {
    fn act(&mut self, action: Action) {
        match (self.phase, action) {
            (Phase::Launch(side) | Phase::Double(side), Action::Launch(aim, kind)) => {
                self.hands[usize::from(side)][kind as usize] -= 1;
                self.phase = Phase::Landing(side, kind, aim);
            }
            (Phase::Line(side, at), Action::Row) => {
                self.trays.clear(at.tray, |cell| cell.rank == at.cell.rank);
                self.settle(side);
            }
            (Phase::Line(side, at), Action::Column) => {
                self.trays.clear(at.tray, |cell| cell.file == at.cell.file);
                self.settle(side);
            }
            (Phase::Cell(side, at), Action::Clear(chosen)) => {
                self.trays.clear(at.tray, |cell| cell == chosen);
                self.settle(side);
            }
            _ => unreachable!("the action was checked"),
        }
    }
}
