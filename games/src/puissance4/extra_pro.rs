//! Game 3, in turns: the side with more tokens controls a cell, and marked tokens have powers.

pub(crate) mod state;
pub mod view;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::facts::{Does, Launches};
use super::model::{Aiming, Scatter};
use super::scene::{landing_in_words, name};
use super::trays::{
    Control, LandingSpot, SIDES, Side, TOKENS, Token, TrayCell, TrayKind, TraySize, TraySpot,
    Trays, other, side_of,
};
use super::view::{EdgeRule, LineView, Puissance4Reason, ScoredLine, next_holder, outcome};
use super::{svg, text};
use crate::game::{Event, Game, Illegal, Info, ParseError, SeatLook, illegal, malformed, quoted};
use crate::options::{BoundedInt, Decimal, OptionsError};
use crate::seats::{Seat, SeatTurn, Seats, Viewer};
use crate::{chance, chance_by_serde};

use self::state::ExtraProPhase;
pub use self::state::{ExtraPro, FlipLanding};
use view::ExtraProView;

/// The settings of game 3.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ExtraProOptions {
    /// The rules of the game.
    pub rules: ExtraProRules,
    /// The launch model, which stands for the hands of the players.
    pub model: Aiming,
}

/// The rules of game 3 that may differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ExtraProRules {
    /// How many cells a tray has on a side.
    pub size: TraySize,
    /// What becomes of a token that comes down on a tray but in no cell.
    pub rim: EdgeRule,
    /// How many tokens of each of the four power kinds a side has; the rest of its 21 are basic.
    pub powers_each: BoundedInt<0, 5>,
    /// Whether lines are looked for before a power token acts, and again after it. Otherwise the power acts
    /// first, so that a bomb or a line token never completes a line.
    pub lines_first: bool,
    /// After so many rounds without a winner the match is a draw.
    pub max_rounds: BoundedInt<1, 1_000_000>,
}

impl Default for ExtraProRules {
    fn default() -> Self {
        ExtraProRules {
            size: TraySize::new(5),
            rim: EdgeRule::Remove,
            powers_each: BoundedInt::new(2),
            lines_first: false,
            max_rounds: BoundedInt::new(50),
        }
    }
}

/// An action of a seat. Actions are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExtraProAction {
    /// `clear b3` empties a neighbouring cell.
    Clear(TrayCell),
    /// `column` empties the landing cell's column.
    Column,
    /// `launch top c3 bomb` launches a token of a kind at a cell.
    Launch(TraySpot, TrayKind),
    /// `row` empties the landing cell's row.
    Row,
}

/// An outcome of chance, which a record stores as `{"starter":1}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtraProSample {
    /// The side that starts.
    Starter(Side),
    /// Where the launched token lands. It is always one.
    Landings([FlipLanding; 1]),
}

impl ExtraPro {
    /// Returns the tokens of a side at the start of a round, by kind.
    fn full_hand(&self) -> [u8; 5] {
        let powers = TrayKind::ALL.len() as u8 - 1;
        let mut hand = [self.powers_each; 5];
        hand[TrayKind::Basic as usize] = TOKENS - powers * self.powers_each;
        hand
    }

    fn has_tokens(&self, side: Side) -> bool {
        let mut hand = self.hands[usize::from(side)].into_iter();
        hand.any(|tokens| tokens > 0)
    }

