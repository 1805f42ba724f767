//! The simultaneous games: in each tick the sides that are ready launch tokens; lines are claimed.

pub(super) mod modes;
mod secrets;
pub(super) mod state;
pub mod view;

use std::marker::PhantomData;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::facts::{Aim, Does, Launches};
use super::model::{Delay, Scatter};
use super::scene::{landing_in_words, name};
use super::trays::{
    Control, LandingSpot, SIDES, Side, Token, TrayKind, TrayLine, TraySpot, Trays, other, side_of,
};
use super::view::{EdgeRule, LineView, ScoredLine, next_holder, outcome};
use super::{svg, text};
use crate::game::{Event, Game, Illegal, Info, ParseError, SeatLook, illegal, malformed, quoted};
use crate::options::OptionsError;
use crate::seats::{Seat, SeatTurn, Seats, Viewer};
use crate::words::joined;
use crate::{chance, chance_by_serde};

use self::state::{Flying, LineSet, RushHand, RushPhase};
pub use self::state::{Landed, Landing, RealTime};
pub use modes::{Basic, Championship, Mode};
use modes::{RushOptions, RushRules};
use view::{RushView, sees_aims};

/// A step within a tick that needs neither a seat nor chance.
#[derive(Clone, Copy)]
enum RushStep {
    /// A new tick begins: some tokens are back in hand, others land.
    Tick,
    /// New lines are searched. If there are any, the match waits in this phase.
    Look(RushPhase),
    /// The lines that are due are claimed.
    Claims,
    /// The claims are tried, those of this side first.
    Try(Side),
    /// The round ends, the sides that are ready choose, or the next tick begins.
    Finish,
}

/// An action of a side that is ready. Actions are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RushAction {
    /// `launch top c3` launches a token at a cell.
    Launch(TraySpot),
    /// `wait` does nothing in this tick.
    Wait,
}

/// An outcome of chance, which a record stores as `{"claimant":1}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RushSample {
    /// The delays of the launches of this tick, by side.
    Delays(Vec<Delays>),
    /// The landings, in order.
    Landings(Vec<Landing>),
    /// The reactions of the sides that have new lines.
    Reactions(Vec<Reaction>),
    /// The side whose claim comes first.
    Claimant(Side),
}

/// The delays of a launch, in ticks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    side: Side,
    flight: u32,
    /// Does not include the time to hand over the launcher in a team.
    reload: u32,
}

/// The time in ticks until a side claims its new lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    side: Side,
    ticks: u32,
}

impl<M: Mode> RealTime<M> {
    fn hand(&self, side: Side) -> &RushHand {
        &self.hands[usize::from(side)]
    }

    /// Returns the time until a launcher is ready again.
    pub(super) fn reload(&self) -> Delay {
        self.pace.reload.plus(self.hand_over())
    }

    /// Returns the time to hand over a launcher.
    fn hand_over(&self) -> u32 {
        let in_team = self.seats > 2;
        if in_team { self.pace.hand_over } else { 0 }
    }

    /// Returns the seats that choose.
    pub(super) fn asked(&self) -> Seats {
        if self.phase != RushPhase::Choose {
            return Seats::NONE;
        }
        let ready = self.hands.iter().filter(|hand| hand.is_ready(self.tick));
        ready.map(|hand| hand.holder).collect()
    }

    /// Returns the tokens that land now.
    fn due(&self) -> impl Iterator<Item = &Flying> {
        let all = matches!(self.phase, RushPhase::Claim(..));
        let is_due =
            move |token: &&Flying| all || token.lands.is_some_and(|lands| lands <= self.tick);
        self.air.iter().filter(is_due)
    }

    /// Returns the sides whose new lines wait for a reaction.
    fn surprised(&self) -> impl Iterator<Item = Side> {
        let new = |side: &Side| {
            let mut found = self.found.iter();
            found.any(|found| found.side == *side && found.claimed.is_none())
        };
        SIDES.into_iter().filter(new)
    }

