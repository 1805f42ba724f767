//! Views of a simultaneous game, and matches built from views.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::super::scene::{self, Age, Puissance4Scene, SideScene};
use super::super::trays::{
    Control, SIDES, Side, TOKENS, Tray, TrayKind, TrayLine, TraySpot, side_of,
};
use super::super::view::{
    LineView, Puissance4Over, ScoredLine, TrayView, check_sides, lying, over, read_trays,
};
use super::modes::Mode;
use super::state::{Flying, Landed, LineSet, RealTime, RushHand, RushPhase};
use crate::game::{ParseError, malformed, require};
use crate::seats::{Seat, Viewer};

/// What a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RushView {
    /// The round, from 1.
    pub round: u32,
    /// The tick of the round, from 0.
    pub tick: u32,
    /// What the match waits for.
    pub phase: PhaseView,
    /// The seats that choose now; none when chance has something to draw, or the match is over.
    pub to_move: Vec<Seat>,
    /// The upper tray.
    pub top: TrayView,
    /// The lower tray.
    pub bottom: TrayView,
    /// What each side has: side 0, which is red, and side 1, which is yellow.
    pub sides: Vec<SideView>,
    /// The lines that stand, but for the one in `claim` and, after the match, the one that ended its last
    /// round.
    pub lines: Vec<FoundView>,
    /// The line that is claimed right now; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimView>,
    /// What came down in the last tick in which something did; null before the first of a round.
    pub landed: Option<Landed>,
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
pub enum PhaseView {
    /// The sides that are ready choose.
    Choose,
    /// Chance draws the delays of what was just launched.
    Delays,
    /// Chance draws where tokens come down.
    Landings,
    /// Chance draws how long a side takes to claim its new lines.
    Reactions,
    /// Both sides claim at once: chance draws who is heard first.
    Claimant,
    /// A line is claimed, and chance draws where everything in the air comes down.
    Claim,
    /// The claims were void, and chance draws how long new lines take to be claimed.
    Void,
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
    pub hand: u8,
    /// Whether there is a token in hand and the launcher is ready.
    pub ready: bool,
    /// The tick of its last launch in this round; null before the first.
    pub launched: Option<u32>,
    /// The tick at which the launcher is ready again. Only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reloaded: Option<u32>,
    /// Its tokens in the air, by launch.
    pub in_air: Vec<FlyingView>,
    /// For each token that is being picked up, the tick at which it is back in hand; ascending.
    pub picked_up: Vec<u32>,
    /// The tokens that are out for the round.
    pub out: u8,
}

/// A token in the air.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlyingView {
    /// The tick of its launch.
    pub launched: u32,
    /// What it was aimed at: `top c3`. Left out for those who may not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<TraySpot>,
    /// The tick at which it comes down. Only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lands: Option<u32>,
}

/// Lines of a side that were found together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FoundView {
    /// The side whose they are.
    pub side: Side,
    /// The tick since which they stand.
    pub since: u32,
    /// Whether chance has yet to draw how long their claim takes; left out if not, and after the match.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
    /// The tick at which they are claimed. Only in a replay, which hides nothing; left out at its end, when
    /// nobody claims them any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<u32>,
    /// The lines, the top tray's first.
    pub lines: Vec<LineView>,
}

/// A line that is claimed right now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimView {
    /// The side that claims it.
    pub side: Side,
    /// The tick since which it stands.
    pub since: u32,
    /// The line.
    pub line: LineView,
}

/// Returns whether a viewer may see the aims of a side.
pub(super) fn sees_aims(viewer: Viewer, side: Side) -> bool {
    match viewer {
        Viewer::Seat(seat) => side_of(seat) == side,
        Viewer::Public => false,
        Viewer::Open => true,
    }
}

