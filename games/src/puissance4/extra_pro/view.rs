//! Views of extra pro, and matches built from views.

use serde::{Deserialize, Serialize};

use super::super::facts::Launches;
use super::super::scene::{self, Age, Puissance4Scene, SideScene};
use super::super::trays::{Control, SIDES, Side, Token, Tray, TrayKind, TraySpot, side_of};
use super::super::view::{
    Puissance4Over, Puissance4Reason, ScoredLine, TrayView, check_sides, over, read_trays,
};
use super::state::{ExtraPro, ExtraProPhase, FlipLanding};
use crate::game::{Game, ParseError, malformed, require};
use crate::seats::Seat;
use crate::words::joined;

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtraProView {
    /// The round, from 1.
    pub round: u32,
    /// What the match waits for.
    pub phase: ExtraProPhaseView,
    /// The seat whose turn it is; null when chance has something to draw, or the match is over.
    pub to_move: Option<Seat>,
    /// The side that launches first in this round; null until chance has drawn it.
    pub starts: Option<Side>,
    /// The upper tray.
    pub top: TrayView,
    /// The lower tray.
    pub bottom: TrayView,
    /// What each side has: side 0, which is red, and side 1, which is yellow.
    pub sides: Vec<ExtraProSideView>,
    /// The token in the air; left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_air: Option<ExtraProFlyingView>,
    /// The cell with the power token for which there is something to choose; left out when there
    /// is nothing to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_at: Option<TraySpot>,
    /// What came down last in this round; null before the first.
    pub landed: Option<FlipLanding>,
    /// The last line that counted; null before the first of a match.
    pub scored: Option<ScoredLine>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Puissance4Over>,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExtraProPhaseView {
    /// Chance draws the side that starts.
    Starter,
    /// A seat launches a token.
    Launch,
    /// A seat launches one more token, for a double.
    Double,
    /// Chance draws where a token comes down.
    Landing,
    /// A seat chooses `row` or `column` for its line token.
    Line,
    /// A seat chooses a neighbouring cell to clear for its cell token.
    Cell,
    /// Nothing more.
    Over,
}

/// What a side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtraProSideView {
    /// Its points.
    pub score: u8,
    /// The seat that holds the launcher.
    pub holder: Seat,
    /// The tokens in hand.
    pub hand: Kinds,
    /// The tokens that are out for the round: removed, or beside the trays.
    pub out: Kinds,
}

/// How many tokens there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    /// Without a power.
    pub basic: u8,
    /// Empties all neighbouring cells.
    pub bomb: u8,
    /// Empties a neighbouring cell.
    pub cell: u8,
    /// Lets the seat launch once more.
    pub double: u8,
    /// Empties its row or its column.
    pub line: u8,
}

/// A token in the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtraProFlyingView {
    /// The side that launched it.
    pub side: Side,
    /// Its kind.
    pub kind: TrayKind,
    /// What it was aimed at: `top c3`.
    pub aim: TraySpot,
}

impl Kinds {
    fn of([basic, bomb, cell, double, line]: [u8; 5]) -> Self {
        Kinds {
            basic,
            bomb,
            cell,
            double,
            line,
        }
    }

    fn counts(self) -> [u8; 5] {
        [self.basic, self.bomb, self.cell, self.double, self.line]
    }
}

