//! What a viewer sees of a simultaneous game, and states that fit what is seen. Nobody sees when
//! a token comes down, when a launcher is ready or when a line is claimed; a side's aims are its
//! own.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::draw::{Age, Scene, SideScene};
use super::rush::{Flying, Found, Hand, Landed, Mode, Phase, Rush};
use super::trays::{Control, Line, Place, SIDES, Side, Spot, TOKENS, Tray, other, side_of};
use super::view::{LineView, Over, Rim, Scored, Tally, TrayView, lying, over, read_trays};
use crate::course::malformed;
use crate::{Malformed, Seat, Viewer, chance};

/// What a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The round, from 1.
    round: u32,
    /// The tick of the round, from 0.
    tick: u32,
    /// What the match waits for.
    phase: PhaseView,
    /// The seats that choose now; none when chance has something to draw, or the match is over.
    to_move: Vec<Seat>,
    /// The upper tray.
    top: TrayView,
    /// The lower tray.
    bottom: TrayView,
    /// What each side has: side 0, which is red, and side 1, which is yellow.
    sides: Vec<SideView>,
    /// The lines that stand and are not claimed yet.
    lines: Vec<FoundView>,
    /// The line that is claimed right now; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimView>,
    /// What came down in the last tick in which something did; null before the first of a round.
    landed: Option<Landed>,
    /// The last line that counted; null before the first of a match.
    scored: Option<Scored>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over: Option<Over>,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PhaseView {
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
struct SideView {
    /// Its points.
    score: u8,
    /// The seat that holds the launcher.
    holder: Seat,
    /// The tokens in hand.
    hand: u8,
    /// Whether there is a token in hand and the launcher is ready.
    ready: bool,
    /// The tick of its last launch in this round; null before the first.
    launched: Option<u32>,
    /// The tick at which the launcher is ready again. Only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reloaded: Option<u32>,
    /// Its tokens in the air, by launch.
    in_air: Vec<FlyingView>,
    /// For each token that is being picked up, the tick at which it is back in hand; ascending.
    picked_up: Vec<u32>,
    /// The tokens that are out for the round.
    out: u8,
}

/// A token in the air.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FlyingView {
    /// The tick of its launch.
    launched: u32,
    /// What it was aimed at: `top c3`. Left out for those who may not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aim: Option<Spot>,
    /// The tick at which it comes down. Only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lands: Option<u32>,
}

/// Lines of a side that were found together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FoundView {
    /// The side whose they are.
    side: Side,
    /// The tick since which they stand.
    since: u32,
    /// Whether chance has yet to draw how long their claim takes; left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    new: bool,
    /// The tick at which they are claimed. Only after the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claimed: Option<u32>,
    /// The lines that still stand, the top tray's first.
    lines: Vec<LineView>,
}

/// A line that is claimed right now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct ClaimView {
    /// The side that claims it.
    side: Side,
    /// The line.
    line: LineView,
}

/// Whether a viewer may know what a side aims at.
fn sees_aims(viewer: Viewer, side: Side) -> bool {
    match viewer {
        Viewer::Seat(seat) => side_of(seat) == side,
        Viewer::Public => false,
        Viewer::Open => true,
    }
}

/// Says that a view cannot be.
fn refuse<T>(why: &str) -> Result<T, Malformed> {
    Err(malformed(why))
}

/// Refuses a view of which something does not hold.
fn require(holds: bool, why: &str) -> Result<(), Malformed> {
    match holds {
        true => Ok(()),
        false => refuse(why),
    }
}

