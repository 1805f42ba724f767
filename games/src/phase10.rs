//! Phase 10 Flip (Mattel): ten phases with two-sided cards, for two to six seats.
//!
//! This file has the match: turns, rounds, scores and the end. Cards, groups, views, sampling of the
//! hidden cards and drawings have files of their own.

mod action;
mod cards;
mod facts;
mod groups;
mod hidden;
pub(crate) mod state;
mod svg;
mod text;
mod view;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

use crate::game::{Event, Game, Illegal, Info, ParseError, SeatLook, illegal};
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{MAX_SEATS, Outcome, Points, Seat, SeatTurn, Seats, Viewer};
use crate::{chance, paint};
use action::Lay;
use cards::{CARDS, Card, CardId, CardList};
use groups::{Holding, MAX_GROUPS, PHASES, Phase10Group, Shape, shapes};

use self::state::{DEALT, MAX_HAND, Phase10Rules, PlayerState, SHORT};
pub use self::state::{Phase10, Phase10Options, Phase10Reason, Stage, Variant};
pub use action::Phase10Action;
pub use cards::{CardColor, CardSide, Face, HIGHEST, PlayedCard};
pub use groups::{End, GroupKind};
pub use view::{GroupShown, OpenedCards, Phase10Over, Phase10View, PileShown, SeatShown};

/// The number of rounds of the variant `ten-rounds`.
const TEN_ROUNDS: u32 = 10;

impl Phase10Rules {
    fn of(options: &Phase10Options) -> Result<Self, OptionsError> {
        let flips = options.flips_each_side.get();
        if flips % 4 != 0 {
            return Err(OptionsError(format!(
                "option flips_each_side: {flips} is not a multiple of 4 from 0 to 24"
            )));
        }
        let last_phase = match (options.variant, options.phases) {
            (Variant::Short, phases) => phases.unwrap_or(SHORT).get() as u8,
            (_, None) => PHASES,
            (_, Some(_)) => {
                return Err(OptionsError(
                    "option phases: only with the variant \"short\", there a whole number from 1 to 9"
                        .into(),
                ));
            }
        };
        Ok(Phase10Rules {
            variant: options.variant,
            last_phase,
            flips_each_side: flips as u8,
            round_winner_points: options.round_winner_points.get(),
            max_rounds: options.max_rounds.get(),
            max_turns: options.max_turns_per_round.get(),
        })
    }

    /// Returns the maximum number of rounds.
    fn rounds(&self) -> u32 {
        match self.variant {
            Variant::TenRounds => TEN_ROUNDS.min(self.max_rounds),
            Variant::Standard | Variant::Short => self.max_rounds,
        }
    }
}

/// An outcome of chance: an object with one key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase10Sample {
    /// The cards by number, each with its colour side and its wild side. Sampled once.
    Cards(Vec<Card>),
    /// The seat that deals first. Sampled once.
    Dealer(Seat),
    /// The numbers of all cards from the top. Sampled in each round.
    Deal(Vec<CardId>),
    /// The numbers of the new draw pile from the top.
    Reshuffle(Vec<CardId>),
}

impl Phase10 {
    fn place(&self, seat: Seat) -> &PlayerState {
        &self.places[usize::from(seat)]
    }

    fn all_places(&self) -> &[PlayerState] {
        &self.places[..usize::from(self.seats)]
    }

    /// Returns the groups on the table.
    fn groups(&self) -> impl Iterator<Item = &Phase10Group> {
        self.all_places()
            .iter()
            .flat_map(|place| place.groups.iter())
    }

    fn next_seat(&self, seat: Seat) -> Seat {
        (seat + 1) % self.seats
    }

