//! Phase 10 Flip (Mattel): ten phases of runs and sets, with cards that have two sides.
//!
//! The course of a match is here. `cards` has the faces, `groups` what can be laid, `view` what is
//! seen, `hidden` how the rest is dealt anew, `draw` the pictures.

mod cards;
mod draw;
mod groups;
mod hidden;
mod view;

use std::fmt;
use std::ops::ControlFlow;

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use crate::chance::{below, shuffle};
use crate::course::{malformed, quoted};
use crate::{
    Event, Game, Illegal, Info, MOST_SEATS, Malformed, OptionsError, Outcome, Points, Seat, Seats,
    Turn, Viewer, Whole, chance_by_serde,
};

use cards::{CARDS, Card, Laid, Stock};
use groups::{Faces, LAST_PHASE, MOST_LAID, Progress, colour, is_group};

pub use cards::{Face, HIGHEST, Side, WILD};
pub use groups::{Kind, Wanted, wanted};
pub use view::View;

/// The cards that each seat is dealt.
const DEALT: usize = 10;

/// The rounds of the variant in which everybody moves on.
const TEN_ROUNDS: u32 = 10;

/// A match of Phase 10 Flip.
#[derive(Clone, Debug)]
pub struct Phase10 {
    options: Options,
    seats: u8,
    /// The two faces of each card, by its number; empty before they are drawn.
    cards: Vec<Card>,
    dealer: Option<Seat>,
    /// The round, from 1; 0 before the first.
    round: u32,
    /// The seats that play the deciding round, if this or the next one is that.
    deciding: Option<Seats>,
    side: Side,
    /// The numbers of the cards; the last is on top.
    draw_pile: Vec<u8>,
    discard_pile: Vec<u8>,
    players: Vec<Player>,
    stage: Stage,
    mover: Seat,
    /// The turns that have ended in this round.
    turns: u32,
    over: Option<Over>,
}

/// What a seat has and has done.
#[derive(Clone, Debug, Default)]
struct Player {
    /// The numbers of its cards.
    hand: Vec<u8>,
    /// The phase of this round, from 1.
    phase: u8,
    /// Whether it is laid in this round.
    down: bool,
    /// Phases completed in all.
    completed: u8,
    score: u32,
    /// What it has laid in this round.
    groups: Vec<Group>,
}

/// A group on the table.
#[derive(Clone, Debug)]
struct Group {
    kind: Kind,
    /// The numbers of the cards, and how they lie.
    cards: Vec<(u8, Laid)>,
}

/// What the table waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Chance pairs the faces.
    Cards,
    /// Chance names the first dealer.
    Dealer,
    /// Chance deals a round. Until then the table stays as the round before left it.
    Deal,
    /// Chance shuffles the discard pile but its top card into a new draw pile.
    Reshuffle,
    /// The seat draws a card.
    Draw,
    /// The seat has laid a part of its phase, and lays the next group.
    Lay,
    /// The seat lays, hits or discards.
    Play,
    /// Nothing more.
    Over,
}

/// The settings of Phase 10 Flip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which rules decide the match.
    pub variant: Variant,
    /// In the variant `short`, how many phases decide; 5 if it is left out. Not for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Whole<1, 9>>,
    /// How many number cards of each side have a flip symbol: a multiple of 4.
    pub flips_each_side: Whole<0, 24>,
    /// What the winner of a round scores.
    pub round_winner_points: Whole<0, 100>,
    /// After so many rounds the match ends as it stands.
    pub max_rounds: Whole<1, 1000>,
    /// After so many turns of a round the match ends as it stands.
    pub max_turns_per_round: Whole<1, 10_000>,
}

/// Which rules decide a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The first to complete phase 10 wins.
    Standard,
    /// Everybody moves on each round; after ten rounds the lowest total wins.
    TenRounds,
    /// Fewer phases decide.
    Short,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variant: Variant::Standard,
            phases: None,
            flips_each_side: Whole::new(8),
            round_winner_points: Whole::new(10),
            max_rounds: Whole::new(60),
            max_turns_per_round: Whole::new(300),
        }
    }
}

