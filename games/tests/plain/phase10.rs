//! Phase 10 Flip, plainly: cards are texts, a hand is a list, and a phase is found by trying out
//! every choice of cards. It shares no code with the game, whose judge it is.

use serde_json::{Value, json};

/// The groups of the phases: `r` a run, `s` a set, and how many cards.
const PHASES: [&str; 10] = [
    "r2 r2", "r2 s2", "r2 s3", "r3 s2", "r4 s2", "r3 r3", "r3 s3", "r5 s2", "r2 s4", "r3 s2 s2",
];

pub(crate) struct PlainPhase10 {
    seats: usize,
    options: Value,
    cards: Vec<[String; 2]>,
    round: usize,
    dealer: Option<usize>,
    playing: Vec<usize>,
    deciding: bool,
    wild: bool,
    turns: usize,
    pub(crate) next: &'static str,
    hands: Vec<Vec<usize>>,
    score: Vec<u64>,
    completed: Vec<usize>,
    laid: Vec<bool>,
    /// By seat and group: each card's number, and its text as played.
    groups: Vec<Vec<Vec<(usize, String)>>>,
    /// The top comes first.
    draw_pile: Vec<usize>,
    discard_pile: Vec<usize>,
    over: Option<(Vec<usize>, &'static str)>,
}

/// The number in a text, 13 for a star that stands for none.
fn number(card: &str) -> usize {
    let digits = card[1..].trim_matches(['*', '=', '^']);
    digits.parse().unwrap_or(13)
}

fn is_star(card: &str) -> bool {
    card.contains('*')
}

/// By what cards are ordered.
fn order(card: &str) -> (usize, usize, bool, bool) {
    let colour = "rygbw".find(&card[..1]).expect("a colour");
    (number(card), colour, is_star(card), card.contains('^'))
}

/// A played card as it is in a hand.
fn in_hand(played: &str) -> String {
    match played.split_once('=') {
        Some((star, _)) => star.into(),
        None => played.into(),
    }
}

/// Every choice of so many of these places, ascending.
fn choices(places: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in places.iter().enumerate() {
        for mut chosen in choices(&places[at + 1..], count - 1) {
            chosen.insert(0, first);
            all.push(chosen);
        }
    }
    all
}

/// Whether these cards have nothing that keeps them from being such a group at first sight.
fn is_hopeful(shape: &str, cards: &[&String]) -> bool {
    if shape.starts_with('r') {
        return cards.iter().all(|card| card[..1] == cards[0][..1]);
    }
    let mut numbers = cards
        .iter()
        .filter(|card| !is_star(card))
        .map(|card| number(card));
    let first = numbers.next();
    numbers.all(|number| Some(number) == first)
}

/// Every way in which all these cards are such a group.
fn ways(shape: &str, cards: &[&String]) -> Vec<Vec<String>> {
    let mut ways = Vec::new();
    for lowest in 1..=12 {
        let mut wanted: Vec<usize> = match &shape[..1] {
            "s" => vec![lowest; cards.len()],
            _ => (lowest..lowest + cards.len()).collect(),
        };
        if wanted.iter().any(|&wanted| wanted > 12) {
            continue;
        }
        let mut way = Vec::new();
        let mut fits = true;
        for card in cards.iter().filter(|card| !is_star(card)) {
            match wanted.iter().position(|&wanted| wanted == number(card)) {
                Some(place) => {
                    wanted.remove(place);
                    way.push(card.to_string());
                }
                None => fits = false,
            }
        }
        let stars = cards.iter().filter(|card| is_star(card));
        for (star, wanted) in stars.zip(wanted) {
            way.push(format!("{star}={wanted}"));
        }
        if fits {
            way.sort_by_key(|card| order(card));
            ways.push(way);
        }
    }
    ways
}

/// The next groups that these cards can lay, so that the rest completes the phase.
fn lays(phase: usize, lie: &[Vec<String>], hand: &[String]) -> Vec<Vec<String>> {
    let shapes: Vec<&str> = PHASES[phase - 1].split(' ').collect();
    let shape = shapes[lie.len()];
    let count: usize = shape[1..].parse().expect("a number of cards");
    let mut found: Vec<Vec<String>> = Vec::new();
    let places: Vec<usize> = (0..hand.len()).collect();
    for chosen in choices(&places, count) {
        let cards: Vec<&String> = chosen.iter().map(|&place| &hand[place]).collect();
        if !is_hopeful(shape, &cards) {
            continue;
        }
        let rest: Vec<String> = places
            .iter()
            .filter(|place| !chosen.contains(place))
            .map(|&place| hand[place].clone())
            .collect();
        for way in ways(shape, &cards) {
            if found.contains(&way) {
                continue;
            }
            let keys = |cards: &[String]| cards.iter().map(|card| order(card)).collect::<Vec<_>>();
            if let Some(before) = lie.last() {
                if shapes[lie.len() - 1] == shape && keys(&way) < keys(before) {
                    continue;
                }
            }
            let mut then = lie.to_vec();
            then.push(way.clone());
            let completes = if then.len() == shapes.len() {
                then.iter().flatten().any(|card| !is_star(card))
            } else {
                !lays(phase, &then, &rest).is_empty()
            };
            if completes {
                found.push(way);
            }
        }
    }
    found
}

/// The first groups of a phase that a hand can lay, as actions.
pub(crate) fn lays_of(phase: usize, hand: &[&str]) -> Vec<String> {
    let mut hand: Vec<String> = hand.iter().map(|card| card.to_string()).collect();
    hand.sort_by_key(|card| order(card));
    let ways = lays(phase, &[], &hand);
    ways.iter()
        .map(|way| format!("lay {}", way.join(" ")))
        .collect()
}

impl PlainPhase10 {
    pub(crate) fn start(options: &Value, seats: usize) -> Self {
        PlainPhase10 {
            seats,
            options: options.clone(),
            cards: Vec::new(),
            round: 0,
            dealer: None,
            playing: (0..seats).collect(),
            deciding: false,
            wild: false,
            turns: 0,
            next: "cards",
            hands: vec![Vec::new(); seats],
            score: vec![0; seats],
            completed: vec![0; seats],
            laid: vec![false; seats],
            groups: vec![Vec::new(); seats],
            draw_pile: Vec::new(),
            discard_pile: Vec::new(),
            over: None,
        }
    }