    /// Returns the seats of this round in the order of their turns.
    fn order(&self) -> impl Iterator<Item = Seat> + '_ {
        let starter = self.next_seat(self.dealer.unwrap_or(0));
        let seats = (0..self.seats).map(move |steps| (starter + steps) % self.seats);
        seats.filter(|&seat| self.playing.contains(seat))
    }

    /// Returns the seat whose turn it is after this many turns.
    fn seat_of_turn(&self, turns: u32) -> Seat {
        let place = turns as usize % self.playing.len();
        self.order()
            .nth(place)
            .expect("the seats of a round are some")
    }

    /// Returns the seat whose turn it is, if chance is not asked.
    fn mover(&self) -> Option<Seat> {
        matches!(self.stage, Stage::Draw | Stage::Play).then(|| self.seat_of_turn(self.turns))
    }

    /// Returns the face of a card on a side.
    fn face(&self, card: CardId, side: CardSide) -> Face {
        self.cards.as_ref().expect("cards are drawn first")[usize::from(card)][side as usize]
    }

    /// Returns the phase that a seat works on, or has laid, in this round.
    fn phase(&self, seat: Seat) -> u8 {
        let place = self.place(seat);
        match self.rules.variant {
            Variant::TenRounds => self.round.clamp(1, TEN_ROUNDS) as u8,
            _ if place.laid && !self.deciding => place.completed,
            _ => (place.completed + 1).min(self.rules.last_phase),
        }
    }

    fn shapes(&self, seat: Seat) -> &'static [Shape] {
        shapes(self.phase(seat))
    }

    /// Returns the cards of a seat's groups as they were played.
    fn lie(&self, seat: Seat) -> CardList<&[PlayedCard], MAX_GROUPS> {
        let groups = self.place(seat).groups.iter();
        groups.map(|group| &*group.cards).collect()
    }

    /// Returns the seat that has laid some groups of its phase, but not all.
    fn pending(&self) -> Option<Seat> {
        let seat = self.mover()?;
        let place = self.place(seat);
        (!place.laid && !place.groups.is_empty()).then_some(seat)
    }

    /// Returns a seat's hand on the side in play.
    fn faces(&self, seat: Seat) -> impl Iterator<Item = Face> + '_ {
        let hand = self.place(seat).hand.iter();
        hand.map(|&card| self.face(card, self.side))
    }

    /// Lists the actions of a seat that has drawn a card, in no order.
    fn list(&self, seat: Seat, actions: &mut Vec<Phase10Action>) {
        let place = self.place(seat);
        if !place.laid {
            let holding = Holding::of(self.faces(seat));
            holding.lays(self.shapes(seat), &self.lie(seat), &mut |laid| {
                actions.push(Phase10Action::Lay(Lay::of(laid)));
                false
            });
        }
        if self.pending().is_some() {
            return;
        }
        let mut faces: CardList<Face, MAX_HAND> = CardList::default();
        for face in self.faces(seat) {
            if !faces.contains(&face) {
                faces.push(face);
            }
        }
        actions.extend(faces.iter().map(|&face| Phase10Action::Discard(face)));
        if place.laid {
            self.list_hits(&faces, actions);
        }
    }

    fn list_hits(&self, faces: &[Face], actions: &mut Vec<Phase10Action>) {
        for (owner, place) in (0..).zip(self.all_places()) {
            for (number, group) in (1..).zip(place.groups.iter()) {
                for &end in group.ends() {
                    let hits = faces.iter().filter_map(|&face| group.hit(face, end));
                    actions.extend(hits.map(|card| Phase10Action::Hit(card, owner, number, end)));
                }
            }
        }
    }

    /// Returns why these cards cannot be laid, if so.
    fn fault_of_lay(&self, seat: Seat, laid: &[PlayedCard]) -> Option<String> {
        let place = self.place(seat);
        if place.laid {
            return Some("your phase is down; a phase is laid once a round".into());
        }
        let (shapes, lie) = (self.shapes(seat), self.lie(seat));
        let shape = shapes[lie.len()];
        if !shape.fits(laid) {
            let phase = groups::letters(self.phase(seat));
            return Some(format!(
                "the next group of {phase} is {}, its cards ascending",
                shape.words()
            ));
        }
        let holding = Holding::of(self.faces(seat));
        if !holding.has_all(laid) {
            return Some("you do not hold these cards".into());
        }
        if groups::floor_of(shapes, &lie).is_some_and(|floor| *laid < *floor) {
            return Some("of two groups alike the lower is laid first".into());
        }
        let numbered = lie.iter().any(|cards| groups::has_number_card(cards));
        (!holding.leaves_enough(&shapes[lie.len()..], laid, numbered))
            .then(|| "the rest of your hand does not complete the phase then".into())
    }

    /// Returns why this card cannot be hit, if so.
    fn fault_of_hit(
        &self,
        seat: Seat,
        card: PlayedCard,
        owner: Seat,
        number: u8,
        end: Option<End>,
    ) -> Option<String> {
        if !self.place(seat).laid {
            return Some("only when your own phase is down you hit".into());
        }
        if !self.faces(seat).any(|face| face == card.face()) {
            return Some(format!("you do not hold {}", card.face()));
        }
        let places = self.all_places().get(usize::from(owner));
        let Some(group) = places.and_then(|place| place.groups.get(usize::from(number) - 1)) else {
            return Some(format!("there is no group {owner}.{number}"));
        };
        if !group.ends().contains(&end) {
            return Some(match group.kind {
                GroupKind::Run => "say the end of a run: high or low".into(),
                GroupKind::Set => "a set has no ends".into(),
            });
        }
        (group.hit(card.face(), end) != Some(card))
            .then(|| format!("{card} does not fit group {owner}.{number} there"))
    }

    fn fault(&self, seat: Seat, action: Phase10Action) -> Option<String> {
        match (self.stage, action) {
            (Stage::Draw, Phase10Action::DrawPile | Phase10Action::DrawDiscard) => None,
            (Stage::Draw, _) => Some("draw a card first".into()),
            (_, Phase10Action::DrawPile | Phase10Action::DrawDiscard) => {
                Some("you have drawn".into())
            }
            (_, Phase10Action::Lay(lay)) => self.fault_of_lay(seat, &lay.cards()),
            _ if self.pending() == Some(seat) => Some("lay the next group of your phase".into()),
            (_, Phase10Action::Hit(card, owner, number, end)) => {
                self.fault_of_hit(seat, card, owner, number, end)
            }
            (_, Phase10Action::Discard(face)) => {
                let held = self.faces(seat).any(|other| other == face);
                (!held).then(|| format!("you do not hold {face}"))
            }
        }
    }

    /// Takes the card with this face from a hand. Of several it takes the one with the lowest
    /// number, since the owner cannot see their backs.
    fn take(&mut self, seat: Seat, face: Face) -> CardId {
        let hand = &self.place(seat).hand;
        let fits = (0..hand.len()).filter(|&place| self.face(hand[place], self.side) == face);
        let place = fits.min_by_key(|&place| hand[place]);
        let place = place.expect("a checked action names a card of the hand");
        self.places[usize::from(seat)].hand.remove(place)
    }

    fn act(&mut self, seat: Seat, action: Phase10Action) {
        let own = usize::from(seat);
        match action {
            Phase10Action::DrawPile | Phase10Action::DrawDiscard => {
                let pile = match action {
                    Phase10Action::DrawPile => &mut self.draw_pile,
                    _ => &mut self.discard_pile,
                };
                let card = pile
                    .pop()
                    .expect("a checked action draws from a pile that has cards");
                self.places[own].hand.push(card);
                self.stage = Stage::Play;
            }
            Phase10Action::Lay(lay) => self.lay(seat, &lay.cards()),
            Phase10Action::Hit(card, owner, number, end) => {
                let id = self.take(seat, card.face());
                let group = &mut self.places[usize::from(owner)].groups[usize::from(number) - 1];
                group.add(id, card, end);
                if self.places[own].hand.is_empty() {
                    self.end_turn(seat);
                }
            }
            Phase10Action::Discard(face) => {
                let card = self.take(seat, face);
                self.discard_pile.push(card);
                if face.flips() {
                    self.flip();
                }
                self.end_turn(seat);
            }
        }
    }

    fn lay(&mut self, seat: Seat, laid: &[PlayedCard]) {
        let shapes = self.shapes(seat);
        let mut group = Phase10Group {
            kind: shapes[self.place(seat).groups.len()].kind,
            ..Phase10Group::default()
        };
        for &card in laid {
            group.add(self.take(seat, card.face()), card, None);
        }
        let place = &mut self.places[usize::from(seat)];
        place.groups.push(group);
        if place.groups.len() == shapes.len() {
            place.laid = true;
            // In the deciding round the last phase was completed before.
            place.completed += u8::from(!self.deciding);
        }
    }

    /// Turns both piles and all hands over.
    fn flip(&mut self) {
        self.side = self.side.other();
        self.draw_pile.reverse();
        self.discard_pile.reverse();
    }

    fn end_turn(&mut self, seat: Seat) {
        self.turns += 1;
        if self.place(seat).hand.is_empty() {
            self.score(seat);
        }
        self.settle();
    }

    /// Scores a round, unless it was the deciding one.
    fn score(&mut self, out: Seat) {
        if self.deciding {
            return;
        }
        for seat in 0..self.seats {
            let points = if seat == out {
                self.rules.round_winner_points
            } else {
                self.faces(seat).map(Face::score).sum()
            };
            self.places[usize::from(seat)].score += points;
        }
    }

    /// Returns the seat that ended this round by going out.
    fn gone_out(&self) -> Option<Seat> {
        let mut seats = self.playing;
        seats.find(|&seat| self.round > 0 && self.place(seat).hand.is_empty())
    }

    /// Begins the next turn or the next round, or ends the match.
    fn settle(&mut self) {
        let (stage, over) = match self.gone_out() {
            Some(winner) if self.deciding => (
                Stage::Over,
                Some((Phase10Reason::DecidingRound, self.points(Some(winner)))),
            ),
            Some(_) => match self.end_after_round() {
                Some(reason) => (Stage::Over, Some((reason, self.points(None)))),
                None => (Stage::Deal, None),
            },
            None if self.turns == self.rules.max_turns => {
                (Stage::Over, Some((Phase10Reason::Limit, self.points(None))))
            }
            // Between turns, hands and table hold ten cards per seat, so there are enough discards.
            None if self.draw_pile.is_empty() => (Stage::Reshuffle, None),
            None => (Stage::Draw, None),
        };
        (self.stage, self.over) = (stage, over);
    }

    /// Returns why the match ends after this round, if it does.
    fn end_after_round(&self) -> Option<Phase10Reason> {
        if self.rules.variant == Variant::TenRounds {
            return match self.round {
                TEN_ROUNDS => Some(Phase10Reason::TenRounds),
                round => (round == self.rules.max_rounds).then_some(Phase10Reason::Limit),
            };
        }
        match self.leaders().len() {
            1 => Some(Phase10Reason::LastPhase),
            _ => (self.round == self.rules.max_rounds).then_some(Phase10Reason::Limit),
        }
    }

    /// Returns the seats with the lowest total of those that have completed the last phase.
    fn leaders(&self) -> Seats {
        if self.rules.variant == Variant::TenRounds {
            return Seats::NONE;
        }
        let finished = |seat: &Seat| self.place(*seat).completed == self.rules.last_phase;
        let total = |seat: Seat| self.place(seat).score;
        let lowest = (0..self.seats).filter(finished).map(total).min();
        (0..self.seats)
            .filter(finished)
            .filter(|&seat| Some(total(seat)) == lowest)
            .collect()
    }

    /// Returns for each seat the number of seats ranked strictly behind it.
    fn points(&self, winner: Option<Seat>) -> Points {
        // Higher is better.
        let rank = |seat: Seat| {
            let place = self.place(seat);
            let completed = match self.rules.variant {
                Variant::TenRounds => 0,
                _ => place.completed,
            };
            (
                winner == Some(seat),
                completed,
                std::cmp::Reverse(place.score),
            )
        };
        let behind = |seat: Seat| {
            let others = 0..self.seats;
            others.filter(|&other| rank(other) < rank(seat)).count() as i32
        };
        (0..self.seats).map(behind).collect()
    }

    /// Deals a round. The cards are given from the top.
    fn deal(&mut self, from_the_top: &[CardId]) {
        let dealer = self
            .dealer
            .expect("a dealer is drawn before the first deal");
        if self.round > 0 {
            self.dealer = Some(self.next_seat(dealer));
        }
        let leaders = self.leaders();
        self.deciding = !leaders.is_empty();
        self.playing = if self.deciding {
            leaders
        } else {
            Seats::first(self.seats)
        };
        self.round += 1;
        self.turns = 0;
        self.side = CardSide::Colour;
        self.stage = Stage::Draw;
        for place in &mut self.places {
            place.laid = false;
            place.hand.clear();
            place.groups.clear();
        }
        self.draw_pile = from_the_top.iter().rev().copied().collect();
        self.discard_pile.clear();
        let order: CardList<Seat, MAX_SEATS> = self.order().collect();
        for _ in 0..DEALT {
            for &seat in order.iter() {
                let card = self.draw_pile.pop().expect("there are cards for all");
                self.places[usize::from(seat)].hand.push(card);
            }
        }
        let first = self.draw_pile.pop().expect("there are cards for all");
        self.discard_pile.push(first);
    }
}