impl Options {
    /// The phase that decides.
    fn last_phase(&self) -> u8 {
        match self.variant {
            Variant::Short => self.phases.map_or(5, Whole::get) as u8,
            Variant::Standard | Variant::TenRounds => LAST_PHASE,
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// Points by seat: how many seats are ranked behind it.
    points: Vec<i32>,
    /// By which rule.
    reason: Reason,
}

/// The rules by which a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A seat completed the last phase.
    LastPhase,
    /// A seat went out in the deciding round.
    DecidingRound,
    /// Ten rounds were played.
    TenRounds,
    /// The most rounds or turns were played.
    Limit,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::LastPhase => "last-phase",
            Reason::DecidingRound => "deciding-round",
            Reason::TenRounds => "ten-rounds",
            Reason::Limit => "limit",
        }
    }
}

/// What chance does. Cards are named by their numbers, piles from the top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// `{"cards":[["r7","w3^"],…]}`: the two faces of each card.
    Cards(Vec<Card>),
    /// `{"dealer":2}`: the first dealer.
    Dealer(Seat),
    /// `{"deal":[17,…]}`: the whole deck.
    Deal(Vec<u8>),
    /// `{"reshuffle":[17,…]}`: the new draw pile.
    Reshuffle(Vec<u8>),
}

/// An end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Before its lowest card.
    Low,
    /// After its highest card.
    High,
}

/// What a seat can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `discard r9`.
    Discard(Face),
    /// `draw discard`.
    DrawDiscard,
    /// `draw pile`.
    DrawPile,
    /// `hit r8 2.1 high`: a card, the seat and group that it joins (from 0), and the end of a run.
    Hit(Laid, Seat, u8, Option<End>),
    /// `lay r3 r*=4`: one group.
    Lay(Group5),
}

/// Two to five cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group5 {
    cards: [Laid; MOST_LAID],
    count: u8,
}

impl Group5 {
    fn of(cards: &[Laid]) -> Option<Self> {
        let first = *cards.first()?;
        let mut group = Group5 {
            cards: [first; MOST_LAID],
            count: cards.len() as u8,
        };
        group.cards.get_mut(..cards.len())?.copy_from_slice(cards);
        (cards.len() >= 2).then_some(group)
    }

    fn cards(&self) -> &[Laid] {
        &self.cards[..usize::from(self.count)]
    }
}

/// The bytes of the longest action: `lay w10^ …`, five cards.
const LONGEST: usize = 40;

/// A short text, without an allocation.
struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

impl Action {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Action::Discard(face) => write!(out, "discard {face}"),
            Action::DrawDiscard => out.write_str("draw discard"),
            Action::DrawPile => out.write_str("draw pile"),
            Action::Hit(card, seat, group, end) => {
                write!(out, "hit {card} {seat}.{}", group + 1)?;
                out.write_str(match end {
                    None => "",
                    Some(End::Low) => " low",
                    Some(End::High) => " high",
                })
            }
            Action::Lay(group) => {
                out.write_str("lay")?;
                group
                    .cards()
                    .iter()
                    .try_for_each(|card| write!(out, " {card}"))
            }
        }
    }

    fn text(&self) -> Text {
        let mut text = Text {
            bytes: [0; LONGEST],
            length: 0,
        };
        self.write(&mut text).expect("no action is longer");
        text
    }
}

/// The order of the texts.
impl Ord for Action {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text().bytes.cmp(&other.text().bytes)
    }
}

impl PartialOrd for Action {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Phase10 {
    /// The faces in play of a seat's hand. In a state made up for a viewer most of it is made up.
    pub fn hand(&self, seat: Seat) -> impl Iterator<Item = Face> + '_ {
        self.player(seat).hand.iter().map(|&card| self.face(card))
    }

    /// The phase that a seat plays in this round, from 1.
    pub fn phase(&self, seat: Seat) -> u8 {
        self.player(seat).phase
    }

    /// How many groups of its phase a seat has laid in this round.
    pub fn groups_laid(&self, seat: Seat) -> usize {
        self.player(seat).groups.len()
    }

    /// Whether a seat has laid its phase in this round.
    pub fn is_down(&self, seat: Seat) -> bool {
        self.player(seat).down
    }

    /// How many phases a seat has completed.
    pub fn completed(&self, seat: Seat) -> u8 {
        self.player(seat).completed
    }