impl View {
    pub(super) fn of<M: Mode>(match_: &Rush<M>, viewer: Viewer) -> Self {
        let is_open = viewer == Viewer::Open;
        let side = |side: Side| {
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
        };
        let found = |found: &Found| FoundView {
            side: found.side,
            since: found.since,
            new: found.claimed.is_none(),
            claimed: found.claimed.filter(|_| is_open),
            lines: found.lines.iter().copied().map(LineView::of).collect(),
        };
        let (phase, claim, winner) = match match_.phase {
            Phase::Choose => (PhaseView::Choose, None, None),
            Phase::Delays => (PhaseView::Delays, None, None),
            Phase::Landings => (PhaseView::Landings, None, None),
            Phase::Reactions => (PhaseView::Reactions, None, None),
            Phase::Claimant => (PhaseView::Claimant, None, None),
            Phase::Claim(side, line) => {
                let line = LineView::of(line);
                (PhaseView::Claim, Some(ClaimView { side, line }), None)
            }
            Phase::Void => (PhaseView::Void, None, None),
            Phase::Over(winner) => (PhaseView::Over, None, Some(winner)),
        };
        View {
            round: match_.round,
            tick: match_.tick,
            phase,
            to_move: match_.asked().collect(),
            top: TrayView::of(&match_.trays, Tray::Top),
            bottom: TrayView::of(&match_.trays, Tray::Bottom),
            sides: SIDES.map(side).into(),
            lines: match_.found.iter().map(found).collect(),
            claim,
            landed: match_.landed.clone(),
            scored: match_.scored.clone(),
            over: winner.map(|winner| over(match_.seats, winner, M::WON_BY)),
        }
    }