    /// Returns the sides that launched in this tick, whose delays are not sampled yet.
    fn launchers(&self) -> impl Iterator<Item = Side> {
        let new = self.air.iter().filter(|token| token.lands.is_none());
        new.map(|token| token.side)
    }

    /// Runs steps until a seat or chance is asked, or the match is over.
    fn advance(&mut self, step: RushStep) {
        let mut next = Some(step);
        while let Some(step) = next {
            next = self.take(step);
        }
    }

    fn take(&mut self, step: RushStep) -> Option<RushStep> {
        match step {
            RushStep::Tick => {
                self.tick += 1;
                self.pick_up();
                if self.air.iter().any(|token| token.lands == Some(self.tick)) {
                    return self.wait_for(RushPhase::Landings);
                }
                Some(RushStep::Look(RushPhase::Reactions))
            }
            RushStep::Look(phase) => {
                self.look();
                let is_new = self.surprised().next().is_some();
                if is_new {
                    self.wait_for(phase)
                } else {
                    Some(RushStep::Claims)
                }
            }
            RushStep::Claims => match SIDES.map(|side| self.next_claim(side).is_some()) {
                [true, true] => self.wait_for(RushPhase::Claimant),
                [true, false] => Some(RushStep::Try(0)),
                [false, true] => Some(RushStep::Try(1)),
                [false, false] => Some(RushStep::Finish),
            },
            RushStep::Try(first) => self.claim(first),
            RushStep::Finish => self.finish_tick(),
        }
    }

    fn wait_for(&mut self, phase: RushPhase) -> Option<RushStep> {
        self.phase = phase;
        None
    }

    /// Returns picked-up tokens to the hands.
    fn pick_up(&mut self) {
        for hand in &mut self.hands {
            let before = hand.picked_up.len();
            hand.picked_up.retain(|&back| back > self.tick);
            hand.tokens += (before - hand.picked_up.len()) as u8;
        }
    }

    /// Removes lines that are broken and adds lines that are new.
    fn look(&mut self) {
        for side in SIDES {
            let mut new = self.trays.lines(side, Control::Topmost);
            for found in self.found.iter_mut().filter(|found| found.side == side) {
                found.lines.retain(|line| new.contains(line));
                new.retain(|line| !found.lines.contains(line));
            }
            self.found.retain(|found| !found.lines.is_empty());
            if !new.is_empty() {
                self.found.push(LineSet {
                    side,
                    since: self.tick,
                    claimed: None,
                    lines: new,
                });
            }
        }
    }

    /// Returns the line that a side claims now: the first one that is due and stands.
    fn next_claim(&self, side: Side) -> Option<TrayLine> {
        let is_due = |found: &&LineSet| {
            found.side == side && found.claimed.is_some_and(|claimed| claimed <= self.tick)
        };
        let mut due = self.found.iter().filter(is_due).peekable();
        due.peek()?;
        let stand = self.trays.lines(side, Control::Topmost);
        due.flat_map(|found| &found.lines)
            .filter(|line| stand.contains(line))
            .min_by_key(|line| line.rank())
            .copied()
    }

    /// Tries the next claim. It is valid if no token is in the air.
    fn claim(&mut self, first: Side) -> Option<RushStep> {
        for side in [first, other(first)] {
            match self.next_claim(side) {
                None => {}
                Some(line) if self.air.is_empty() => return self.score(side, line),
                Some(line) => return self.wait_for(RushPhase::Claim(side, line)),
            }
        }
        Some(RushStep::Look(RushPhase::Void))
    }

    /// Scores a valid claim, which ends the round.
    fn score(&mut self, side: Side, line: TrayLine) -> Option<RushStep> {
        let score = &mut self.score[usize::from(side)];
        *score += Self::worth(line.tray);
        let has_won = *score >= M::TARGET;
        self.scored = Some(ScoredLine {
            round: self.round,
            side,
            line: LineView::of(line),
        });
        if has_won {
            self.finish(Some(side))
        } else {
            self.end_round()
        }
    }

