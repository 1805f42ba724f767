//! A match with a stacked deck: the draws of chance are chosen so that seats hold what a test
//! needs.

use std::collections::BTreeMap;

use flipside_games::{Refusal, Seat, SeatTurn, Table, Viewer, find};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

pub(crate) struct StackMatch {
    pub(crate) table: Box<dyn Table>,
    seats: u8,
    dealer: Seat,
    /// By number, the faces of the cards.
    cards: Vec<[String; 2]>,
}

/// What a round is dealt. A card is told by its colour side, `r7`, or by both, `r7/w3`; `?` is any
/// card.
#[derive(Clone, Copy, Default)]
pub(crate) struct StackDeal<'a> {
    /// By seat, a hand; cards that are not told are any.
    pub(crate) hands: &'a [&'a str],
    /// The first discard.
    pub(crate) discard: &'a str,
    /// The draw pile from the top.
    pub(crate) pile: &'a str,
}

/// How many cards a seat is dealt.
const DEALT: usize = 10;

/// A match at its first turn. The last seat deals, so that seat 0 begins.
pub(crate) fn start(options: &str, seats: u8, deal: StackDeal) -> StackMatch {
    let mut game = before_the_deal(options, seats, deal, seats - 1);
    game.deal(deal);
    game
}

/// A match in which the cards of this deal are printed, and this seat deals first.
pub(crate) fn before_the_deal(
    options: &str,
    seats: u8,
    deal: StackDeal,
    dealer: Seat,
) -> StackMatch {
    let game = find("phase10-flip").expect("built in");
    let mut setup = game.set_up(options, seats).expect("options that fit");
    let options: Value = serde_json::from_str(&setup.options).expect("JSON");
    let flips = options["flips_each_side"].as_u64().expect("a number") as usize;
    let cards = print(&deal.wanted(seats), flips);
    setup
        .table
        .chance(&json!({ "cards": cards }).to_string())
        .expect("cards that can be");
    setup
        .table
        .chance(&json!({ "dealer": dealer }).to_string())
        .expect("a dealer");
    StackMatch {
        table: setup.table,
        seats,
        dealer,
        cards,
    }
}

impl StackDeal<'_> {
    /// Every card that is told, once.
    fn wanted(&self, seats: u8) -> Vec<&str> {
        assert!(
            self.hands.len() <= usize::from(seats),
            "a hand for each seat"
        );
        let told = self.hands.iter().copied().chain([self.discard, self.pile]);
        told.flat_map(str::split_whitespace)
            .filter(|card| *card != "?")
            .collect()
    }
}

fn is_star(face: &str) -> bool {
    face.contains('*')
}

/// The faces of a side of the deck without flip symbols, by how many there are.
fn deck(colours: &str, copies: usize, stars: usize) -> Vec<String> {
    let mut faces = Vec::new();
    for colour in colours.chars() {
        for number in 1..=12 {
            faces.extend(vec![format!("{colour}{number}"); copies]);
        }
        faces.extend(vec![format!("{colour}*"); stars]);
    }
    faces
}

/// Takes a face from those that are left, or one like it without its flip symbol.
fn take(left: &mut Vec<String>, face: &str) {
    let plain = face.trim_end_matches('^');
    let place = left.iter().position(|left| left == plain);
    left.remove(place.unwrap_or_else(|| panic!("there are not so many {face}")));
}

/// Gives flip symbols to the faces that are left until each colour has its number.
fn mark(left: &mut [String], told: &[String], colours: &str, flips: usize) {
    for colour in colours.chars() {
        let marked = told
            .iter()
            .filter(|face| face.starts_with(colour) && face.ends_with('^'));
        let due = flips
            .checked_sub(marked.count())
            .expect("not so many flip symbols");
        let of_colour = left
            .iter_mut()
            .filter(|face| face.starts_with(colour) && !is_star(face));
        // The high numbers first: tests mostly hold low ones.
        of_colour.rev().take(due).for_each(|face| face.push('^'));
    }
}

/// Prints cards among which these are.
fn print(wanted: &[&str], flips_each_side: usize) -> Vec<[String; 2]> {
    let told = |side: usize| -> Vec<String> {
        let faces = wanted.iter().filter_map(|card| card.split('/').nth(side));
        faces.map(String::from).collect()
    };
    let (colours, wilds) = (told(0), told(1));
    let (mut colour, mut wild) = (deck("rygb", 2, 2), deck("w", 8, 8));
    colours.iter().for_each(|face| take(&mut colour, face));
    wilds.iter().for_each(|face| take(&mut wild, face));
    mark(&mut colour, &colours, "rygb", flips_each_side / 4);
    mark(&mut wild, &wilds, "w", flips_each_side);
    // Of what is left, stars get numbers behind them: stars last here, and first there.
    colour.sort_by_key(|face| is_star(face));
    wild.sort_by_key(|face| !is_star(face));
    let mut cards = Vec::new();
    for card in wanted {
        let front = card.split('/').next().expect("a face");
        let back = match card.split_once('/') {
            Some((_, back)) => back.to_string(),
            None => {
                // A number without a flip symbol, so that nothing happens by accident.
                let fits = |face: &String| !is_star(face) && !face.ends_with('^');
                let place = wild.iter().rposition(fits).expect("there are many");
                wild.remove(place)
            }
        };
        cards.push([front.to_string(), back]);
    }
    cards.extend(
        colour
            .into_iter()
            .zip(wild)
            .map(|(front, back)| [front, back]),
    );
    cards
}

