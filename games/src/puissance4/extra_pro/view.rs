//! Views of extra pro, and matches built from views.

use serde::{Deserialize, Serialize};

use super::super::facts::Launches;
use super::super::scene::{self, Age, Scene, SideScene};
use super::super::trays::{Control, Kind, SIDES, Side, Spot, Token, Tray, side_of};
use super::super::view::{Over, Reason, Scored, TrayView, check_sides, over, read_trays};
use super::{ExtraPro, Landing, Phase};
use crate::game::{malformed, require};
use crate::words::joined;
use crate::{Game, Malformed, Seat};

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The round, from 1.
    pub round: u32,
    /// What the match waits for.
    pub phase: PhaseView,
    /// The seat whose turn it is; null when chance has something to draw, or the match is over.
    pub to_move: Option<Seat>,
    /// The side that launches first in this round; null until chance has drawn it.
    pub starts: Option<Side>,
    /// The upper tray.
    pub top: TrayView,
    /// The lower tray.
    pub bottom: TrayView,
    /// What each side has: side 0, which is red, and side 1, which is yellow.
    pub sides: Vec<SideView>,
    /// The token in the air; left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_air: Option<FlyingView>,
    /// The cell with the power token for which there is something to choose; left out when there
    /// is nothing to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_at: Option<Spot>,
    /// What came down last in this round; null before the first.
    pub landed: Option<Landing>,
    /// The last line that counted; null before the first of a match.
    pub scored: Option<Scored>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PhaseView {
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
pub struct SideView {
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
pub struct FlyingView {
    /// The side that launched it.
    pub side: Side,
    /// Its kind.
    pub kind: Kind,
    /// What it was aimed at: `top c3`.
    pub aim: Spot,
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
    pub(super) fn seen(&self) -> View {
        let (mut in_air, mut power_at, mut winner) = (None, None, None);
        let phase = match self.phase {
            Phase::Starter => PhaseView::Starter,
            Phase::Launch(_) => PhaseView::Launch,
            Phase::Double(_) => PhaseView::Double,
            Phase::Landing(side, kind, aim) => {
                in_air = Some(FlyingView { side, kind, aim });
                PhaseView::Landing
            }
            Phase::Line(_, at) => {
                power_at = Some(at);
                PhaseView::Line
            }
            Phase::Cell(_, at) => {
                power_at = Some(at);
                PhaseView::Cell
            }
            Phase::Over(side) => {
                winner = Some(side);
                PhaseView::Over
            }
        };
        let side = |side: Side| SideView {
            score: self.score[usize::from(side)],
            holder: self.holders[usize::from(side)],
            hand: Kinds::of(self.hands[usize::from(side)]),
            out: Kinds::of(self.out(side).expect("a side has its tokens")),
        };
        View {
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
            over: winner.map(|winner| over(self.seats, winner, Reason::Points)),
        }
    }
}

impl ExtraPro {
    /// Returns whether the match can go on from this phase, or is over.
    fn can_go_on(&self) -> bool {
        let is_on = |at: Spot| at.cell.is_on(self.trays.size);
        let has_next = match self.phase {
            Phase::Launch(side) | Phase::Double(side) => self.has_tokens(side),
            Phase::Landing(side, _, aim) => SIDES.contains(&side) && is_on(aim),
            Phase::Line(_, at) | Phase::Cell(_, at) => is_on(at),
            Phase::Starter | Phase::Over(_) => true,
        };
        has_next && (self.phase == Phase::Starter) == self.first.is_none()
    }
}

impl View {
    /// Turns a match that has just begun into one that shows this view. Only what would break the
    /// match is checked: whether play can lead there is not.
    pub(super) fn rebuild(&self, mut match_: ExtraPro) -> Result<ExtraPro, Malformed> {
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
        let is_over = self.phase == PhaseView::Over;
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

    fn read_phase(&self) -> Result<Phase, Malformed> {
        let mover = self.to_move.map(side_of);
        Ok(match (self.phase, mover, self.in_air, self.power_at) {
            (PhaseView::Starter, None, None, None) => Phase::Starter,
            (PhaseView::Launch, Some(side), None, None) => Phase::Launch(side),
            (PhaseView::Double, Some(side), None, None) => Phase::Double(side),
            (PhaseView::Landing, None, Some(FlyingView { side, kind, aim }), None) => {
                Phase::Landing(side, kind, aim)
            }
            (PhaseView::Line, Some(side), None, Some(at)) => Phase::Line(side, at),
            (PhaseView::Cell, Some(side), None, Some(at)) => Phase::Cell(side, at),
            (PhaseView::Over, None, None, None) => {
                let won = |side: &Side| self.sides[usize::from(*side)].score >= ExtraPro::TARGET;
                Phase::Over(SIDES.into_iter().find(won))
            }
            _ => return Err(malformed!("the phase does not fit what else is shown")),
        })
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        let sides = SIDES.map(|side| {
            let Some(view) = self.sides.get(usize::from(side)) else {
                return SideScene::default();
            };
            let token = |kind: Kind| Token { side: 0, kind }.letter();
            let hand = Kind::ALL.into_iter().zip(view.hand.counts());
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
        Scene {
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
            (PhaseView::Starter, _) => "It is drawn who starts".into(),
            (PhaseView::Launch, _) => format!("{who} to launch"),
            (PhaseView::Double, _) => format!("{who} to launch once more"),
            (PhaseView::Landing, Some(FlyingView { side, kind, aim })) => {
                format!("{} launches a {kind} token at {aim}", scene::name(side))
            }
            (PhaseView::Line, _) => format!("{who} to empty the row or the column"),
            (PhaseView::Cell, _) => format!("{who} to clear a cell"),
            (PhaseView::Landing | PhaseView::Over, _) => "Over".into(),
        }
    }
}