    /// Makes a state of a match that has just begun one that shows this view.
    pub(super) fn rebuild<M: Mode>(
        &self,
        mut match_: Rush<M>,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<Rush<M>, Malformed> {
        require(self.sides.len() == SIDES.len(), "there are two sides")?;
        require(
            (1..=match_.max_rounds).contains(&self.round) && self.tick <= match_.max_ticks,
            "there are not so many rounds or ticks",
        )?;
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
        match_.check()?;
        if viewer != Viewer::Open {
            let ready = [self.sides[0].ready, self.sides[1].ready];
            match_.draw_times(ready, rng)?;
        }
        match_.check_times()?;
        let same = View::of(&match_, viewer) == *self;
        require(same, "what the view says does not fit together")?;
        Ok(match_)
    }

    fn read_phase<M: Mode>(&self, match_: &Rush<M>) -> Result<Phase, Malformed> {
        Ok(match (self.phase, &self.claim) {
            (PhaseView::Choose, None) => Phase::Choose,
            (PhaseView::Delays, None) => Phase::Delays,
            (PhaseView::Landings, None) => Phase::Landings,
            (PhaseView::Reactions, None) => Phase::Reactions,
            (PhaseView::Claimant, None) => Phase::Claimant,
            (PhaseView::Claim, Some(ClaimView { side, line })) if SIDES.contains(side) => {
                Phase::Claim(*side, line.line(match_.trays.size)?)
            }
            (PhaseView::Void, None) => Phase::Void,
            (PhaseView::Over, None) => {
                let won = |side: &Side| {
                    let score = self.sides[usize::from(*side)].score;
                    score >= M::TARGET
                };
                Phase::Over(SIDES.into_iter().find(won))
            }
            _ => return refuse("the phase claim names the line, and no other does"),
        })
    }

    /// What is drawn.
    pub(super) fn scene(&self, title: &'static str) -> Scene<'_> {
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
                        ticks: self.tick.saturating_sub(token.launched),
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
        let won = self.scored.iter().filter(|_| self.over.is_some());
        let won = won.filter(|scored| scored.round == self.round);
        let won = won.map(|scored| (scored.side, &scored.line));
        Scene {
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
        let named = |seats: &[Seat]| super::draw::seats_in_words(seats);
        match (&self.over, self.phase) {
            (Some(over), _) => super::draw::over_in_words(over),
            (None, PhaseView::Choose) => format!("{} to choose", named(&self.to_move)),
            (None, PhaseView::Delays) => "Tokens are launched".into(),
            (None, PhaseView::Landings) => "Tokens are coming down".into(),
            (None, PhaseView::Reactions) => "There is a new line".into(),
            (None, PhaseView::Claimant) => "Both sides claim a line".into(),
            (None, PhaseView::Claim) => match &self.claim {
                Some(claim) => format!("{} claims a line", super::draw::name(claim.side)),
                None => "A line is claimed".into(),
            },
            (None, PhaseView::Void) => "The claim is void; there is a new line".into(),
            (None, PhaseView::Over) => "Over".into(),
        }
    }

    /// The side that the caption is about, if it is one.
    fn about(&self) -> Option<Side> {
        if let Some(over) = &self.over {
            return super::draw::winner(over);
        }
        match (self.to_move.as_slice(), &self.claim) {
            (&[seat], _) => Some(side_of(seat)),
            (_, Some(claim)) => Some(claim.side),
            _ => None,
        }
    }
}

impl SideView {
    fn read_hand<M: Mode>(&self, match_: &Rush<M>, side: Side) -> Result<Hand, Malformed> {
        let tick = match_.tick;
        require(
            self.holder < match_.seats && side_of(self.holder) == side,
            "a seat of the side holds its launcher",
        )?;
        require(
            self.launched.is_none_or(|launched| launched <= tick),
            "nothing was launched later than now",
        )?;
        let back = (tick + 1)..=(tick + match_.pace.pick_up);
        require(
            self.picked_up.is_sorted() && self.picked_up.iter().all(|at| back.contains(at)),
            "picking a token up takes as long as the options say",
        )?;
        let elsewhere = self.in_air.len() + self.picked_up.len();
        let elsewhere = u8::try_from(elsewhere).unwrap_or(u8::MAX);
        let all = [self.hand, self.out, elsewhere, lying(&match_.trays, side)];
        require(
            all.iter().map(|&tokens| u32::from(tokens)).sum::<u32>() == u32::from(TOKENS),
            "a side has 21 tokens in all",
        )?;
        Ok(Hand {
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
        match_: &Rush<M>,
        side: Side,
        viewer: Viewer,
        rng: &mut dyn Rng,
    ) -> Result<Flying, Malformed> {
        require(
            self.launched <= match_.tick,
            "nothing was launched later than now",
        )?;
        let aim = match (self.aim, sees_aims(viewer, side)) {
            (Some(aim), true) if aim.cell.is_on(match_.trays.size) => aim,
            (None, false) => match_.any_aim(rng),
            _ => return refuse("aims are cells, and shown to their side alone"),
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
    fn read<M: Mode>(&self, match_: &Rush<M>) -> Result<Found, Malformed> {
        require(
            SIDES.contains(&self.side) && self.since <= match_.tick && !self.lines.is_empty(),
            "lines are a side's, and stand since some tick",
        )?;
        let lines = self.lines.iter().map(|line| line.line(match_.trays.size));
        Ok(Found {
            side: self.side,
            since: self.since,
            // What is not shown is drawn later.
            claimed: (!self.new).then_some(self.claimed.unwrap_or(self.since)),
            lines: lines.collect::<Result<_, _>>()?,
        })
    }
}

/// The ticks from the first to the second.
type Bounds = (u32, u32);

fn is_within(tick: Option<u32>, (low, high): Bounds) -> bool {
    tick.is_some_and(|tick| (low..=high).contains(&tick))
}

fn draw_within((low, high): Bounds, rng: &mut dyn Rng) -> u32 {
    low + chance::below(rng, high - low + 1)
}

/// So often times are drawn anew when they do not fit together; then they are made to fit.
const TRIES: u32 = 10_000;

impl<M: Mode> Rush<M> {
    /// Draws anew what a viewer must not know.
    pub(super) fn forget(&mut self, viewer: Viewer, rng: &mut dyn Rng) {
        if viewer == Viewer::Open {
            return;
        }
        for at in 0..self.air.len() {
            if !sees_aims(viewer, self.air[at].side) {
                self.air[at].aim = self.any_aim(rng);
            }
        }
        let ready = SIDES.map(|side| self.hand(side).is_ready(self.tick));
        self.draw_times(ready, rng)
            .expect("the true times are within their bounds");
    }

    fn any_aim(&self, rng: &mut dyn Rng) -> Spot {
        let size = u32::from(self.trays.size);
        let choice = chance::below(rng, 2 * size * size);
        let mut aims = Spot::all(self.trays.size);
        aims.nth(choice as usize).expect("there are so many cells")
    }

    /// Draws all times that nobody sees, as likely as they are after what was seen.
    fn draw_times(&mut self, ready: [bool; 2], rng: &mut dyn Rng) -> Result<(), Malformed> {
        for side in SIDES {
            self.hands[usize::from(side)].reloaded = None;
            if let Some(bounds) = self.reload_bounds(side, ready[usize::from(side)])? {
                self.hands[usize::from(side)].reloaded = Some(draw_within(bounds, rng));
            }
        }
        self.draw_flights(rng)?;
        self.draw_claims(rng)
    }

    /// When a launcher is ready; nothing if that is not drawn yet.
    fn reload_bounds(&self, side: Side, ready: bool) -> Result<Option<Bounds>, Malformed> {
        let hand = self.hand(side);
        let launched = match hand.launched {
            None => return Ok(None),
            Some(launched) if self.phase == Phase::Delays && launched == self.tick => {
                return Ok(None);
            }
            Some(launched) => launched,
        };
        let reload = self.reload();
        let (mut low, mut high) = (launched + reload.least, launched + reload.most);
        match (ready, hand.tokens) {
            (true, _) => high = high.min(self.tick),
            // Without a token nobody sees whether the launcher is ready.
            (false, 0) => {}
            (false, _) => low = low.max(self.tick + 1),
        }
        match low <= high {
            true => Ok(Some((low, high))),
            false => refuse("a launcher is not ready at such a tick"),
        }
    }

    /// When a token comes down; nothing if that is not drawn yet.
    fn flight_bounds(&self, token: &Flying) -> Result<Option<Bounds>, Malformed> {
        if self.phase == Phase::Delays && token.launched == self.tick {
            return Ok(None);
        }
        // What is due comes down before anything else is done in a tick.
        let least = self.tick + u32::from(self.phase != Phase::Landings);
        let flight = self.pace.flight;
        let bounds = (
            (token.launched + flight.least).max(least),
            token.launched + flight.most,
        );
        match bounds.0 <= bounds.1 {
            true => Ok(Some(bounds)),
            false => refuse("a token is not in the air for so long"),
        }
    }

    fn draw_flights(&mut self, rng: &mut dyn Rng) -> Result<(), Malformed> {
        let bounds = self.air.iter().map(|token| self.flight_bounds(token));
        let bounds: Vec<Option<Bounds>> = bounds.collect::<Result<_, _>>()?;
        let now = self.tick;
        let draw = |rng: &mut dyn Rng| -> Vec<Option<u32>> {
            let each = |bounds: &Option<Bounds>| bounds.map(|bounds| draw_within(bounds, rng));
            bounds.iter().map(each).collect()
        };
        let mut lands = draw(rng);
        if self.phase == Phase::Landings {
            // At least one of them comes down now.
            let may = bounds
                .iter()
                .position(|bounds| bounds.is_some_and(|it| it.0 <= now));
            let Some(may) = may else {
                return refuse("no token can come down now");
            };
            let mut tries = 1..TRIES;
            while !lands.contains(&Some(now)) {
                lands = draw(rng);
                if tries.next().is_none() {
                    lands[may] = Some(now);
                }
            }
        }
        for (token, lands) in self.air.iter_mut().zip(lands) {
            token.lands = lands;
        }
        Ok(())
    }

    /// When lines are claimed; nothing if that is not drawn yet.
    fn claim_bounds(&self, found: &Found) -> Result<Option<Bounds>, Malformed> {
        if found.claimed.is_none() {
            return Ok(None);
        }
        let reaction = self.pace.reaction;
        let (mut low, mut high) = (found.since + reaction.least, found.since + reaction.most);
        match self.phase {
            // Claims that are due are still to be heard.
            Phase::Landings | Phase::Reactions | Phase::Claimant => low = low.max(self.tick),
            Phase::Claim(side, line) if found.side == side && found.lines.contains(&line) => {
                (low, high) = (low.max(self.tick), high.min(self.tick));
            }
            Phase::Claim(side, line) => {
                // Of one side's, this line was the first one due.
                let is_before = |other: &Line| other.rank() < line.rank();
                let later = found.side == side && found.lines.iter().any(is_before);
                low = low.max(self.tick + u32::from(later));
            }
            Phase::Choose | Phase::Delays | Phase::Void | Phase::Over(_) => {
                low = low.max(self.tick + 1);
            }
        }
        match low <= high {
            true => Ok(Some((low, high))),
            false => refuse("a line is not left unclaimed for so long"),
        }
    }

    fn draw_claims(&mut self, rng: &mut dyn Rng) -> Result<(), Malformed> {
        for side in SIDES {
            let own: Vec<usize> = (0..self.found.len())
                .filter(|&at| self.found[at].side == side)
                .collect();
            let bounds = own.iter().map(|&at| {
                let found = &self.found[at];
                self.claim_bounds(found)
            });
            let bounds: Vec<Option<Bounds>> = bounds.collect::<Result<_, _>>()?;
            let now = self.tick;
            let draw = |rng: &mut dyn Rng| -> Vec<Option<u32>> {
                let each = |bounds: &Option<Bounds>| bounds.map(|bounds| draw_within(bounds, rng));
                bounds.iter().map(each).collect()
            };
            let mut claimed = draw(rng);
            match self.phase {
                Phase::Claimant => {
                    let may = bounds
                        .iter()
                        .position(|bounds| bounds.is_some_and(|it| it.0 <= now));
                    let Some(may) = may else {
                        return refuse("no line can be claimed now");
                    };
                    let mut tries = 1..TRIES;
                    while !claimed.contains(&Some(now)) {
                        claimed = draw(rng);
                        if tries.next().is_none() {
                            claimed[may] = Some(now);
                        }
                    }
                }
                // Had this side claimed too, the other would have been heard first in one case of
                // two.
                Phase::Claim(claimant, _) if side == other(claimant) => {
                    while claimed.contains(&Some(now)) && chance::below(rng, 2) == 0 {
                        claimed = draw(rng);
                    }
                }
                _ => {}
            }
            for (at, claimed) in own.into_iter().zip(claimed) {
                self.found[at].claimed = claimed;
            }
        }
        Ok(())
    }

    /// Whether all times can be as they are.
    fn check_times(&self) -> Result<(), Malformed> {
        let fits = |time: Option<u32>, bounds: Option<Bounds>| match bounds {
            None => time.is_none(),
            Some(bounds) => is_within(time, bounds),
        };
        let wrong = "the times do not fit what is seen";
        for side in SIDES {
            let hand = self.hand(side);
            let bounds = self.reload_bounds(side, hand.is_ready(self.tick))?;
            require(fits(hand.reloaded, bounds), wrong)?;
        }
        for token in &self.air {
            require(fits(token.lands, self.flight_bounds(token)?), wrong)?;
        }
        for found in &self.found {
            let bounds = self.claim_bounds(found)?;
            require(fits(found.claimed, bounds), wrong)?;
        }
        let now = Some(self.tick);
        let lands = self.air.iter().any(|token| token.lands == now);
        let claims = SIDES.map(|side| {
            let mut found = self.found.iter();
            found.any(|found| found.side == side && found.claimed == now)
        });
        match self.phase {
            Phase::Landings => require(lands, wrong),
            Phase::Claimant => require(claims == [true, true], wrong),
            _ => Ok(()),
        }
    }

    /// Refuses what cannot come about, whatever the times are.
    fn check(&self) -> Result<(), Malformed> {
        for side in SIDES {
            self.check_launches(side)?;
        }
        self.check_trays()?;
        self.check_lines()?;
        self.check_landed()?;
        self.check_phase()?;
        let is_over = matches!(self.phase, Phase::Over(_));
        Tally {
            rounds: self.round - u32::from(!is_over),
            score: self.score,
            scored: self.scored.as_ref(),
            winner: match self.phase {
                Phase::Over(winner) => winner,
                _ => None,
            },
            target: M::TARGET,
            worth: Self::worth,
        }
        .check(self.trays.size)
    }

    /// A side launches one token at a time, and has to reload between.
    fn check_launches(&self, side: Side) -> Result<(), Malformed> {
        let hand = self.hand(side);
        let mut launches: Vec<u32> = self
            .air
            .iter()
            .filter(|token| token.side == side)
            .map(|token| token.launched)
            .collect();
        let Some(last) = hand.launched else {
            return require(hand.tokens == TOKENS, "nothing was launched");
        };
        if launches.last() != Some(&last) {
            launches.push(last);
        }
        let reload = self.reload().least;
        let apart = |pair: &[u32]| pair[0] < pair[1] && pair[1] - pair[0] >= reload;
        require(
            launches.windows(2).all(apart),
            "a side reloads between two launches",
        )?;
        let most = 1 + last / reload;
        require(
            u32::from(TOKENS - hand.tokens) <= most,
            "a side cannot have launched so many tokens",
        )?;
        let just_now = last == self.tick;
        let in_air = self
            .air
            .iter()
            .any(|token| (token.side, token.launched) == (side, last));
        require(
            just_now
                == (self.phase == Phase::Delays && in_air && launches.last() == Some(&self.tick)),
            "launches are followed by their delays",
        )
    }

    fn check_trays(&self) -> Result<(), Malformed> {
        let is_plain = self
            .trays
            .tokens()
            .all(|token| token == super::trays::Token::plain(token.side));
        require(is_plain, "marks mean nothing in this game")?;
        let on_rims = Tray::ALL
            .iter()
            .any(|&tray| self.trays.rim(tray).next().is_some());
        let out = self.hands.iter().any(|hand| hand.out > 0);
        match self.rim {
            Rim::Remove => require(!on_rims, "no token stays on a rim"),
            Rim::Leave => require(!out, "no token is removed"),
        }
    }

    /// The lines that are known are those that stand.
    fn check_lines(&self) -> Result<(), Malformed> {
        let sorted = |lines: &[Line]| lines.is_sorted_by(|one, next| one.rank() < next.rank());
        require(
            self.found.is_sorted_by_key(|found| found.since)
                && self
                    .found
                    .iter()
                    .all(|found| found.since > 0 && sorted(&found.lines)),
            "lines are in order",
        )?;
        for side in SIDES {
            let own = self.found.iter().filter(|found| found.side == side);
            let mut known: Vec<Line> = own.flat_map(|found| found.lines.clone()).collect();
            known.sort_by_key(|line| line.rank());
            let stand = self.trays.lines(side, Control::Topmost);
            let fits = match self.phase {
                Phase::Over(_) => known.is_empty(),
                _ => known == stand,
            };
            require(fits, "the lines are those that stand")?;
        }
        Ok(())
    }

    /// What came down last lies where it came down.
    fn check_landed(&self) -> Result<(), Malformed> {
        let Some(Landed { tick, tokens }) = &self.landed else {
            let all_there = |side: &Side| {
                let hand = self.hand(*side);
                let in_air = self.air.iter().filter(|token| token.side == *side);
                usize::from(hand.tokens) + in_air.count() == usize::from(TOKENS)
            };
            return require(SIDES.iter().all(all_there), "nothing came down yet");
        };
        let now = self.tick;
        let fits = match self.phase {
            Phase::Landings => *tick < now,
            Phase::Void => *tick == now,
            _ => *tick <= now,
        };
        require(
            fits && *tick > 0 && !tokens.is_empty(),
            "tokens come down at some tick",
        )?;
        for (at, token) in tokens.iter().enumerate() {
            let same = |side: Side, launched: u32| (side, launched) == (token.side, token.launched);
            let later = self.hands.get(usize::from(token.side));
            let later = later.and_then(|hand| hand.launched);
            let is_known = token.launched < *tick
                && token.place.is_on(self.trays.size)
                && later.is_some_and(|last| token.launched <= last)
                && !self
                    .air
                    .iter()
                    .any(|other| same(other.side, other.launched))
                && !tokens[..at]
                    .iter()
                    .any(|other| same(other.side, other.launched));
            require(is_known, "a token comes down once, after its launch")?;
        }
        let sides_at = |place: Place| -> Vec<Side> {
            let there = tokens.iter().filter(|token| token.place == place);
            there.map(|token| token.side).collect()
        };
        for spot in Spot::all(self.trays.size) {
            let stack: Vec<Side> = self.trays.stack(spot).map(|token| token.side).collect();
            let fits = stack.ends_with(&sides_at(Place::In(spot)));
            require(fits, "what came down lies on top")?;
        }
        let on_rims = |tray: Tray| sides_at(Place::Rim(tray));
        for side in SIDES {
            let count = |sides: Vec<Side>| sides.iter().filter(|&&other| other == side).count();
            let hand = self.hand(side);
            let fits = match self.rim {
                Rim::Remove => {
                    let removed: usize = Tray::ALL.map(|tray| count(on_rims(tray))).iter().sum();
                    removed <= usize::from(hand.out)
                }
                Rim::Leave => Tray::ALL.iter().all(|&tray| {
                    let rim: Vec<Side> = self.trays.rim(tray).map(|token| token.side).collect();
                    rim.ends_with(&on_rims(tray))
                }),
            };
            require(fits, "what came down on a rim is there, or out")?;
            let back = tick + self.pace.pick_up;
            let then = hand.picked_up.iter().filter(|&&at| at == back).count();
            let missed = match back > now {
                true => count(sides_at(Place::Miss)),
                false => 0,
            };
            let latest = hand.picked_up.last().is_none_or(|&last| last <= back);
            require(then == missed && latest, "what missed is picked up")?;
        }
        Ok(())
    }

    fn check_phase(&self) -> Result<(), Malformed> {
        let tick = self.tick;
        let new: Vec<&Found> = self
            .found
            .iter()
            .filter(|found| found.claimed.is_none())
            .collect();
        let waits = matches!(self.phase, Phase::Reactions | Phase::Void);
        let new_fit = new.iter().all(|found| found.since == tick)
            && SIDES
                .iter()
                .all(|&side| new.iter().filter(|found| found.side == side).count() <= 1);
        require(
            waits != new.is_empty() && new_fit,
            "chance draws how long new lines take",
        )?;
        let has_time = tick < self.max_ticks;
        let fits = match self.phase {
            Phase::Choose => has_time,
            Phase::Delays => has_time && self.air.iter().any(|token| token.launched == tick),
            Phase::Landings | Phase::Reactions | Phase::Claimant => tick > 0,
            Phase::Claim(side, line) => {
                let mut own = self.found.iter().filter(|found| found.side == side);
                let own = own.find(|found| found.lines.contains(&line));
                !self.air.is_empty() && own.is_some_and(|found| found.lines[0] == line)
            }
            Phase::Void => self.air.is_empty(),
            Phase::Over(Some(side)) => {
                let stands = |line: &Line| self.trays.lines(side, Control::Topmost).contains(line);
                let scored = self.scored.as_ref();
                let line = scored.and_then(|scored| scored.line.line(self.trays.size).ok());
                self.air.is_empty() && line.as_ref().is_some_and(stands)
            }
            Phase::Over(None) => {
                let has_none = |hand: &Hand| hand.tokens == 0 && hand.picked_up.is_empty();
                let all_out = self.air.is_empty() && self.hands.iter().all(has_none);
                let won = self
                    .scored
                    .as_ref()
                    .is_some_and(|scored| scored.round == self.round);
                self.round == self.max_rounds && (all_out || won || tick == self.max_ticks)
            }
        };
        require(fits, "this is not what the match waits for")
    }
}