impl StackMatch {
    /// A match as it is, with a deck that is not stacked.
    pub(crate) fn of(table: Box<dyn Table>) -> Self {
        let seats = table.seats();
        StackMatch {
            table,
            seats,
            dealer: 0,
            cards: Vec::new(),
        }
    }

    /// Plays at random, to the end; tells every event.
    pub(crate) fn play_at_random(&mut self, seed: u64) -> Vec<String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut events = Vec::new();
        loop {
            match self.table.turn() {
                SeatTurn::Over(outcome) => {
                    events.push(format!("{:?} {}", outcome.points, outcome.reason));
                    return events;
                }
                SeatTurn::Chance => {
                    let mut draw = Vec::new();
                    self.table.sample(&mut rng, &mut draw);
                    let draw = String::from_utf8(draw).expect("JSON");
                    self.table.chance(&draw).expect("its own draw");
                    events.push(draw);
                }
                SeatTurn::Seats(seats) => {
                    let seat = seats.lowest().expect("a turn asks somebody");
                    let mut text = String::new();
                    self.table.random_action(seat, &mut rng, &mut text);
                    self.table.act(&[(seat, &text)]).expect("its own action");
                    events.push(format!("{seat} {text}"));
                }
            }
        }
    }

    /// Deals a round: the first or a later one.
    pub(crate) fn deal(&mut self, deal: StackDeal) {
        let playing: Vec<Seat> = match self.next_is_deciding() {
            Some(seats) => seats,
            None => (0..self.seats).collect(),
        };
        let view = self.view(Viewer::Public);
        if view["round"] != 0 {
            self.dealer = (self.dealer + 1) % self.seats;
        }
        let order = (1..=self.seats).map(|steps| (self.dealer + steps) % self.seats);
        let order: Vec<Seat> = order.filter(|seat| playing.contains(seat)).collect();
        let mut told: Vec<Option<&str>> = Vec::new();
        for place in 0..DEALT {
            for &seat in &order {
                let hand = deal.hands.get(usize::from(seat)).copied().unwrap_or("");
                told.push(hand.split_whitespace().nth(place));
            }
        }
        told.push(deal.discard.split_whitespace().next());
        told.extend(deal.pile.split_whitespace().map(Some));
        let mut left: Vec<usize> = (0..self.cards.len()).collect();
        let told = told
            .into_iter()
            .map(|card| card.filter(|card| *card != "?"));
        let mut numbers: Vec<Option<usize>> = told
            .map(|card| card.map(|card| self.find(card, &mut left)))
            .collect();
        // Cards that are not told have no flip symbol in hands and piles that are dealt from, as
        // far as there are enough.
        left.sort_by_key(|&card| {
            let [front, back] = &self.cards[card];
            (front.ends_with('^'), back.ends_with('^'), is_star(front))
        });
        let mut left = left.into_iter();
        for number in &mut numbers {
            *number = number.or_else(|| left.next());
        }
        let numbers: Vec<usize> = numbers.into_iter().flatten().chain(left).collect();
        self.chance(&json!({ "deal": numbers }));
    }

    /// The seats of a deciding round, if one comes next: they completed the last phase with the
    /// same total.
    fn next_is_deciding(&self) -> Option<Vec<Seat>> {
        let mut copy = self.table.copy();
        let any: Vec<usize> = (0..self.cards.len()).collect();
        copy.chance(&json!({ "deal": any }).to_string())
            .expect("a deal comes next");
        let mut json = Vec::new();
        copy.write_view(Viewer::Public, &mut json);
        let view: Value = serde_json::from_slice(&json).expect("JSON");
        serde_json::from_value(view["deciding"].clone()).expect("a list or null")
    }

    fn find(&self, told: &str, left: &mut Vec<usize>) -> usize {
        let fits = |card: &usize| {
            let [front, back] = &self.cards[*card];
            match told.split_once('/') {
                Some((told_front, told_back)) => front == told_front && back == told_back,
                None => front == told,
            }
        };
        let place = left.iter().position(fits);
        left.remove(place.unwrap_or_else(|| panic!("there is no {told} left")))
    }

    pub(crate) fn chance(&mut self, draw: &Value) {
        self.table
            .chance(&draw.to_string())
            .expect("a draw that can be");
    }

    /// The seat whose turn it is.
    pub(crate) fn mover(&self) -> Seat {
        match self.table.turn() {
            SeatTurn::Seats(seats) => seats.lowest().expect("a turn asks somebody"),
            turn => panic!("no seat is asked: {turn:?}"),
        }
    }

    /// Does these actions, separated by semicolons, each by the seat whose turn it is.
    pub(crate) fn play(&mut self, actions: &str) -> &mut Self {
        for action in actions
            .split(';')
            .map(str::trim)
            .filter(|action| !action.is_empty())
        {
            let seat = self.mover();
            let done = self.table.act(&[(seat, action)]);
            done.unwrap_or_else(|why| panic!("seat {seat}, {action}: {why}\n{:?}", self.table));
        }
        self
    }

    /// Lets so many seats draw from the pile and discard what they drew, or another card without
    /// a flip symbol.
    pub(crate) fn pass(&mut self, seats: usize) -> &mut Self {
        for _ in 0..seats {
            let seat = self.mover();
            self.play("draw pile");
            let actions = self.table.actions(seat);
            let harmless = |text: &&String| text.starts_with("discard") && !text.ends_with('^');
            let action = actions.iter().find(harmless).expect("a card to discard");
            self.play(action);
        }
        self
    }

    pub(crate) fn actions(&self) -> Vec<String> {
        self.table.actions(self.mover())
    }

    /// The listed actions that begin so.
    pub(crate) fn listed(&self, start: &str) -> Vec<String> {
        let mut actions = self.actions();
        actions.retain(|text| text.starts_with(start));
        actions
    }

    /// Why the seat whose turn it is may not do this; it must be in the notation.
    pub(crate) fn refusal(&self, action: &str) -> String {
        match self.table.check(self.mover(), action) {
            Err(Refusal::Illegal(why)) => why.to_string(),
            answer => panic!("{action} is not illegal: {answer:?}"),
        }
    }

    pub(crate) fn is_malformed(&self, action: &str) -> bool {
        matches!(
            self.table.check(self.mover(), action),
            Err(Refusal::Malformed(_))
        )
    }

    pub(crate) fn allows(&self, action: &str) -> bool {
        self.table.check(self.mover(), action).is_ok()
    }

    pub(crate) fn view(&self, viewer: Viewer) -> Value {
        let mut json = Vec::new();
        self.table.write_view(viewer, &mut json);
        serde_json::from_slice(&json).expect("JSON")
    }

    /// A value of the public view, by a JSON pointer.
    pub(crate) fn shown(&self, pointer: &str) -> Value {
        let view = self.view(Viewer::Public);
        view.pointer(pointer)
            .unwrap_or_else(|| panic!("no {pointer}"))
            .clone()
    }

    /// A seat's hand, the side in play.
    pub(crate) fn hand(&self, seat: Seat) -> String {
        words(&self.view(Viewer::Seat(seat))["hand"])
    }

    /// A group on the table.
    pub(crate) fn group(&self, seat: Seat, number: usize) -> String {
        words(&self.shown(&format!("/seats/{seat}/groups/{}/cards", number - 1)))
    }

    /// The faces of a pile from the top, on this side.
    pub(crate) fn pile(&self, pile: &str, side: usize) -> Vec<String> {
        let open = &self.view(Viewer::Open)["open"];
        let numbers = open[pile].as_array().expect("a pile").iter();
        let card = |number: &Value| self.cards[number.as_u64().expect("a number") as usize].clone();
        numbers.map(|number| card(number)[side].clone()).collect()
    }

    /// How the match ended: points by seat and reason, or that it goes on.
    pub(crate) fn end(&self) -> String {
        match self.table.turn() {
            SeatTurn::Over(outcome) => format!("{:?} {}", outcome.points, outcome.reason),
            _ => "goes on".into(),
        }
    }

    /// A draw of chance as the game makes it.
    pub(crate) fn draw(&self, seed: u64) -> Value {
        let mut json = Vec::new();
        self.table
            .sample(&mut ChaCha8Rng::seed_from_u64(seed), &mut json);
        serde_json::from_slice(&json).expect("JSON")
    }
}

fn words(cards: &Value) -> String {
    let cards = cards.as_array().expect("a list of cards").iter();
    let cards: Vec<&str> = cards.filter_map(Value::as_str).collect();
    cards.join(" ")
}

/// How often each item is there.
pub(crate) fn tally<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut tally = BTreeMap::new();
    for item in items {
        *tally.entry(item).or_default() += 1;
    }
    tally
}