    fn number_of(&self, option: &str) -> usize {
        self.options[option].as_u64().expect("a number") as usize
    }

    fn is(&self, variant: &str) -> bool {
        self.options["variant"] == variant
    }

    fn last_phase(&self) -> usize {
        if self.is("short") {
            self.number_of("phases")
        } else {
            10
        }
    }

    fn order_of_seats(&self) -> Vec<usize> {
        let dealer = self.dealer.expect("a dealer");
        let all = (1..=self.seats).map(|steps| (dealer + steps) % self.seats);
        all.filter(|seat| self.playing.contains(seat)).collect()
    }

    pub(crate) fn mover(&self) -> Option<usize> {
        if self.next != "draw" && self.next != "play" {
            return None;
        }
        let order = self.order_of_seats();
        Some(order[self.turns % order.len()])
    }

    fn face(&self, card: usize, wild: bool) -> &str {
        &self.cards[card][usize::from(wild)]
    }

    fn hand(&self, seat: usize, wild: bool) -> Vec<String> {
        let hand = self.hands[seat].iter();
        let mut hand: Vec<String> = hand.map(|&card| self.face(card, wild).into()).collect();
        hand.sort_by_key(|card| order(card));
        hand
    }

    fn phase(&self, seat: usize) -> usize {
        if self.is("ten-rounds") {
            self.round.max(1)
        } else if self.deciding || self.completed[seat] == self.last_phase() {
            self.last_phase()
        } else if self.laid[seat] {
            self.completed[seat]
        } else {
            self.completed[seat] + 1
        }
    }

    pub(crate) fn actions(&self) -> Vec<String> {
        let Some(seat) = self.mover() else {
            return Vec::new();
        };
        let mut actions: Vec<String> = Vec::new();
        if self.next == "draw" {
            actions.extend(["draw discard".into(), "draw pile".into()]);
            return actions;
        }
        let hand = self.hand(seat, self.wild);
        let lie: Vec<Vec<String>> = self.groups[seat]
            .iter()
            .map(|group| group.iter().map(|(_, card)| card.clone()).collect())
            .collect();
        if !self.laid[seat] {
            for way in lays(self.phase(seat), &lie, &hand) {
                actions.push(format!("lay {}", way.join(" ")));
            }
        }
        if self.laid[seat] || lie.is_empty() {
            for face in &hand {
                actions.push(format!("discard {face}"));
                if self.laid[seat] {
                    self.hits(face, &mut actions);
                }
            }
        }
        actions.sort();
        actions.dedup();
        actions
    }

    fn hits(&self, face: &str, actions: &mut Vec<String>) {
        for owner in 0..self.seats {
            let shapes: Vec<&str> = PHASES[self.phase(owner) - 1].split(' ').collect();
            for (place, group) in self.groups[owner].iter().enumerate() {
                let name = format!("{owner}.{}", place + 1);
                let numbers: Vec<usize> = group.iter().map(|(_, card)| number(card)).collect();
                let mut add = |wanted: usize, end: &str| {
                    if is_star(face) {
                        actions.push(format!("hit {face}={wanted} {name}{end}"));
                    } else if number(face) == wanted {
                        actions.push(format!("hit {face} {name}{end}"));
                    }
                };
                if shapes[place].starts_with('s') {
                    add(numbers[0], "");
                    continue;
                }
                let colours = group.iter().map(|(_, card)| &card[..1]);
                let colours: Vec<&str> = colours.filter(|&colour| colour != "w").collect();
                if !face.starts_with('w') && colours.iter().any(|&colour| colour != &face[..1]) {
                    continue;
                }
                if numbers[0] > 1 {
                    add(numbers[0] - 1, " low");
                }
                if numbers[numbers.len() - 1] < 12 {
                    add(numbers[numbers.len() - 1] + 1, " high");
                }
            }
        }
    }