/// Returns whether a list is a permutation of these cards.
fn is_order_of(order: &[CardId], cards: impl IntoIterator<Item = CardId>) -> bool {
    let mut due = [false; CARDS];
    let mut count = 0;
    for card in cards {
        due[usize::from(card)] = true;
        count += 1;
    }
    order.len() == count
        && order.iter().all(|&card| {
            let place = due.get_mut(usize::from(card));
            place.is_some_and(std::mem::take)
        })
}

impl Game for Phase10 {
    type Options = Phase10Options;
    type Action = Phase10Action;
    type Chance = Phase10Sample;
    type View = Phase10View;

    const INFO: Info = Info {
        id: "phase10-flip",
        title: "Phase 10 Flip",
        summary: "Ten phases of runs and sets, with cards that all turn over at once",
        seats: &[2, 3, 4, 5, 6],
        chance: true,
        secrets: true,
        simultaneous: false,
    };

    const NOTATION: &'static str = action::NOTATION;

    fn new(options: &Phase10Options, seats: u8) -> Result<Self, OptionsError> {
        Ok(Phase10 {
            rules: Phase10Rules::of(options)?,
            seats,
            cards: None,
            round: 0,
            dealer: None,
            playing: Seats::first(seats),
            deciding: false,
            side: CardSide::Colour,
            turns: 0,
            stage: Stage::Cards,
            places: Default::default(),
            draw_pile: CardList::default(),
            discard_pile: CardList::default(),
            over: None,
        })
    }