    /// Ends the match. The lines that stand are kept, apart from the one that counted, and are not
    /// claimed any more.
    fn finish(&mut self, winner: Option<Side>) -> Option<RushStep> {
        self.look();
        for found in &mut self.found {
            found.claimed = None;
        }
        if let Some((side, line)) = self.counted() {
            self.drop_line(side, line);
        }
        self.wait_for(RushPhase::Over(winner))
    }

    /// Returns the line that ended this round, and its side.
    pub(super) fn counted(&self) -> Option<(Side, TrayLine)> {
        let scored = self.scored.as_ref()?;
        let line = scored.line.line(self.trays.size).ok()?;
        (scored.round == self.round).then_some((scored.side, line))
    }

    /// Removes a line from those that will be claimed.
    fn drop_line(&mut self, side: Side, line: TrayLine) {
        for found in self.found.iter_mut().filter(|found| found.side == side) {
            found.lines.retain(|&other| other != line);
        }
        self.found.retain(|found| !found.lines.is_empty());
    }

    fn finish_tick(&mut self) -> Option<RushStep> {
        let has_none = |hand: &RushHand| hand.tokens == 0 && hand.picked_up.is_empty();
        let all_out =
            self.hands.iter().all(has_none) && self.air.is_empty() && self.found.is_empty();
        if all_out || self.tick >= self.max_ticks {
            return self.end_round();
        }
        if self.hands.iter().any(|hand| hand.is_ready(self.tick)) {
            self.wait_for(RushPhase::Choose)
        } else {
            Some(RushStep::Tick)
        }
    }

    /// Starts a new round with all tokens in hand, or ends the match.
    fn end_round(&mut self) -> Option<RushStep> {
        if self.round >= self.max_rounds {
            return self.finish(None);
        }
        self.round += 1;
        self.tick = 0;
        self.trays.wipe();
        self.air.clear();
        self.found.clear();
        self.landed = None;
        for hand in &mut self.hands {
            *hand = RushHand::full(hand.holder);
        }
        self.wait_for(RushPhase::Choose)
    }

    fn launch(&mut self, side: Side, aim: TraySpot) {
        let (seats, tick) = (self.seats, self.tick);
        let hand = &mut self.hands[usize::from(side)];
        hand.tokens -= 1;
        hand.launched = Some(tick);
        hand.reloaded = None;
        hand.holder = next_holder(hand.holder, seats);
        self.air.push(Flying {
            side,
            launched: tick,
            aim,
            lands: None,
        });
    }

    /// Lands tokens in this order. Returns whether a claimed line lost a cell.
    fn land(&mut self, landings: &[Landing]) -> bool {
        let mut void = false;
        for landing in landings {
            let (side, launched) = (landing.side, landing.launched);
            self.air
                .retain(|token| (token.side, token.launched) != (side, launched));
            let hand = &mut self.hands[usize::from(side)];
            match landing.place {
                LandingSpot::In(spot) => {
                    self.trays.put(spot, Token::plain(side));
                    void |= matches!(self.phase, RushPhase::Claim(claimant, line)
                        if claimant != side && line.has(spot));
                }
                LandingSpot::Rim(tray) if self.rim == EdgeRule::Leave => {
                    self.trays.put_on_rim(tray, Token::plain(side));
                }
                LandingSpot::Rim(_) => hand.out += 1,
                LandingSpot::Miss => hand.picked_up.push(self.tick + self.pace.pick_up),
            }
        }
        let mut landed = self.landed.take().filter(|landed| landed.tick == self.tick);
        let now = landed.get_or_insert_with(|| Landed {
            tick: self.tick,
            tokens: Vec::new(),
        });
        now.tokens.extend_from_slice(landings);
        self.landed = landed;
        void
    }