    /// Takes the card with the lowest number that has this face from a hand.
    fn take(&mut self, seat: usize, face: &str) -> usize {
        let fits = |card: &usize| self.face(*card, self.wild) == face;
        let card = self.hands[seat].iter().copied().filter(fits).min();
        let card = card.expect("it is in the hand");
        self.hands[seat].retain(|&other| other != card);
        card
    }

    pub(crate) fn act(&mut self, action: &str) {
        let seat = self.mover().expect("a seat is asked");
        let words: Vec<&str> = action.split(' ').collect();
        match words[0] {
            "draw" => {
                let pile = match words[1] {
                    "pile" => &mut self.draw_pile,
                    _ => &mut self.discard_pile,
                };
                self.hands[seat].push(pile.remove(0));
                self.next = "play";
            }
            "lay" => {
                let mut group = Vec::new();
                for card in &words[1..] {
                    group.push((self.take(seat, &in_hand(card)), card.to_string()));
                }
                self.groups[seat].push(group);
                let whole = PHASES[self.phase(seat) - 1].split(' ').count();
                if self.groups[seat].len() == whole {
                    self.laid[seat] = true;
                    if !self.deciding {
                        self.completed[seat] += 1;
                    }
                }
            }
            "hit" => {
                let card = (self.take(seat, &in_hand(words[1])), words[1].to_string());
                let owner: usize = words[2][..1].parse().expect("a seat");
                let place: usize = words[2][2..].parse().expect("a number");
                let group = &mut self.groups[owner][place - 1];
                match words.get(3) {
                    Some(&"low") => group.insert(0, card),
                    _ => group.push(card),
                }
                if self.hands[seat].is_empty() {
                    self.end_turn(seat);
                }
            }
            _ => {
                let card = self.take(seat, words[1]);
                self.discard_pile.insert(0, card);
                if words[1].contains('^') {
                    self.wild = !self.wild;
                    self.draw_pile.reverse();
                    self.discard_pile.reverse();
                }
                self.end_turn(seat);
            }
        }
    }

    fn end_turn(&mut self, seat: usize) {
        self.turns += 1;
        if self.hands[seat].is_empty() {
            self.end_round(seat);
        } else if self.turns == self.number_of("max_turns_per_round") {
            self.end(None, "limit");
        } else if self.draw_pile.is_empty() {
            self.next = "reshuffle";
        } else {
            self.next = "draw";
        }
    }

    fn end_round(&mut self, out: usize) {
        if self.deciding {
            return self.end(Some(out), "deciding-round");
        }
        for seat in 0..self.seats {
            if seat == out {
                self.score[seat] += self.number_of("round_winner_points") as u64;
            }
            for face in self.hand(seat, self.wild) {
                self.score[seat] += match number(&face) {
                    1..=9 => 5,
                    10..=12 => 10,
                    _ => 20,
                };
            }
        }
        if self.is("ten-rounds") {
            if self.round == 10 {
                return self.end(None, "ten-rounds");
            }
        } else if self.best().len() == 1 {
            return self.end(None, "last-phase");
        }
        if self.round == self.number_of("max_rounds") {
            return self.end(None, "limit");
        }
        self.next = "deal";
    }

    /// Who completed the last phase with the lowest total.
    fn best(&self) -> Vec<usize> {
        let mut best = Vec::new();
        for seat in 0..self.seats {
            let done = |seat: usize| self.completed[seat] == self.last_phase();
            let others = (0..self.seats).filter(|&other| done(other));
            let lowest = others.map(|other| self.score[other]).min();
            if !self.is("ten-rounds") && done(seat) && Some(self.score[seat]) == lowest {
                best.push(seat);
            }
        }
        best
    }

    fn end(&mut self, winner: Option<usize>, reason: &'static str) {
        let is_behind = |seat: usize, other: usize| {
            if seat == other || winner == Some(other) {
                return false;
            }
            if winner == Some(seat) {
                return true;
            }
            let phases = [seat, other].map(|seat| match self.is("ten-rounds") {
                true => 0,
                false => self.completed[seat],
            });
            let fewer = phases[1] < phases[0];
            fewer || (phases[1] == phases[0] && self.score[other] > self.score[seat])
        };
        let behind = |seat: usize| {
            (0..self.seats)
                .filter(|&other| is_behind(seat, other))
                .count()
        };
        self.over = Some(((0..self.seats).map(behind).collect(), reason));
        self.next = "over";
    }