impl ExtraPro {
    pub(super) fn seen(&self) -> ExtraProView {
        let (mut in_air, mut power_at, mut winner) = (None, None, None);
        let phase = match self.phase {
            ExtraProPhase::Starter => ExtraProPhaseView::Starter,
            ExtraProPhase::Launch(_) => ExtraProPhaseView::Launch,
            ExtraProPhase::Double(_) => ExtraProPhaseView::Double,
            ExtraProPhase::Landing(side, kind, aim) => {
                in_air = Some(ExtraProFlyingView { side, kind, aim });
                ExtraProPhaseView::Landing
            }
            ExtraProPhase::Line(_, at) => {
                power_at = Some(at);
                ExtraProPhaseView::Line
            }
            ExtraProPhase::Cell(_, at) => {
                power_at = Some(at);
                ExtraProPhaseView::Cell
            }
            ExtraProPhase::Over(side) => {
                winner = Some(side);
                ExtraProPhaseView::Over
            }
        };
        let side = |side: Side| ExtraProSideView {
            score: self.score[usize::from(side)],
            holder: self.holders[usize::from(side)],
            hand: Kinds::of(self.hands[usize::from(side)]),
            out: Kinds::of(self.out(side).expect("a side has its tokens")),
        };
        ExtraProView {
            round: self.round,
            phase,
            to_move: self.asked(),
            starts: self.first,
            top: TrayView::of(&self.trays, Tray::Top),
            bottom: TrayView::of(&self.trays, Tray::Bottom),
            sides: SIDES.map(side).into(),
            in_air,
            power_at,
            landed: self.landed,
            scored: self.scored.clone(),
            over: winner.map(|winner| over(self.seats, winner, Puissance4Reason::Points)),
        }
    }
}

impl ExtraPro {
    /// Returns whether the match can go on from this phase, or is over.
    fn can_go_on(&self) -> bool {
        let is_on = |at: TraySpot| at.cell.is_on(self.trays.size);
        let has_next = match self.phase {
            ExtraProPhase::Launch(side) | ExtraProPhase::Double(side) => self.has_tokens(side),
            ExtraProPhase::Landing(side, _, aim) => SIDES.contains(&side) && is_on(aim),
            ExtraProPhase::Line(_, at) | ExtraProPhase::Cell(_, at) => is_on(at),
            ExtraProPhase::Starter | ExtraProPhase::Over(_) => true,
        };
        has_next && (self.phase == ExtraProPhase::Starter) == self.first.is_none()
    }
}

impl ExtraProView {
    /// Turns a match that has just begun into one that shows this view. Only what would break the
    /// match is checked: whether play can lead there is not.
    pub(super) fn rebuild(&self, mut match_: ExtraPro) -> Result<ExtraPro, ParseError> {
        let rounds = 1..=match_.max_rounds;
        require!(rounds.contains(&self.round), "there are not so many rounds");
        require!(self.sides.len() == SIDES.len(), "there are two sides");
        match_.round = self.round;
        match_.first = self.starts;
        match_.trays = read_trays(match_.trays.size, &self.top, &self.bottom)?;
        match_.landed = self.landed;
        match_.scored.clone_from(&self.scored);
        for (side, view) in SIDES.into_iter().zip(&self.sides) {
            require!(
                view.holder < match_.seats && side_of(view.holder) == side,
                "a seat of the side holds its launcher"
            );
            match_.score[usize::from(side)] = view.score;
            match_.holders[usize::from(side)] = view.holder;
            match_.hands[usize::from(side)] = view.hand.counts();
        }
        match_.phase = self.read_phase()?;
        require!(
            match_.can_go_on(),
            "the phase does not fit what else is shown"
        );
        let named = self.landed.iter().map(|landed| landed.side);
        let named = named.chain(self.scored.iter().map(|scored| scored.side));
        let is_over = self.phase == ExtraProPhaseView::Over;
        check_sides(
            named.chain(self.starts),
            match_.score,
            ExtraPro::TARGET,
            is_over,
        )?;
        let fits = SIDES.iter().all(|&side| match_.out(side).is_some());
        require!(fits, "a side has 21 tokens in all");
        require!(
            match_.seen() == *self,
            "what the view says does not fit together"
        );
        Ok(match_)
    }