    /// Returns the side whose turn it is, if chance is not asked.
    fn mover(&self) -> Option<Side> {
        match self.phase {
            ExtraProPhase::Launch(side)
            | ExtraProPhase::Double(side)
            | ExtraProPhase::Line(side, _)
            | ExtraProPhase::Cell(side, _) => Some(side),
            ExtraProPhase::Starter | ExtraProPhase::Landing(..) | ExtraProPhase::Over(_) => None,
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
        let mut take = |kind: TrayKind, tokens: u8| {
            let left = &mut out[kind as usize];
            *left = left.checked_sub(tokens)?;
            Some(())
        };
        for kind in TrayKind::ALL {
            take(kind, self.hands[usize::from(side)][kind as usize])?;
        }
        let mut lying = self.trays.tokens().filter(|token| token.side == side);
        lying.try_for_each(|token| take(token.kind, 1))?;
        if let ExtraProPhase::Landing(of, kind, _) = self.phase {
            if of == side {
                take(kind, 1)?;
            }
        }
        Some(out)
    }

    fn land(&mut self, landing: FlipLanding) {
        let FlipLanding { side, kind, place } = landing;
        self.landed = Some(landing);
        let token = Token { side, kind };
        match place {
            LandingSpot::In(spot) => {
                self.trays.put(spot, token);
                self.use_power(side, kind, spot);
            }
            LandingSpot::Rim(tray) => {
                if self.rim == EdgeRule::Leave {
                    self.trays.put_on_rim(tray, token);
                }
                self.end_turn(side);
            }
            LandingSpot::Miss => self.end_turn(side),
        }
    }

    /// Uses the power of a token that landed in a cell. With an option, a line ends the round first.
    fn use_power(&mut self, side: Side, kind: TrayKind, spot: TraySpot) {
        if self.lines_first && self.score(side) {
            return;
        }
        match kind {
            TrayKind::Basic => self.settle(side),
            TrayKind::Bomb => {
                self.trays
                    .clear(spot.tray, |cell| cell.is_next_to(spot.cell));
                self.settle(side);
            }
            TrayKind::Double => match (self.score(side), self.has_tokens(side)) {
                (true, _) => {}
                (false, true) => self.phase = ExtraProPhase::Double(side),
                (false, false) => self.end_turn(side),
            },
            TrayKind::Line => self.phase = ExtraProPhase::Line(side, spot),
            TrayKind::Cell => self.phase = ExtraProPhase::Cell(side, spot),
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
        self.scored = Some(ScoredLine {
            round: self.round,
            side,
            line: LineView::of(line),
        });
        self.hand_over(side);
        if has_won {
            self.phase = ExtraProPhase::Over(Some(side));
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
            Some(next) => self.phase = ExtraProPhase::Launch(next),
            None => self.end_round(),
        }
    }

    /// Starts a new round, which the other side begins, or ends the match.
    fn end_round(&mut self) {
        if self.round >= self.max_rounds {
            self.phase = ExtraProPhase::Over(None);
            return;
        }
        self.round += 1;
        self.trays.wipe();
        self.hands = [self.full_hand(); 2];
        self.landed = None;
        let first = other(self.first.expect("a round was started"));
        self.first = Some(first);
        self.phase = ExtraProPhase::Launch(first);
    }
}

impl Game for ExtraPro {
    type Options = ExtraProOptions;
    type Action = ExtraProAction;
    type Chance = ExtraProSample;
    type View = ExtraProView;

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

    fn new(options: &ExtraProOptions, seats: u8) -> Result<Self, OptionsError> {
        let ExtraProOptions { rules, model } = options;
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
            phase: ExtraProPhase::Starter,
        };
        match_.hands = [match_.full_hand(); 2];
        Ok(match_)
    }

    fn presets() -> Vec<(&'static str, ExtraProOptions)> {
        let rules = |size, rim, powers, rounds, lines_first| ExtraProRules {
            size: BoundedInt::new(size),
            rim,
            powers_each: BoundedInt::new(powers),
            lines_first,
            max_rounds: BoundedInt::new(rounds),
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
        let preset = |name, rules, model| (name, ExtraProOptions { rules, model });
        vec![
            preset("all-powers", rules(4, EdgeRule::Remove, 5, 2, false), sure),
            preset("no-powers", rules(4, EdgeRule::Leave, 0, 1, false), clumsy),
            preset("lines-first", rules(4, EdgeRule::Leave, 5, 2, true), sure),
            preset(
                "large",
                rules(6, EdgeRule::Leave, 1, 1, false),
                Aiming::default(),
            ),
        ]
    }

    fn brief() -> ExtraProOptions {
        let mut options = ExtraProOptions::default();
        options.rules.max_rounds = BoundedInt::new(1);
        options
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn side(&self, seat: Seat) -> u8 {
        side_of(seat)
    }

    fn turn(&self) -> SeatTurn {
        match (self.phase, self.asked()) {
            (ExtraProPhase::Over(winner), _) => {
                SeatTurn::Over(outcome(self.seats, winner, Puissance4Reason::Points))
            }
            (_, Some(seat)) => SeatTurn::Seats(Seats::one(seat)),
            (_, None) => SeatTurn::Chance,
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<ExtraProAction>) {
        actions.clear();
        if self.asked() != Some(seat) {
            return;
        }
        match self.phase {
            ExtraProPhase::Launch(side) | ExtraProPhase::Double(side) => {
                let hand = &self.hands[usize::from(side)];
                for aim in TraySpot::all(self.trays.size) {
                    let kinds = TrayKind::ALL
                        .iter()
                        .filter(|&&kind| hand[kind as usize] > 0);
                    actions.extend(kinds.map(|&kind| ExtraProAction::Launch(aim, kind)));
                }
            }
            ExtraProPhase::Line(..) => {
                actions.extend([ExtraProAction::Column, ExtraProAction::Row]);
            }
            ExtraProPhase::Cell(_, at) => {
                let cells = TrayCell::all(self.trays.size).filter(|cell| cell.is_next_to(at.cell));
                actions.extend(cells.map(ExtraProAction::Clear));
            }
            ExtraProPhase::Starter | ExtraProPhase::Landing(..) | ExtraProPhase::Over(_) => {}
        }
    }

    fn read_action(&self, text: &str) -> Result<ExtraProAction, ParseError> {
        let bad = || {
            malformed!(
                "{} is not like launch top c3 basic, row, column or clear c3, with cells of this \
                 tray",
                quoted(text)
            )
        };
        let on_tray = |cell: TrayCell| {
            if cell.is_on(self.trays.size) {
                Ok(cell)
            } else {
                Err(bad())
            }
        };
        match text {
            "row" => return Ok(ExtraProAction::Row),
            "column" => return Ok(ExtraProAction::Column),
            _ => {}
        }
        if let Some(cell) = text.strip_prefix("clear ") {
            let cell = on_tray(cell.parse().map_err(|_| bad())?)?;
            return Ok(ExtraProAction::Clear(cell));
        }
        let launch = text.strip_prefix("launch ").ok_or_else(bad)?;
        let (aim, kind) = launch.rsplit_once(' ').ok_or_else(bad)?;
        let aim: TraySpot = aim.parse().map_err(|_| bad())?;
        on_tray(aim.cell)?;
        Ok(ExtraProAction::Launch(
            aim,
            kind.parse().map_err(|_| bad())?,
        ))
    }

    fn write_action(&self, action: ExtraProAction, out: &mut String) {
        match action {
            ExtraProAction::Clear(cell) => *out += &format!("clear {cell}"),
            ExtraProAction::Column => out.push_str("column"),
            ExtraProAction::Launch(aim, kind) => *out += &format!("launch {aim} {kind}"),
            ExtraProAction::Row => out.push_str("row"),
        }
    }

    fn action_in_words(&self, action: ExtraProAction) -> String {
        match action {
            ExtraProAction::Clear(cell) => format!("empties {cell}"),
            ExtraProAction::Column => "empties the column".into(),
            ExtraProAction::Launch(aim, kind) => format!("launches a {kind} token at {aim}"),
            ExtraProAction::Row => "empties the row".into(),
        }
    }

    fn path(&self, _: Seat, action: ExtraProAction) -> ActionPath {
        match (action, self.phase) {
            (ExtraProAction::Launch(aim, kind), _) => {
                ActionPath::on([aim.mark()]).choose(kind.to_string())
            }
            (ExtraProAction::Clear(cell), ExtraProPhase::Cell(_, at)) => {
                ActionPath::on([TraySpot { cell, ..at }.mark()])
            }
            _ => ActionPath::beside(self.action_text(action)),
        }
    }

    fn check(&self, seat: Seat, action: ExtraProAction) -> Result<(), Illegal> {
        if let ExtraProPhase::Over(_) = self.phase {
            return Err(illegal!("the match is over"));
        }
        if self.asked() != Some(seat) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        match (self.phase, action) {
            (
                ExtraProPhase::Launch(side) | ExtraProPhase::Double(side),
                ExtraProAction::Launch(aim, kind),
            ) => {
                if !aim.cell.is_on(self.trays.size) {
                    return Err(illegal!("no tray has a cell {}", aim.cell));
                }
                match self.hands[usize::from(side)][kind as usize] {
                    0 => Err(illegal!("you have no {kind} token in hand")),
                    _ => Ok(()),
                }
            }
            (ExtraProPhase::Line(..), ExtraProAction::Row | ExtraProAction::Column) => Ok(()),
            (ExtraProPhase::Cell(_, at), ExtraProAction::Clear(cell)) => {
                if cell.is_on(self.trays.size) && cell.is_next_to(at.cell) {
                    Ok(())
                } else {
                    Err(illegal!("{cell} is not next to {}", at.cell))
                }
            }
            (ExtraProPhase::Line(..), _) => Err(illegal!("now you choose row or column")),
            (ExtraProPhase::Cell(_, at), _) => Err(illegal!(
                "now you choose a cell next to {} to clear",
                at.cell
            )),
            _ => Err(illegal!("now you launch a token")),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Acts(acts) => self.act(acts[0].1),
            Event::Chance(ExtraProSample::Starter(side)) => {
                self.first = Some(*side);
                self.phase = ExtraProPhase::Launch(*side);
            }
            Event::Chance(ExtraProSample::Landings([landing])) => self.land(*landing),
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> ExtraProSample {
        match self.phase {
            ExtraProPhase::Landing(side, kind, aim) => {
                let place = self.scatter.land(self.trays.size, side, aim, rng);
                ExtraProSample::Landings([FlipLanding { side, kind, place }])
            }
            _ => ExtraProSample::Starter(chance::below(rng, 2) as Side),
        }
    }

    fn check_chance(&self, sample: &ExtraProSample) -> Result<(), Illegal> {
        match (self.phase, sample) {
            (ExtraProPhase::Starter, ExtraProSample::Starter(side)) if SIDES.contains(side) => {
                Ok(())
            }
            (ExtraProPhase::Landing(side, kind, aim), ExtraProSample::Landings([landing])) => {
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

    fn view(&self, _: Viewer) -> ExtraProView {
        self.seen()
    }

    fn chance_in_words(&self, event: &ExtraProSample) -> String {
        match event {
            ExtraProSample::Starter(side) => format!("{} starts", name(*side)),
            ExtraProSample::Landings([FlipLanding { side, kind, place }]) => {
                landing_in_words(*side, &format!("{kind} token"), *place)
            }
        }
    }

    fn from_view(
        options: &ExtraProOptions,
        seats: u8,
        _: Viewer,
        view: &ExtraProView,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        view.rebuild(Self::new(options, seats)?)
    }

    fn text(view: &ExtraProView) -> String {
        text::text(&view.scene())
    }

    fn look(seat: Seat) -> Option<SeatLook> {
        Some(svg::look(seat))
    }

    fn svg(view: &ExtraProView) -> String {
        svg::svg(&view.scene())
    }
}

impl ExtraPro {
    fn act(&mut self, action: ExtraProAction) {
        match (self.phase, action) {
            (
                ExtraProPhase::Launch(side) | ExtraProPhase::Double(side),
                ExtraProAction::Launch(aim, kind),
            ) => {
                self.hands[usize::from(side)][kind as usize] -= 1;
                self.phase = ExtraProPhase::Landing(side, kind, aim);
            }
            (ExtraProPhase::Line(side, at), ExtraProAction::Row) => {
                self.trays.clear(at.tray, |cell| cell.rank == at.cell.rank);
                self.settle(side);
            }
            (ExtraProPhase::Line(side, at), ExtraProAction::Column) => {
                self.trays.clear(at.tray, |cell| cell.file == at.cell.file);
                self.settle(side);
            }
            (ExtraProPhase::Cell(side, at), ExtraProAction::Clear(chosen)) => {
                self.trays.clear(at.tray, |cell| cell == chosen);
                self.settle(side);
            }
            _ => unreachable!("the action was checked"),
        }
    }
}

impl Launches for ExtraPro {
    const TARGET: u8 = 3;
    const TOP: u8 = 2;
    const TOPMOST: bool = false;

    fn does(action: ExtraProAction) -> Does {
        match action {
            ExtraProAction::Launch(spot, kind) => Does::Launch(spot, kind),
            _ => Does::Clears,
        }
    }

    fn standing(&self) -> [u8; 2] {
        self.score
    }

    fn table(&self) -> (&Scatter, &Trays) {
        (&self.scatter, &self.trays)
    }
}