    fn presets() -> Vec<(&'static str, Phase10Options)> {
        let small = Phase10Options {
            max_rounds: BoundedInt::new(3),
            max_turns_per_round: BoundedInt::new(60),
            ..Phase10Options::default()
        };
        let short = |phases: BoundedInt<1, 9>| Phase10Options {
            variant: Variant::Short,
            phases: Some(phases),
            ..small
        };
        let ten_rounds = Phase10Options {
            variant: Variant::TenRounds,
            ..Phase10Options::default()
        };
        let no_flips = Phase10Options {
            flips_each_side: BoundedInt::new(0),
            round_winner_points: BoundedInt::new(0),
            ..short(BoundedInt::new(2))
        };
        let many_flips = Phase10Options {
            flips_each_side: BoundedInt::new(24),
            round_winner_points: BoundedInt::new(100),
            ..short(BoundedInt::new(3))
        };
        let hurry = Phase10Options {
            max_rounds: BoundedInt::new(1),
            max_turns_per_round: BoundedInt::new(8),
            ..Phase10Options::default()
        };
        vec![
            ("ten-rounds", ten_rounds),
            ("short", short(SHORT)),
            ("one-phase", short(BoundedInt::new(1))),
            ("no-flips", no_flips),
            ("many-flips", many_flips),
            ("hurry", hurry),
        ]
    }