    /// A seat's total; low is good.
    pub fn score(&self, seat: Seat) -> u32 {
        self.player(seat).score
    }

    /// Whether a card with this face could be added to a group on the table.
    pub fn fits_on_table(&self, face: Face) -> bool {
        let mut fits = false;
        self.hits(face, &mut |_| fits = true);
        fits
    }

    /// Whether a seat has drawn a card and is yet to discard one.
    pub fn is_to_discard(&self, seat: Seat) -> bool {
        self.mover == seat && matches!(self.stage, Stage::Lay | Stage::Play)
    }

    /// Whether the next round is about to be dealt, and hands count no more.
    pub fn is_between_rounds(&self) -> bool {
        self.stage == Stage::Deal
    }

    /// The settings of the match.
    pub fn options(&self) -> &Options {
        &self.options
    }

    fn player(&self, seat: Seat) -> &Player {
        &self.players[usize::from(seat)]
    }

    fn face(&self, card: u8) -> Face {
        self.cards[usize::from(card)].face(self.side)
    }

    /// The faces of a seat's hand that it sees itself.
    fn faces(&self, seat: Seat) -> Faces {
        Faces::of(self.player(seat).hand.iter().map(|&card| self.face(card)))
    }

    /// The seats that play this round.
    fn playing(&self) -> Seats {
        self.deciding.unwrap_or(Seats::first(self.seats))
    }

    /// The next seat to the left that plays this round.
    fn left_of(&self, seat: Seat) -> Seat {
        let seats = self.seats;
        let mut next = (1..=seats).map(|step| (seat + step) % seats);
        next.find(|&next| self.playing().contains(next))
            .unwrap_or(seat)
    }