    fn read_phase(&self) -> Result<ExtraProPhase, ParseError> {
        let mover = self.to_move.map(side_of);
        Ok(match (self.phase, mover, self.in_air, self.power_at) {
            (ExtraProPhaseView::Starter, None, None, None) => ExtraProPhase::Starter,
            (ExtraProPhaseView::Launch, Some(side), None, None) => ExtraProPhase::Launch(side),
            (ExtraProPhaseView::Double, Some(side), None, None) => ExtraProPhase::Double(side),
            (
                ExtraProPhaseView::Landing,
                None,
                Some(ExtraProFlyingView { side, kind, aim }),
                None,
            ) => ExtraProPhase::Landing(side, kind, aim),
            (ExtraProPhaseView::Line, Some(side), None, Some(at)) => ExtraProPhase::Line(side, at),
            (ExtraProPhaseView::Cell, Some(side), None, Some(at)) => ExtraProPhase::Cell(side, at),
            (ExtraProPhaseView::Over, None, None, None) => {
                let won = |side: &Side| self.sides[usize::from(*side)].score >= ExtraPro::TARGET;
                ExtraProPhase::Over(SIDES.into_iter().find(won))
            }
            _ => return Err(malformed!("the phase does not fit what else is shown")),
        })
    }

    pub(super) fn scene(&self) -> Puissance4Scene<'_> {
        let sides = SIDES.map(|side| {
            let Some(view) = self.sides.get(usize::from(side)) else {
                return SideScene::default();
            };
            let token = |kind: TrayKind| Token { side: 0, kind }.letter();
            let hand = TrayKind::ALL.into_iter().zip(view.hand.counts());
            let tokens = hand
                .clone()
                .flat_map(|(kind, count)| std::iter::repeat_n(token(kind), usize::from(count)));
            let words = hand.map(|(kind, count)| format!("{count} {kind}"));
            let own = self.in_air.iter().filter(|token| token.side == side);
            SideScene {
                score: view.score,
                holder: view.holder,
                hand: joined(words, ", "),
                tokens: tokens.collect(),
                ready: self.to_move == Some(view.holder),
                in_air: own
                    .map(|token| Age {
                        ticks: None,
                        kind: token.kind,
                        aim: Some(token.aim),
                    })
                    .collect(),
                picked_up: 0,
                out: view
                    .out
                    .counts()
                    .iter()
                    .map(|&count| usize::from(count))
                    .sum(),
            }
        });
        let scored = self.scored.iter().filter(|_| self.over.is_some());
        let scored = scored.filter(|scored| scored.round == self.round);
        Puissance4Scene {
            title: ExtraPro::INFO.title,
            round: self.round,
            tick: None,
            control: Control::Most,
            top: &self.top,
            bottom: &self.bottom,
            sides,
            lines: scored.map(|scored| (scored.side, &scored.line)).collect(),
            landed: self
                .landed
                .iter()
                .map(|landed| (landed.side, landed.place))
                .collect(),
            landed_now: self.in_air.is_none(),
            marked: self.power_at,
            caption: self.caption(),
            scored: self.scored.as_ref(),
            about: match (&self.over, self.in_air, self.to_move) {
                (Some(over), ..) => scene::winner(over),
                (None, Some(token), _) => Some(token.side),
                (None, None, seat) => seat.map(side_of),
            },
        }
    }

    fn caption(&self) -> String {
        if let Some(over) = &self.over {
            return scene::over_in_words(over);
        }
        let who = self
            .to_move
            .map_or_else(String::new, |seat| scene::seats_in_words(&[seat]));
        match (self.phase, self.in_air) {
            (ExtraProPhaseView::Starter, _) => "It is drawn who starts".into(),
            (ExtraProPhaseView::Launch, _) => format!("{who} to launch"),
            (ExtraProPhaseView::Double, _) => format!("{who} to launch once more"),
            (ExtraProPhaseView::Landing, Some(ExtraProFlyingView { side, kind, aim })) => {
                format!("{} launches a {kind} token at {aim}", scene::name(side))
            }
            (ExtraProPhaseView::Line, _) => format!("{who} to empty the row or the column"),
            (ExtraProPhaseView::Cell, _) => format!("{who} to clear a cell"),
            (ExtraProPhaseView::Landing | ExtraProPhaseView::Over, _) => "Over".into(),
        }
    }
}