    fn brief() -> Phase10Options {
        Phase10Options {
            variant: Variant::Short,
            phases: Some(BoundedInt::new(1)),
            max_rounds: BoundedInt::new(2),
            max_turns_per_round: BoundedInt::new(24),
            ..Phase10Options::default()
        }
    }

    fn seats(&self) -> u8 {
        self.seats
    }

    fn turn(&self) -> SeatTurn {
        match (self.over, self.mover()) {
            (Some((reason, points)), _) => SeatTurn::Over(Outcome {
                points,
                reason: reason.name(),
            }),
            (None, Some(seat)) => SeatTurn::Seats(Seats::one(seat)),
            (None, None) => SeatTurn::Chance,
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Phase10Action>) {
        actions.clear();
        if self.mover() != Some(seat) {
            return;
        }
        if self.stage == Stage::Draw {
            actions.extend([Phase10Action::DrawDiscard, Phase10Action::DrawPile]);
            return;
        }
        self.list(seat, actions);
        actions.sort_unstable();
    }

    fn read_action(&self, text: &str) -> Result<Phase10Action, ParseError> {
        action::read(text)
    }

    fn write_action(&self, action: Phase10Action, out: &mut String) {
        action.write(out);
    }

    fn check(&self, seat: Seat, action: Phase10Action) -> Result<(), Illegal> {
        if self.mover() != Some(seat) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        Illegal::because(self.fault(seat, action))
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        match event {
            Event::Acts(acts) => self.act(acts[0].0, acts[0].1),
            Event::Chance(Phase10Sample::Cards(cards)) => {
                let cards = cards.as_slice().try_into();
                self.cards = Some(cards.expect("a checked draw has all cards"));
                self.stage = Stage::Dealer;
            }
            Event::Chance(Phase10Sample::Dealer(seat)) => {
                self.dealer = Some(*seat);
                self.stage = Stage::Deal;
            }
            Event::Chance(Phase10Sample::Deal(order)) => self.deal(order),
            Event::Chance(Phase10Sample::Reshuffle(order)) => {
                let top = self
                    .discard_pile
                    .pop()
                    .expect("a reshuffle leaves the top card");
                self.discard_pile.clear();
                self.discard_pile.push(top);
                self.draw_pile.extend(order.iter().rev().copied());
                self.stage = Stage::Draw;
            }
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Phase10Sample {
        let shuffled = |mut cards: Vec<CardId>, rng: &mut dyn Rng| {
            cards.sort_unstable();
            chance::shuffle(rng, &mut cards);
            cards
        };
        match self.stage {
            Stage::Cards => Phase10Sample::Cards(cards::sample(self.rules.flips_each_side, rng)),
            Stage::Dealer => Phase10Sample::Dealer(chance::below(rng, self.seats.into()) as Seat),
            Stage::Deal => Phase10Sample::Deal(shuffled((0..CARDS as CardId).collect(), rng)),
            Stage::Reshuffle => {
                let under = &self.discard_pile[..self.discard_pile.len() - 1];
                Phase10Sample::Reshuffle(shuffled(under.to_vec(), rng))
            }
            Stage::Draw | Stage::Play | Stage::Over => unreachable!("it is not chance's turn"),
        }
    }

    fn check_chance(&self, event: &Phase10Sample) -> Result<(), Illegal> {
        let why = match (self.stage, event) {
            (Stage::Cards, Phase10Sample::Cards(cards)) => {
                cards::misprint(cards, self.rules.flips_each_side)
            }
            (Stage::Dealer, Phase10Sample::Dealer(seat)) => {
                (*seat >= self.seats).then(|| format!("there is no seat {seat}"))
            }
            (Stage::Deal, Phase10Sample::Deal(order)) => {
                let all = is_order_of(order, 0..CARDS as CardId);
                (!all).then(|| "a deal is an order of the numbers from 0 to 103".into())
            }
            (Stage::Reshuffle, Phase10Sample::Reshuffle(order)) => {
                let under = &self.discard_pile[..self.discard_pile.len() - 1];
                (!is_order_of(order, under.iter().copied()))
                    .then(|| "it is not an order of the discards under the top card".into())
            }
            (stage, _) => Some(format!("chance is to draw: {}", stage.name())),
        };
        Illegal::because(why)
    }

    crate::chance_by_serde!();

    fn view(&self, viewer: Viewer) -> Phase10View {
        view::shown(self, viewer)
    }

    fn action_in_words(&self, action: Phase10Action) -> String {
        action.in_words()
    }

    fn path(&self, _: Seat, action: Phase10Action) -> ActionPath {
        action.path()
    }

    fn chance_in_words(&self, event: &Phase10Sample) -> String {
        match event {
            Phase10Sample::Cards(_) => "the two sides of all cards are drawn".into(),
            Phase10Sample::Dealer(seat) => format!("seat {seat} deals first"),
            Phase10Sample::Deal(_) => "the cards are shuffled and dealt".into(),
            Phase10Sample::Reshuffle(_) => "the discards become the new draw pile".into(),
        }
    }

    fn sees_action(&self, _: Viewer, _: Seat, _: Phase10Action) -> bool {
        true
    }

    fn sees_chance(&self, viewer: Viewer, event: &Phase10Sample) -> bool {
        matches!(event, Phase10Sample::Dealer(_)) || viewer == Viewer::Open
    }

    fn from_view(
        options: &Phase10Options,
        seats: u8,
        viewer: Viewer,
        view: &Phase10View,
        rng: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        view::read(Phase10::new(options, seats)?, viewer, view, rng)
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        hidden::redeal(self, viewer, rng)
    }

    fn text(view: &Phase10View) -> String {
        text::text(view)
    }

    fn look(seat: Seat) -> Option<SeatLook> {
        paint::look(seat)
    }

    fn svg(view: &Phase10View) -> String {
        svg::svg(view)
    }
}