    /// How far a seat has laid its phase.
    fn with_progress<T>(&self, seat: Seat, then: impl FnOnce(Progress<'_>) -> T) -> T {
        let player = self.player(seat);
        let laid: Vec<Vec<Laid>> = player
            .groups
            .iter()
            .map(|group| group.cards.iter().map(|&(_, laid)| laid).collect())
            .collect();
        let mut progress = Progress::start(player.phase);
        for group in &laid {
            progress = progress.with(group).expect("what lies there was allowed");
        }
        then(progress)
    }

    fn take_chance(&mut self, draw: &Draw) {
        match draw {
            Draw::Cards(cards) => {
                self.cards.clone_from(cards);
                self.stage = Stage::Dealer;
            }
            Draw::Dealer(seat) => {
                self.dealer = Some(*seat);
                self.stage = Stage::Deal;
            }
            Draw::Deal(order) => self.deal(order),
            Draw::Reshuffle(order) => {
                self.draw_pile = order.iter().rev().copied().collect();
                let top = self.discard_pile.pop();
                self.discard_pile.clear();
                self.discard_pile.extend(top);
                self.stage = Stage::Draw;
            }
        }
    }

    fn deal(&mut self, order: &[u8]) {
        let mut dealer = self.dealer.expect("the dealer was drawn");
        if self.round > 0 {
            dealer = (dealer + 1) % self.seats;
            self.dealer = Some(dealer);
        }
        self.round += 1;
        self.turns = 0;
        self.side = Side::Colour;
        let playing = self.playing();
        for seat in 0..self.seats {
            let (round, last) = (self.round, self.options.last_phase());
            let player = &mut self.players[usize::from(seat)];
            player.hand.clear();
            player.groups.clear();
            player.down = false;
            player.phase = match (self.options.variant, self.deciding) {
                (_, Some(_)) => player.phase,
                (Variant::TenRounds, None) => round as u8,
                (Variant::Standard | Variant::Short, None) => (player.completed + 1).min(last),
            };
        }
        self.draw_pile = order.iter().rev().copied().collect();
        let mut seat = dealer;
        for _ in 0..DEALT * playing.len() {
            seat = self.left_of(seat);
            let card = self.draw_pile.pop().expect("the deck has enough for six");
            self.players[usize::from(seat)].hand.push(card);
        }
        self.discard_pile.clear();
        self.discard_pile.extend(self.draw_pile.pop());
        self.mover = self.left_of(dealer);
        self.begin_turn();
    }

    /// What the table waits for when a turn begins.
    fn begin_turn(&mut self) {
        let empty = self.draw_pile.is_empty() && self.discard_pile.len() > 1;
        self.stage = if empty { Stage::Reshuffle } else { Stage::Draw };
    }

    fn take_act(&mut self, action: Action) {
        match action {
            Action::DrawPile => {
                let card = self.draw_pile.pop().expect("checked");
                self.hold(card);
            }
            Action::DrawDiscard => {
                let card = self.discard_pile.pop().expect("checked");
                self.hold(card);
            }
            Action::Lay(group) => self.lay(group.cards()),
            Action::Hit(card, seat, group, end) => self.hit(card, seat, group, end),
            Action::Discard(face) => self.discard(face),
        }
    }

    fn hold(&mut self, card: u8) {
        self.players[usize::from(self.mover)].hand.push(card);
        self.stage = Stage::Play;
    }

    /// Takes the card of this face with the lowest number out of the mover's hand.
    fn take(&mut self, face: Face) -> u8 {
        let (cards, side) = (&self.cards, self.side);
        let hand = &mut self.players[usize::from(self.mover)].hand;
        let fits = |card: &u8| cards[usize::from(*card)].face(side) == face;
        let card = hand.iter().copied().filter(fits).min().expect("checked");
        hand.retain(|&other| other != card);
        card
    }

    fn lay(&mut self, group: &[Laid]) {
        let cards = group
            .iter()
            .map(|&laid| (self.take(laid.face), laid))
            .collect();
        let last = self.options.last_phase();
        let player = &mut self.players[usize::from(self.mover)];
        let wanted = wanted(player.phase);
        let kind = wanted[player.groups.len()].kind;
        player.groups.push(Group { kind, cards });
        player.down = player.groups.len() == wanted.len();
        if player.down && self.deciding.is_none() {
            player.completed = (player.completed + 1).min(last);
        }
        self.stage = if player.down { Stage::Play } else { Stage::Lay };
        self.end_round_if_out();
    }

    fn hit(&mut self, laid: Laid, seat: Seat, group: u8, end: Option<End>) {
        let card = self.take(laid.face);
        let group = &mut self.players[usize::from(seat)].groups[usize::from(group)];
        match end {
            Some(End::Low) => group.cards.insert(0, (card, laid)),
            Some(End::High) | None => group.cards.push((card, laid)),
        }
        self.end_round_if_out();
    }

    fn discard(&mut self, face: Face) {
        let card = self.take(face);
        self.discard_pile.push(card);
        if face.flips() {
            self.side = self.side.other();
            self.draw_pile.reverse();
            self.discard_pile.reverse();
        }
        self.turns += 1;
        if self.end_round_if_out() {
            return;
        }
        if self.turns >= self.options.max_turns_per_round.get() {
            self.end(Reason::Limit, None);
        } else {
            self.mover = self.left_of(self.mover);
            self.begin_turn();
        }
    }

    fn end_round_if_out(&mut self) -> bool {
        let out = self.player(self.mover).hand.is_empty();
        if out {
            self.end_round();
        }
        out
    }

    fn end_round(&mut self) {
        let winner = self.mover;
        if self.deciding.is_some() {
            return self.end(Reason::DecidingRound, Some(winner));
        }
        for seat in 0..self.seats {
            let hand = &self.player(seat).hand;
            let points = match seat == winner {
                true => self.options.round_winner_points.get(),
                false => hand.iter().map(|&card| self.face(card).points()).sum(),
            };
            self.players[usize::from(seat)].score += points;
        }
        self.stage = Stage::Deal;
        match self.options.variant {
            Variant::TenRounds if self.round == TEN_ROUNDS => self.end(Reason::TenRounds, None),
            Variant::TenRounds => {}
            Variant::Standard | Variant::Short => self.judge_last_phase(),
        }
        if self.stage == Stage::Deal && self.round >= self.options.max_rounds.get() {
            self.deciding = None;
            self.end(Reason::Limit, None);
        }
    }

    /// Whether somebody has completed the last phase, and who is ahead of those.
    fn judge_last_phase(&mut self) {
        let last = self.options.last_phase();
        let done = (0..self.seats).filter(|&seat| self.player(seat).completed == last);
        let Some(lowest) = done.clone().map(|seat| self.player(seat).score).min() else {
            return;
        };
        let tied: Seats = done
            .filter(|&seat| self.player(seat).score == lowest)
            .collect();
        if tied.len() == 1 {
            self.end(Reason::LastPhase, tied.lowest());
        } else {
            self.deciding = Some(tied);
        }
    }

    /// Ends the match: each seat gets as many points as there are seats ranked behind it.
    fn end(&mut self, reason: Reason, winner: Option<Seat>) {
        let points = self.ranking(winner);
        self.over = Some(Over { points, reason });
        self.stage = Stage::Over;
    }

    fn ranking(&self, winner: Option<Seat>) -> Vec<i32> {
        let by_total = self.options.variant == Variant::TenRounds;
        // Lower is better.
        let key = |seat: Seat| {
            let Player {
                completed, score, ..
            } = self.player(seat);
            let phases = if by_total { 0 } else { LAST_PHASE - completed };
            (winner != Some(seat), phases, *score)
        };
        (0..self.seats)
            .map(|seat| {
                let behind = (0..self.seats).filter(|&other| key(other) > key(seat));
                behind.count() as i32
            })
            .collect()
    }

    /// The groups that the mover may lay now.
    fn lays(&self, each: &mut dyn FnMut(&[Laid])) {
        let player = self.player(self.mover);
        if player.down {
            return;
        }
        self.with_progress(self.mover, |progress| {
            let Some(next) = progress.next() else { return };
            let mut hand = self.faces(self.mover);
            let _ = hand.groups(next, &mut |group, rest| {
                if progress
                    .with(group)
                    .is_some_and(|after| rest.complete(after))
                {
                    each(group);
                }
                ControlFlow::Continue(())
            });
        });
    }

    /// The hits that a card allows, each with the card as it would lie.
    fn hits(&self, face: Face, each: &mut dyn FnMut(Action)) {
        for seat in 0..self.seats {
            for (at, group) in self.player(seat).groups.iter().enumerate() {
                for (number, end) in group.places() {
                    let laid = Laid::new(face, number).filter(|laid| group.fits(*laid, end));
                    if let Some(laid) = laid {
                        each(Action::Hit(laid, seat, at as u8, end));
                    }
                }
            }
        }
    }

    fn refusal(&self, seat: Seat, action: Action) -> Option<String> {
        let asked = matches!(self.stage, Stage::Draw | Stage::Lay | Stage::Play);
        if self.stage == Stage::Over {
            return Some("the match is over".into());
        }
        if !asked || seat != self.mover {
            return Some(format!("it is not seat {seat}'s turn"));
        }
        match (self.stage, action) {
            (Stage::Draw, Action::DrawPile) => self
                .draw_pile
                .is_empty()
                .then(|| "the draw pile is empty".into()),
            (Stage::Draw, Action::DrawDiscard) => self
                .discard_pile
                .is_empty()
                .then(|| "the discard pile is empty".into()),
            (Stage::Draw, _) => Some("draw a card first".into()),
            (_, Action::DrawPile | Action::DrawDiscard) => Some("you have drawn a card".into()),
            (_, Action::Lay(group)) => self.why_not_lay(group.cards()),
            (Stage::Lay, _) => Some("lay the next group of your phase first".into()),
            (_, Action::Discard(face)) => self.why_not_hold(face),
            (_, Action::Hit(card, seat, group, end)) => self.why_not_hit(card, seat, group, end),
        }
    }

    fn why_not_hold(&self, face: Face) -> Option<String> {
        (!self.faces(self.mover).has(face)).then(|| format!("you have no {face}"))
    }

    fn why_not_lay(&self, cards: &[Laid]) -> Option<String> {
        let player = self.player(self.mover);
        if player.down {
            return Some("your phase is laid".into());
        }
        let mut rest = self.faces(self.mover);
        for laid in cards {
            if !rest.take(laid.face) {
                return Some(format!("you have no {} for this", laid.face));
            }
        }
        self.with_progress(self.mover, |progress| {
            let next = progress.next()?;
            if cards.len() != next.cards || !is_group(next.kind, cards) {
                let what = match next.kind {
                    Kind::Run => "a run of one colour",
                    Kind::Set => "a set of one number",
                };
                return Some(format!(
                    "the next group of phase {} is {what} with {} cards, in order",
                    player.phase, next.cards
                ));
            }
            let Some(after) = progress.with(cards) else {
                return Some("of two groups alike the lower one comes first".into());
            };
            (!rest.complete(after))
                .then(|| "the rest of your hand cannot complete the phase".into())
        })
    }

    fn why_not_hit(&self, card: Laid, seat: Seat, group: u8, end: Option<End>) -> Option<String> {
        if !self.player(self.mover).down {
            return Some("lay your own phase first".into());
        }
        if let Some(why) = self.why_not_hold(card.face) {
            return Some(why);
        }
        let on_table = self.players.get(usize::from(seat));
        let Some(on_table) = on_table.and_then(|player| player.groups.get(usize::from(group)))
        else {
            return Some(format!("seat {seat} has no group {}", group + 1));
        };
        (!on_table.fits(card, end)).then(|| format!("{card} does not fit there"))
    }
}

impl Group {
    fn laid(&self) -> Vec<Laid> {
        self.cards.iter().map(|&(_, laid)| laid).collect()
    }