    fn apply_sample(&mut self, sample: &RushSample) {
        match sample {
            RushSample::Delays(delays) => {
                for delays in delays {
                    self.delay(delays);
                }
                self.advance(RushStep::Tick);
            }
            RushSample::Landings(landings) => {
                let void = self.land(landings);
                match self.phase {
                    RushPhase::Claim(side, line) if void => {
                        self.drop_line(side, line);
                        self.advance(RushStep::Try(side));
                    }
                    RushPhase::Claim(side, line) => {
                        self.score(side, line);
                    }
                    _ => self.advance(RushStep::Look(RushPhase::Reactions)),
                }
            }
            RushSample::Reactions(reactions) => {
                for reaction in reactions {
                    let new = |found: &&mut LineSet| {
                        found.side == reaction.side && found.claimed.is_none()
                    };
                    for found in self.found.iter_mut().filter(new) {
                        found.claimed = Some(self.tick + reaction.ticks);
                    }
                }
                self.advance(RushStep::Claims);
            }
            RushSample::Claimant(first) => self.advance(RushStep::Try(*first)),
        }
    }

    fn delay(&mut self, delays: &Delays) {
        let hand_over = self.hand_over();
        let hand = &mut self.hands[usize::from(delays.side)];
        hand.reloaded = Some(self.tick + delays.reload + hand_over);
        for token in &mut self.air {
            if token.side == delays.side && token.lands.is_none() {
                token.lands = Some(self.tick + delays.flight);
            }
        }
    }

    /// Checks that exactly the tokens that are due land, each in a possible place.
    fn check_landings(&self, landings: &[Landing]) -> Result<(), Illegal> {
        for (place, landing) in landings.iter().enumerate() {
            let (side, launched, at) = (landing.side, landing.launched, landing.place);
            let named = |landing: &Landing| (landing.side, landing.launched) == (side, launched);
            let mut due = self.due();
            let Some(token) = due.find(|token| (token.side, token.launched) == (side, launched))
            else {
                return Err(illegal!(
                    "no token that side {side} launched at tick {launched} comes down now"
                ));
            };
            if landings[..place].iter().any(named) {
                return Err(illegal!("a token comes down once"));
            }
            let could = self
                .scatter
                .could_land(self.trays.size, side, token.aim, at);
            if !could || !at.is_on(self.trays.size) {
                return Err(illegal!(
                    "what is aimed at {} cannot come down at {at}",
                    token.aim
                ));
            }
        }
        match self.due().count() {
            count if count == landings.len() => Ok(()),
            count => Err(illegal!("{count} tokens come down now")),
        }
    }
}

/// Refuses ticks that a delay cannot take.
fn check_ticks(what: &str, delay: Delay, ticks: u32) -> Result<(), Illegal> {
    if delay.range().contains(&ticks) {
        Ok(())
    } else {
        Err(illegal!(
            "a {what} takes {} to {} ticks, not {ticks}",
            delay.min,
            delay.max
        ))
    }
}

impl<M: Mode> Game for RealTime<M> {
    type Options = RushOptions<RushRules<M>>;
    type Action = RushAction;
    type Chance = RushSample;
    type View = RushView;

    const INFO: Info = M::INFO;

    const NOTATION: &'static str = "launch (bottom|top) [a-f][1-6]|wait";

    fn new(options: &Self::Options, seats: u8) -> Result<Self, OptionsError> {
        let RushOptions { rules, model } = options;
        Ok(RealTime {
            mode: PhantomData,
            seats,
            rim: rules.rim,
            max_ticks: rules.max_ticks.get(),
            max_rounds: rules.max_rounds.get(),
            may_wait: seats == 2 || rules.team_wait,
            scatter: model.scatter(),
            pace: model.pace()?,
            round: 1,
            tick: 0,
            score: [0; 2],
            trays: Trays::empty(rules.size.get() as u8),
            hands: SIDES.map(RushHand::full),
            air: Vec::new(),
            found: Vec::new(),
            landed: None,
            scored: None,
            phase: RushPhase::Choose,
        })
    }

    fn presets() -> Vec<(&'static str, Self::Options)> {
        modes::presets()
    }