    pub(crate) fn chance(&mut self, draw: &Value) {
        let numbers = |value: &Value| -> Vec<usize> {
            let numbers = value.as_array().expect("a list").iter();
            numbers
                .map(|number| number.as_u64().expect("a number") as usize)
                .collect()
        };
        match self.next {
            "cards" => {
                for pair in draw["cards"].as_array().expect("pairs") {
                    let face = |side: usize| pair[side].as_str().expect("a face").to_string();
                    self.cards.push([face(0), face(1)]);
                }
                self.next = "dealer";
            }
            "dealer" => {
                self.dealer = draw["dealer"].as_u64().map(|seat| seat as usize);
                self.next = "deal";
            }
            "deal" => self.deal(numbers(&draw["deal"])),
            "reshuffle" => {
                self.discard_pile.truncate(1);
                self.draw_pile = numbers(&draw["reshuffle"]);
                self.next = "draw";
            }
            next => panic!("chance does not draw at {next}"),
        }
    }

    fn deal(&mut self, mut from_the_top: Vec<usize>) {
        let best = self.best();
        if self.round > 0 {
            self.dealer = self.dealer.map(|dealer| (dealer + 1) % self.seats);
        }
        self.deciding = !best.is_empty();
        self.playing = match self.deciding {
            true => best,
            false => (0..self.seats).collect(),
        };
        self.round += 1;
        self.turns = 0;
        self.wild = false;
        self.hands = vec![Vec::new(); self.seats];
        self.groups = vec![Vec::new(); self.seats];
        self.laid = vec![false; self.seats];
        for _ in 0..10 {
            for seat in self.order_of_seats() {
                self.hands[seat].push(from_the_top.remove(0));
            }
        }
        self.discard_pile = vec![from_the_top.remove(0)];
        self.draw_pile = from_the_top;
        self.next = "draw";
    }

    /// What a seat sees; without a seat, what the public sees.
    pub(crate) fn view(&self, viewer: Option<usize>) -> Value {
        let mut seats = Vec::new();
        for seat in 0..self.seats {
            let shapes: Vec<&str> = PHASES[self.phase(seat) - 1].split(' ').collect();
            let mut groups = Vec::new();
            for (group, shape) in self.groups[seat].iter().zip(shapes) {
                let cards: Vec<&str> = group.iter().map(|(_, card)| card.as_str()).collect();
                let coloured = cards.iter().find(|card| !card.starts_with('w'));
                let run = shape.starts_with('r');
                groups.push(json!({
                    "kind": if run { "run" } else { "set" },
                    "colour": coloured.filter(|_| run).map(|card| &card[..1]),
                    "cards": cards,
                }));
            }
            let mut shown = json!({
                "score": self.score[seat],
                "completed": self.completed[seat],
                "phase": self.phase(seat),
                "laid": self.laid[seat],
                "cards": self.hands[seat].len(),
                "groups": groups,
            });
            if viewer.is_some_and(|viewer| viewer != seat) {
                shown["backs"] = json!(self.hand(seat, !self.wild));
            }
            seats.push(shown);
        }
        let pile = |pile: &[usize], wild: bool| {
            json!({
                "cards": pile.len(),
                "top": pile.first().map(|&card| self.face(card, wild)),
            })
        };
        let mut view = json!({
            "round": self.round,
            "deciding": self.deciding.then_some(&self.playing),
            "dealer": self.dealer,
            "side": if self.wild { "wild" } else { "colour" },
            "turn": self.turns,
            "stage": self.next,
            "to_move": self.mover(),
            "seats": seats,
            "draw_pile": pile(&self.draw_pile, !self.wild),
            "discard_pile": pile(&self.discard_pile, self.wild),
        });
        if let Some(viewer) = viewer {
            view["hand"] = json!(self.hand(viewer, self.wild));
        }
        if let Some((points, reason)) = &self.over {
            view["over"] = json!({ "points": points, "reason": reason });
        }
        view
    }

    /// Where every card is: hands, groups, piles from the top.
    pub(crate) fn places(&self) -> Value {
        let mut hands = self.hands.clone();
        hands.iter_mut().for_each(|hand| hand.sort());
        let ids = |group: &Vec<(usize, String)>| group.iter().map(|(card, _)| *card).collect();
        let groups: Vec<Vec<Vec<usize>>> = self
            .groups
            .iter()
            .map(|groups| groups.iter().map(ids).collect())
            .collect();
        json!({
            "cards": self.cards,
            "hands": hands,
            "groups": groups,
            "draw_pile": self.draw_pile,
            "discard_pile": self.discard_pile,
        })
    }
}