    /// The numbers that may be added, and where.
    fn places(&self) -> impl Iterator<Item = (u8, Option<End>)> {
        let number = |at: Option<&(u8, Laid)>| at.map_or(0, |(_, laid)| laid.number);
        let (first, last) = (number(self.cards.first()), number(self.cards.last()));
        let places = match self.kind {
            Kind::Set => [Some((first, None)), None],
            Kind::Run => [
                (first > 1).then(|| (first - 1, Some(End::Low))),
                (last < HIGHEST).then(|| (last + 1, Some(End::High))),
            ],
        };
        places.into_iter().flatten()
    }

    /// Whether a card may be added there.
    fn fits(&self, card: Laid, end: Option<End>) -> bool {
        let suit = card.face.suit();
        let right_colour = match self.kind {
            Kind::Set => true,
            Kind::Run => {
                suit == cards::WILD || colour(&self.laid()).is_none_or(|colour| colour == suit)
            }
        };
        right_colour && self.places().any(|place| place == (card.number, end))
    }
}

impl Game for Phase10 {
    type Options = Options;
    type Action = Action;
    type Chance = Draw;
    type View = View;

    const INFO: Info = Info {
        id: "phase10-flip",
        title: "Phase 10 Flip",
        summary: "Ten phases of runs and sets, with cards that have a coloured and a wild side",
        seats: &[2, 3, 4, 5, 6],
        chance: true,
        secrets: true,
        simultaneous: false,
    };