impl RushView {
    pub(super) fn of<M: Mode>(match_: &RealTime<M>, viewer: Viewer) -> Self {
        let claim = match match_.phase {
            RushPhase::Claim(side, line) => Some((side, line)),
            _ => None,
        };
        let since = |(side, line): (Side, TrayLine)| {
            let mut found = match_.found.iter();
            let found = found.find(|found| found.side == side && found.lines.contains(&line));
            found.map_or(match_.tick, |found| found.since)
        };
        let (phase, winner) = match match_.phase {
            RushPhase::Choose => (PhaseView::Choose, None),
            RushPhase::Delays => (PhaseView::Delays, None),
            RushPhase::Landings => (PhaseView::Landings, None),
            RushPhase::Reactions => (PhaseView::Reactions, None),
            RushPhase::Claimant => (PhaseView::Claimant, None),
            RushPhase::Claim(..) => (PhaseView::Claim, None),
            RushPhase::Void => (PhaseView::Void, None),
            RushPhase::Over(winner) => (PhaseView::Over, Some(winner)),
        };
        let found = match_.found.iter();
        let found = found.filter_map(|found| FoundView::of(found, claim, winner.is_some(), viewer));
        RushView {
            round: match_.round,
            tick: match_.tick,
            phase,
            to_move: match_.asked().collect(),
            top: TrayView::of(&match_.trays, Tray::Top),
            bottom: TrayView::of(&match_.trays, Tray::Bottom),
            sides: SIDES.map(|side| SideView::of(match_, side, viewer)).into(),
            lines: found.collect(),
            claim: claim.map(|(side, line)| ClaimView {
                side,
                since: since((side, line)),
                line: LineView::of(line),
            }),
            landed: match_.landed.clone(),
            scored: match_.scored.clone(),
            over: winner.map(|winner| over(match_.seats, winner, M::WON_BY)),
        }
    }