    fn brief() -> Self::Options {
        modes::brief()
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn side(&self, seat: Seat) -> u8 {
        side_of(seat)
    }

    fn turn(&self) -> SeatTurn {
        match self.phase {
            RushPhase::Choose => SeatTurn::Seats(self.asked()),
            RushPhase::Over(winner) => SeatTurn::Over(outcome(self.seats, winner, M::WON_BY)),
            _ => SeatTurn::Chance,
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<RushAction>) {
        actions.clear();
        if self.asked().contains(seat) {
            let launches = TraySpot::all(self.trays.size).map(RushAction::Launch);
            let wait = self.may_wait.then_some(RushAction::Wait);
            actions.extend(launches.chain(wait));
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        let size = usize::from(self.trays.size);
        if self.asked().contains(seat) {
            2 * size * size + usize::from(self.may_wait)
        } else {
            0
        }
    }

    fn read_action(&self, text: &str) -> Result<RushAction, ParseError> {
        if text == "wait" {
            return Ok(RushAction::Wait);
        }
        let bad = || {
            let last = TraySpot::all(self.trays.size)
                .last()
                .expect("a tray has cells");
            malformed!(
                "{} is not wait, nor like launch top c3: a tray, and a cell from a1 to {}",
                quoted(text),
                last.cell
            )
        };
        let aim = text.strip_prefix("launch ").ok_or_else(bad)?;
        let aim: TraySpot = aim.parse().map_err(|_| bad())?;
        if aim.cell.is_on(self.trays.size) {
            Ok(RushAction::Launch(aim))
        } else {
            Err(bad())
        }
    }

    fn write_action(&self, action: RushAction, out: &mut String) {
        match action {
            RushAction::Launch(aim) => *out += &format!("launch {aim}"),
            RushAction::Wait => out.push_str("wait"),
        }
    }

    fn action_in_words(&self, action: RushAction) -> String {
        match action {
            RushAction::Launch(aim) => format!("launches at {aim}"),
            RushAction::Wait => "waits".into(),
        }
    }

    fn path(&self, _: Seat, action: RushAction) -> ActionPath {
        match action {
            RushAction::Launch(aim) => ActionPath::on([aim.mark()]),
            RushAction::Wait => ActionPath::beside("wait"),
        }
    }

    fn check(&self, seat: Seat, action: RushAction) -> Result<(), Illegal> {
        if let RushPhase::Over(_) = self.phase {
            return Err(illegal!("the match is over"));
        }
        if !self.asked().contains(seat) {
            return Err(illegal!("seat {seat} is not ready to launch"));
        }
        match action {
            RushAction::Launch(aim) if !aim.cell.is_on(self.trays.size) => {
                Err(illegal!("no tray has a cell {}", aim.cell))
            }
            RushAction::Wait if !self.may_wait => Err(illegal!(
                "in a team you launch as soon as you are ready; the option team_wait allows to wait"
            )),
            RushAction::Launch(_) | RushAction::Wait => Ok(()),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Acts(acts) => {
                for &(seat, action) in acts {
                    if let RushAction::Launch(aim) = action {
                        self.launch(side_of(seat), aim);
                    }
                }
                // Sort by side, since seats of one side may vary.
                self.air.sort_by_key(|token| (token.launched, token.side));
                let anything = self.launchers().next().is_some();
                if anything {
                    self.phase = RushPhase::Delays;
                } else {
                    self.advance(RushStep::Tick);
                }
            }
            Event::Chance(sample) => self.apply_sample(sample),
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> RushSample {
        match self.phase {
            RushPhase::Delays => {
                let delays = |side| Delays {
                    side,
                    flight: self.pace.flight.sample(rng),
                    reload: self.pace.reload.sample(rng),
                };
                RushSample::Delays(self.launchers().map(delays).collect())
            }
            RushPhase::Landings | RushPhase::Claim(..) => {
                let mut due: Vec<&Flying> = self.due().collect();
                chance::shuffle(rng, &mut due);
                let land = |token: &Flying| Landing {
                    side: token.side,
                    launched: token.launched,
                    place: self
                        .scatter
                        .land(self.trays.size, token.side, token.aim, rng),
                };
                RushSample::Landings(due.into_iter().map(land).collect())
            }
            RushPhase::Reactions | RushPhase::Void => {
                let reaction = |side| Reaction {
                    side,
                    ticks: self.pace.reaction.sample(rng),
                };
                RushSample::Reactions(self.surprised().map(reaction).collect())
            }
            RushPhase::Claimant => RushSample::Claimant(chance::below(rng, 2) as Side),
            RushPhase::Choose | RushPhase::Over(_) => {
                unreachable!("chance is asked when it is its turn")
            }
        }
    }

    fn check_chance(&self, sample: &RushSample) -> Result<(), Illegal> {
        match (self.phase, sample) {
            (RushPhase::Delays, RushSample::Delays(delays)) => {
                if !delays.iter().map(|delays| delays.side).eq(self.launchers()) {
                    return Err(illegal!("delays are of the launches, by side"));
                }
                delays.iter().try_for_each(|delays| {
                    check_ticks("flight", self.pace.flight, delays.flight)?;
                    check_ticks("reload", self.pace.reload, delays.reload)
                })
            }
            (RushPhase::Landings | RushPhase::Claim(..), RushSample::Landings(landings)) => {
                self.check_landings(landings)
            }
            (RushPhase::Reactions | RushPhase::Void, RushSample::Reactions(reactions)) => {
                let sides = reactions.iter().map(|reaction| reaction.side);
                if !sides.eq(self.surprised()) {
                    return Err(illegal!("reactions are of the sides with new lines"));
                }
                reactions.iter().try_for_each(|reaction| {
                    check_ticks("reaction", self.pace.reaction, reaction.ticks)
                })
            }
            (RushPhase::Claimant, RushSample::Claimant(side)) if SIDES.contains(side) => Ok(()),
            _ => Err(illegal!("this is not what chance does now")),
        }
    }

    chance_by_serde!();

    fn view(&self, viewer: Viewer) -> RushView {
        RushView::of(self, viewer)
    }

    fn chance_in_words(&self, event: &RushSample) -> String {
        match event {
            RushSample::Delays(delays) => {
                let words = |delays: &Delays| {
                    let (side, ticks) = (name(delays.side), delays.flight);
                    format!("{side}'s token flies for {ticks} ticks")
                };
                joined(delays.iter().map(words), "; ")
            }
            RushSample::Landings(landings) => {
                let words =
                    |landing: &Landing| landing_in_words(landing.side, "token", landing.place);
                joined(landings.iter().map(words), "; ")
            }
            RushSample::Reactions(_) => "how fast the sides see their new lines".into(),
            RushSample::Claimant(side) => format!("{} claims first", name(*side)),
        }
    }

    fn sees_action(&self, viewer: Viewer, seat: Seat, action: RushAction) -> bool {
        action == RushAction::Wait || sees_aims(viewer, side_of(seat))
    }

    fn sees_chance(&self, viewer: Viewer, event: &RushSample) -> bool {
        match event {
            RushSample::Landings(_) | RushSample::Claimant(_) => true,
            RushSample::Delays(_) | RushSample::Reactions(_) => viewer == Viewer::Open,
        }
    }

    fn from_view(
        options: &Self::Options,
        seats: u8,
        viewer: Viewer,
        view: &RushView,
        rng: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        view.rebuild(Self::new(options, seats)?, viewer, rng)
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        let mut other = self.clone();
        other.forget(viewer, rng);
        other
    }

    fn text(view: &RushView) -> String {
        text::text(&view.scene(Self::INFO.title))
    }

    fn look(seat: Seat) -> Option<SeatLook> {
        Some(svg::look(seat))
    }

    fn svg(view: &RushView) -> String {
        svg::svg(&view.scene(Self::INFO.title))
    }
}

impl<M: Mode> Launches for RealTime<M> {
    const TARGET: u8 = M::TARGET;
    const TOP: u8 = M::TOP;
    const TOPMOST: bool = true;

    fn does(action: RushAction) -> Does {
        match action {
            RushAction::Launch(spot) => Does::Launch(spot, TrayKind::Basic),
            RushAction::Wait => Does::Nothing,
        }
    }

    fn standing(&self) -> [u8; 2] {
        self.score
    }

    fn aims(&self) -> impl Iterator<Item = Aim> {
        self.air.iter().map(|token| (token.side, token.aim.place()))
    }

    fn table(&self) -> (&Scatter, &Trays) {
        (&self.scatter, &self.trays)
    }
}