    const NOTATION: &'static str = r"draw (?:discard|pile)|discard [rygbw](?:(?:[1-9]|1[0-2])\^?|\*)|hit [rygbw](?:(?:[1-9]|1[0-2])\^?|\*=(?:[1-9]|1[0-2])) [0-5]\.[1-3](?: (?:low|high))?|lay(?: [rygbw](?:(?:[1-9]|1[0-2])\^?|\*=(?:[1-9]|1[0-2]))){2,5}";

    fn new(options: &Options, seats: u8) -> Result<Self, OptionsError> {
        if options.phases.is_some() && options.variant != Variant::Short {
            return Err(OptionsError(
                "option phases: a number from 1 to 9 that only the variant \"short\" has".into(),
            ));
        }
        if options.flips_each_side.get() % 4 != 0 {
            return Err(OptionsError(format!(
                "option flips_each_side: {} is no multiple of 4 from 0 to 24",
                options.flips_each_side.get()
            )));
        }
        Ok(Phase10 {
            options: options.clone(),
            seats,
            cards: Vec::new(),
            dealer: None,
            round: 0,
            deciding: None,
            side: Side::Colour,
            draw_pile: Vec::new(),
            discard_pile: Vec::new(),
            players: vec![
                Player {
                    phase: 1,
                    ..Player::default()
                };
                seats.into()
            ],
            stage: Stage::Cards,
            mover: 0,
            turns: 0,
            over: None,
        })
    }