    /// Turns a match that has just begun into one that shows this view. Only what would break the
    /// match is checked: whether play can lead there is not.
    pub(super) fn rebuild<M: Mode>(
        &self,
        mut match_: RealTime<M>,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<RealTime<M>, ParseError> {
        require!(self.sides.len() == SIDES.len(), "there are two sides");
        require!(
            (1..=match_.max_rounds).contains(&self.round) && self.tick <= match_.max_ticks,
            "there are not so many rounds or ticks"
        );
        match_.round = self.round;
        match_.tick = self.tick;
        match_.trays = read_trays(match_.trays.size, &self.top, &self.bottom)?;
        match_.phase = self.read_phase(&match_)?;
        match_.landed.clone_from(&self.landed);
        match_.scored.clone_from(&self.scored);
        for (side, view) in SIDES.into_iter().zip(&self.sides) {
            match_.score[usize::from(side)] = view.score;
            match_.hands[usize::from(side)] = view.read_hand(&match_, side)?;
            for token in &view.in_air {
                let token = token.read(&match_, side, viewer, rng)?;
                match_.air.push(token);
            }
        }
        match_.air.sort_by_key(|token| (token.launched, token.side));
        for found in &self.lines {
            let found = found.read(&match_)?;
            match_.found.push(found);
        }
        if let (RushPhase::Claim(side, line), Some(claim)) = (match_.phase, &self.claim) {
            require!(claim.since <= self.tick, "a line stands since some tick");
            match_.add_claimed(side, claim.since, line, viewer == Viewer::Open);
        }
        let landed = self.landed.iter().flat_map(|landed| &landed.tokens);
        let named = landed.map(|token| token.side);
        let named = named.chain(self.scored.iter().map(|scored| scored.side));
        let is_over = self.phase == PhaseView::Over;
        check_sides(named, match_.score, M::TARGET, is_over)?;
        if viewer != Viewer::Open {
            let ready = [self.sides[0].ready, self.sides[1].ready];
            match_.sample_times(ready, rng)?;
        }
        let is_asked = match_.phase != RushPhase::Choose || !match_.asked().is_empty();
        require!(is_asked, "somebody is to choose");
        let same = RushView::of(&match_, viewer) == *self;
        require!(same, "what the view says does not fit together");
        Ok(match_)
    }

    fn read_phase<M: Mode>(&self, match_: &RealTime<M>) -> Result<RushPhase, ParseError> {
        Ok(match (self.phase, &self.claim) {
            (PhaseView::Choose, None) => RushPhase::Choose,
            (PhaseView::Delays, None) => RushPhase::Delays,
            (PhaseView::Landings, None) => RushPhase::Landings,
            (PhaseView::Reactions, None) => RushPhase::Reactions,
            (PhaseView::Claimant, None) => RushPhase::Claimant,
            (PhaseView::Claim, Some(ClaimView { side, line, .. })) if SIDES.contains(side) => {
                RushPhase::Claim(*side, line.line(match_.trays.size)?)
            }
            (PhaseView::Void, None) => RushPhase::Void,
            (PhaseView::Over, None) => {
                let won = |side: &Side| {
                    let score = self.sides[usize::from(*side)].score;
                    score >= M::TARGET
                };
                RushPhase::Over(SIDES.into_iter().find(won))
            }
            _ => {
                return Err(malformed!(
                    "the phase claim names the line, and no other does"
                ));
            }
        })
    }

    /// Returns the content of a drawing.
    pub(super) fn scene(&self, title: &'static str) -> Puissance4Scene<'_> {
        let sides = SIDES.map(|side| {
            let view = self.sides.get(usize::from(side));
            view.map_or_else(SideScene::default, |view| SideScene {
                score: view.score,
                holder: view.holder,
                hand: format!("{} in hand", view.hand),
                tokens: "T".repeat(usize::from(view.hand)),
                ready: view.ready,
                in_air: view
                    .in_air
                    .iter()
                    .map(|token| Age {
                        ticks: Some(self.tick.saturating_sub(token.launched)),
                        kind: TrayKind::Basic,
                        aim: token.aim,
                    })
                    .collect(),
                picked_up: view.picked_up.len(),
                out: usize::from(view.out),
            })
        });
        let claimed = self.claim.iter().map(|claim| (claim.side, &claim.line));
        let found = self
            .lines
            .iter()
            .flat_map(|found| found.lines.iter().map(|line| (found.side, line)));
        // At the end the picture shows the line that won, if there is one.
        let found = found.filter(|_| self.over.is_none());
        let won = self.scored.iter().filter(|_| self.over.is_some());
        let won = won.filter(|scored| scored.round == self.round);
        let won = won.map(|scored| (scored.side, &scored.line));
        Puissance4Scene {
            title,
            round: self.round,
            tick: Some(self.tick),
            control: Control::Topmost,
            top: &self.top,
            bottom: &self.bottom,
            sides,
            lines: won.chain(claimed).chain(found).collect(),
            landed: self
                .landed
                .iter()
                .flat_map(|landed| landed.tokens.iter().map(|token| (token.side, token.place)))
                .collect(),
            landed_now: self
                .landed
                .as_ref()
                .is_some_and(|landed| landed.tick == self.tick),
            marked: None,
            caption: self.caption(),
            scored: self.scored.as_ref(),
            about: self.about(),
        }
    }

    fn caption(&self) -> String {
        let named = |seats: &[Seat]| scene::seats_in_words(seats);
        match (&self.over, self.phase) {
            (Some(over), _) => scene::over_in_words(over),
            (None, PhaseView::Choose) => format!("{} to choose", named(&self.to_move)),
            (None, PhaseView::Delays) => "Tokens are launched".into(),
            (None, PhaseView::Landings) => "Tokens are coming down".into(),
            (None, PhaseView::Reactions) => "There is a new line".into(),
            (None, PhaseView::Claimant) => "Both sides claim a line".into(),
            (None, PhaseView::Claim) => match &self.claim {
                Some(claim) => format!("{} claims a line", scene::name(claim.side)),
                None => "A line is claimed".into(),
            },
            (None, PhaseView::Void) => "The claim is void; there is a new line".into(),
            (None, PhaseView::Over) => "Over".into(),
        }
    }

    /// Returns the side that the caption is about, if it is one.
    fn about(&self) -> Option<Side> {
        if let Some(over) = &self.over {
            return scene::winner(over);
        }
        match (self.to_move.as_slice(), &self.claim) {
            (&[seat], _) => Some(side_of(seat)),
            (_, Some(claim)) => Some(claim.side),
            _ => None,
        }
    }
}

impl<M: Mode> RealTime<M> {
    /// Adds the line that is claimed now to those that were found with it. In an open view these are
    /// claimed now too.
    fn add_claimed(&mut self, side: Side, since: u32, line: TrayLine, is_open: bool) {
        let now = Some(self.tick);
        let with_it = |found: &&mut LineSet| {
            let is_later = |other: &TrayLine| line.rank() < other.rank();
            (found.side, found.since) == (side, since)
                && found.claimed.is_some()
                && (!is_open || found.claimed == now)
                && found.lines.iter().all(is_later)
        };
        match self.found.iter_mut().find(with_it) {
            Some(found) => found.lines.insert(0, line),
            None => {
                let place = self.found.partition_point(|found| found.since <= since);
                let (claimed, lines) = (now, vec![line]);
                self.found.insert(
                    place,
                    LineSet {
                        side,
                        since,
                        claimed,
                        lines,
                    },
                );
            }
        }
    }
}

impl SideView {
    fn of<M: Mode>(match_: &RealTime<M>, side: Side, viewer: Viewer) -> Self {
        let is_open = viewer == Viewer::Open;
        let hand = match_.hand(side);
        let flying = |token: &Flying| FlyingView {
            launched: token.launched,
            aim: sees_aims(viewer, side).then_some(token.aim),
            lands: token.lands.filter(|_| is_open),
        };
        let own = match_.air.iter().filter(|token| token.side == side);
        SideView {
            score: match_.score[usize::from(side)],
            holder: hand.holder,
            hand: hand.tokens,
            ready: hand.is_ready(match_.tick),
            launched: hand.launched,
            reloaded: hand.reloaded.filter(|_| is_open),
            in_air: own.map(flying).collect(),
            picked_up: hand.picked_up.clone(),
            out: hand.out,
        }
    }

    fn read_hand<M: Mode>(&self, match_: &RealTime<M>, side: Side) -> Result<RushHand, ParseError> {
        let tick = match_.tick;
        require!(
            self.holder < match_.seats && side_of(self.holder) == side,
            "a seat of the side holds its launcher"
        );
        require!(
            self.launched.is_none_or(|launched| launched <= tick),
            "nothing was launched later than now"
        );
        let back = (tick + 1)..=(tick + match_.pace.pick_up);
        require!(
            self.picked_up.is_sorted() && self.picked_up.iter().all(|at| back.contains(at)),
            "picking a token up takes as long as the options say"
        );
        let in_order = |one: &FlyingView, next: &FlyingView| one.launched < next.launched;
        require!(
            self.in_air.is_sorted_by(in_order),
            "a side launches one token at a time"
        );
        let elsewhere = self.in_air.len() + self.picked_up.len();
        let elsewhere = u8::try_from(elsewhere).unwrap_or(u8::MAX);
        let all = [self.hand, self.out, elsewhere, lying(&match_.trays, side)];
        require!(
            all.iter().map(|&tokens| u32::from(tokens)).sum::<u32>() == u32::from(TOKENS),
            "a side has 21 tokens in all"
        );
        Ok(RushHand {
            holder: self.holder,
            tokens: self.hand,
            out: self.out,
            picked_up: self.picked_up.clone(),
            launched: self.launched,
            reloaded: self.reloaded,
        })
    }
}

impl FlyingView {
    fn read<M: Mode>(
        &self,
        match_: &RealTime<M>,
        side: Side,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<Flying, ParseError> {
        require!(
            self.launched <= match_.tick,
            "nothing was launched later than now"
        );
        let aim = match (self.aim, sees_aims(viewer, side)) {
            (Some(aim), true) if aim.cell.is_on(match_.trays.size) => aim,
            (None, false) => match_.any_aim(rng),
            _ => return Err(malformed!("aims are cells, and shown to their side alone")),
        };
        Ok(Flying {
            side,
            launched: self.launched,
            aim,
            lands: self.lands,
        })
    }
}

impl FoundView {
    /// Returns the view of lines that were found together, without the one that is claimed now.
    /// Returns nothing if no line is left.
    fn of(
        found: &LineSet,
        claim: Option<(Side, TrayLine)>,
        is_over: bool,
        viewer: Viewer,
    ) -> Option<Self> {
        let others = found.lines.iter().copied();
        let others = others.filter(|&line| claim != Some((found.side, line)));
        let lines: Vec<LineView> = others.map(LineView::of).collect();
        (!lines.is_empty()).then_some(FoundView {
            side: found.side,
            since: found.since,
            new: found.claimed.is_none() && !is_over,
            claimed: found.claimed.filter(|_| viewer == Viewer::Open),
            lines,
        })
    }

    fn read<M: Mode>(&self, match_: &RealTime<M>) -> Result<LineSet, ParseError> {
        require!(
            SIDES.contains(&self.side) && self.since <= match_.tick && !self.lines.is_empty(),
            "lines are a side's, and stand since some tick"
        );
        let lines = self.lines.iter().map(|line| line.line(match_.trays.size));
        let has_time = !self.new && !matches!(match_.phase, RushPhase::Over(_));
        Ok(LineSet {
            side: self.side,
            since: self.since,
            // Hidden times are sampled later.
            claimed: has_time.then_some(self.claimed.unwrap_or(self.since)),
            lines: lines.collect::<Result<_, _>>()?,
        })
    }
}