    fn presets() -> Vec<(&'static str, Options)> {
        let brief = Options {
            max_rounds: Whole::new(3),
            max_turns_per_round: Whole::new(40),
            ..Options::default()
        };
        vec![
            (
                "short",
                Options {
                    variant: Variant::Short,
                    phases: Some(Whole::new(1)),
                    max_turns_per_round: Whole::new(120),
                    ..brief.clone()
                },
            ),
            (
                "ten-rounds",
                Options {
                    variant: Variant::TenRounds,
                    max_turns_per_round: Whole::new(25),
                    max_rounds: Whole::new(12),
                    round_winner_points: Whole::new(0),
                    ..brief.clone()
                },
            ),
            (
                "many-flips",
                Options {
                    flips_each_side: Whole::new(24),
                    ..brief.clone()
                },
            ),
            (
                "no-flips",
                Options {
                    flips_each_side: Whole::new(0),
                    max_rounds: Whole::new(1),
                    ..brief
                },
            ),
        ]
    }

    fn brief() -> Options {
        Options {
            variant: Variant::Short,
            phases: Some(Whole::new(2)),
            max_rounds: Whole::new(3),
            max_turns_per_round: Whole::new(40),
            ..Options::default()
        }
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn turn(&self) -> Turn {
        if let Some(Over { points, reason }) = &self.over {
            let mut outcome = Points::zero(self.seats);
            for (seat, &points) in points.iter().enumerate().take(MOST_SEATS) {
                outcome.set(seat as Seat, points);
            }
            return Turn::Over(Outcome {
                points: outcome,
                reason: reason.name(),
            });
        }
        match self.stage {
            Stage::Draw | Stage::Lay | Stage::Play => Turn::Seats(Seats::one(self.mover)),
            Stage::Cards | Stage::Dealer | Stage::Deal | Stage::Reshuffle | Stage::Over => {
                Turn::Chance
            }
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.clear();
        if self.turn() != Turn::Seats(Seats::one(seat)) {
            return;
        }
        if self.stage == Stage::Draw {
            if !self.discard_pile.is_empty() {
                actions.push(Action::DrawDiscard);
            }
            if !self.draw_pile.is_empty() {
                actions.push(Action::DrawPile);
            }
            return;
        }
        if self.stage == Stage::Play {
            for face in self.faces(seat).each() {
                actions.push(Action::Discard(face));
                if self.player(seat).down {
                    self.hits(face, &mut |hit| actions.push(hit));
                }
            }
        }
        self.lays(&mut |group| actions.extend(Group5::of(group).map(Action::Lay)));
        actions.sort_by_cached_key(|action| action.text().bytes);
    }

    fn read_action(&self, text: &str) -> Result<Action, Malformed> {
        let words: Vec<&str> = text.split(' ').collect();
        let action = match words[..] {
            ["draw", "discard"] => Some(Action::DrawDiscard),
            ["draw", "pile"] => Some(Action::DrawPile),
            ["discard", face] => Face::read(face).map(Action::Discard),
            ["hit", card, place] => read_hit(card, place, None),
            ["hit", card, place, "low"] => read_hit(card, place, Some(End::Low)),
            ["hit", card, place, "high"] => read_hit(card, place, Some(End::High)),
            ["lay", ref cards @ ..] => {
                let cards: Option<Vec<Laid>> = cards.iter().map(|card| Laid::read(card)).collect();
                cards.and_then(|cards| Group5::of(&cards)).map(Action::Lay)
            }
            _ => None,
        };
        action.ok_or_else(|| {
            malformed(format!(
                "{} is not like draw pile, draw discard, lay r3 r*=4, hit r8 2.1 high or discard r9",
                quoted(text)
            ))
        })
    }

    fn write_action(&self, action: Action, out: &mut String) {
        action.write(out).expect("a string takes all");
    }

    fn check(&self, seat: Seat, action: Action) -> Result<(), Illegal> {
        match self.refusal(seat, action) {
            None => Ok(()),
            Some(why) => Err(Illegal(why)),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Chance(draw) => self.take_chance(draw),
            Event::Acts(acts) => self.take_act(acts[0].1),
        }
    }

    fn draw(&self, rng: &mut dyn Rng) -> Draw {
        match self.stage {
            Stage::Cards => {
                let flips = self.options.flips_each_side.get();
                let [colour, wild] = [Side::Colour, Side::Wild].map(|side| Stock::new(side, flips));
                // Trying again until no star is on a star leaves all other pairings alike.
                loop {
                    let (colour, wild) = (colour.drawn(rng), wild.drawn(rng));
                    let pairs = colour.into_iter().zip(wild);
                    let cards: Vec<Card> = pairs.map(|(colour, wild)| Card(colour, wild)).collect();
                    if !cards.iter().any(|card| card.is_star_twice()) {
                        return Draw::Cards(cards);
                    }
                }
            }
            Stage::Dealer => Draw::Dealer(below(rng, self.seats.into()) as Seat),
            Stage::Reshuffle => {
                let under = self.discard_pile.len().saturating_sub(1);
                let mut order = self.discard_pile[..under].to_vec();
                shuffle(rng, &mut order);
                Draw::Reshuffle(order)
            }
            _ => {
                let mut order: Vec<u8> = (0..CARDS as u8).collect();
                shuffle(rng, &mut order);
                Draw::Deal(order)
            }
        }
    }

    fn check_chance(&self, draw: &Draw) -> Result<(), Illegal> {
        let illegal = |why: &str| Err(Illegal(why.into()));
        let same_cards = |order: &[u8], cards: &[u8]| {
            let sorted = |cards: &[u8]| {
                let mut cards = cards.to_vec();
                cards.sort_unstable();
                cards
            };
            sorted(order) == sorted(cards)
        };
        match (self.stage, draw) {
            (Stage::Cards, Draw::Cards(cards)) => self.check_cards(cards),
            (Stage::Dealer, Draw::Dealer(seat)) => match *seat < self.seats {
                true => Ok(()),
                false => illegal("there is no such seat"),
            },
            (Stage::Deal, Draw::Deal(order)) => {
                let all: Vec<u8> = (0..CARDS as u8).collect();
                match same_cards(order, &all) {
                    true => Ok(()),
                    false => illegal("a deal is of all 104 cards"),
                }
            }
            (Stage::Reshuffle, Draw::Reshuffle(order)) => {
                let under = self.discard_pile.len().saturating_sub(1);
                match same_cards(order, &self.discard_pile[..under]) {
                    true => Ok(()),
                    false => illegal("the discard pile but its top card is shuffled"),
                }
            }
            _ => illegal("the table does not wait for this"),
        }
    }

    chance_by_serde!();

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn from_view(
        options: &Options,
        seats: u8,
        viewer: Viewer,
        view: &View,
        rng: &mut dyn Rng,
    ) -> Result<Self, Malformed> {
        view.state(options, seats, viewer, rng)
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        if viewer == Viewer::Open {
            return self.clone();
        }
        let view = self.view(viewer);
        // What a state shows can always be dealt: at worst it stays as it is.
        view.state(&self.options, self.seats, viewer, rng)
            .unwrap_or_else(|_| self.clone())
    }

    fn text(view: &View) -> String {
        draw::text(view)
    }

    fn svg(view: &View) -> String {
        draw::svg(view)
    }
}

impl Phase10 {
    fn check_cards(&self, cards: &[Card]) -> Result<(), Illegal> {
        let flips = self.options.flips_each_side.get();
        for side in [Side::Colour, Side::Wild] {
            let mut stock = Stock::new(side, flips);
            let right = cards.iter().all(|card| {
                let face = card.face(side);
                face.side() == side && stock.take(face)
            });
            if !right || !stock.is_empty() || !stock.has_all_flips() {
                return Err(Illegal("these are not the faces of the deck".into()));
            }
        }
        match cards.iter().any(|card| card.is_star_twice()) {
            true => Err(Illegal("a card has two stars".into())),
            false => Ok(()),
        }
    }
}

fn read_hit(card: &str, place: &str, end: Option<End>) -> Option<Action> {
    match *place.as_bytes() {
        [seat @ b'0'..=b'5', b'.', group @ b'1'..=b'3'] => Some(Action::Hit(
            Laid::read(card)?,
            seat - b'0',
            group - b'1',
            end,
        )),
        _ => None,
    }
}
