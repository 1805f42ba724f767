//! Kuhn's poker: the smallest game here with hidden cards.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::picture::picture;
use crate::game::{Event, Game, Illegal, Info, ParseError, illegal, malformed, require};
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Outcome, Seat, SeatTurn, Seats, Viewer};
use crate::{chance, chance_by_serde};

/// A match of Kuhn's poker ("A simplified two-person poker", 1950) over some rounds. In a round
/// each seat antes a chip and is dealt one of three cards; the first to act alternates.
#[derive(Clone, Debug)]
pub struct Kuhn {
    rounds: u32,
    /// How many rounds have been played.
    round: u32,
    /// What each seat has won.
    chips: [i32; 2],
    /// The cards of this round, once they are dealt.
    cards: Option<[KuhnCard; 2]>,
    moves: Vec<KuhnMove>,
    /// The cards of the last round, if they were shown.
    shown: Option<[KuhnCard; 2]>,
}

/// The settings of Kuhn's poker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct KuhnOptions {
    /// How many rounds are played.
    pub rounds: BoundedInt<1, 1000>,
}

impl Default for KuhnOptions {
    fn default() -> Self {
        KuhnOptions {
            rounds: BoundedInt::new(4),
        }
    }
}

/// A card; the king is the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum KuhnCard {
    /// The jack.
    J,
    /// The queen.
    Q,
    /// The king.
    K,
}

/// What a seat does: `bet` or `check`, and after a bet `call` or `fold`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KuhnMove {
    /// Puts a chip into the pot.
    Bet,
    /// Puts a chip into the pot after a bet.
    Call,
    /// Does nothing; after two checks the higher card wins the antes.
    Check,
    /// Gives the round up.
    Fold,
}

/// The cards of a round, by seat: `{"deal":["Q","K"]}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deal {
    deal: [KuhnCard; 2],
}

/// What a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KuhnView {
    /// How many rounds are played in all.
    rounds: u32,
    /// How many rounds have been played.
    round: u32,
    /// By seat, the chips won; below zero, lost.
    chips: [i32; 2],
    /// By seat, the card dealt, null if it is hidden; null before the deal.
    cards: Option<[Option<KuhnCard>; 2]>,
    /// What was done in this round.
    moves: Vec<KuhnMove>,
    /// By seat, the cards of the round before if they were shown, else null.
    shown: Option<[KuhnCard; 2]>,
    /// The seat whose turn it is; null before the deal and when the match is over.
    to_move: Option<Seat>,
}

impl KuhnMove {
    const ALL: [KuhnMove; 4] = [
        KuhnMove::Bet,
        KuhnMove::Call,
        KuhnMove::Check,
        KuhnMove::Fold,
    ];

    fn name(self) -> &'static str {
        ["bet", "call", "check", "fold"][self as usize]
    }
}

/// Every way to deal one card each.
fn deals() -> impl Iterator<Item = [KuhnCard; 2]> {
    let cards = [KuhnCard::J, KuhnCard::Q, KuhnCard::K];
    let pairs = cards
        .into_iter()
        .flat_map(move |first| cards.map(|second| [first, second]));
    pairs.filter(|[first, second]| first != second)
}

/// The moves that may follow these within a round.
fn follow(moves: &[KuhnMove]) -> &'static [KuhnMove] {
    match moves {
        [] | [KuhnMove::Check] => &[KuhnMove::Bet, KuhnMove::Check],
        [KuhnMove::Bet] | [KuhnMove::Check, KuhnMove::Bet] => &[KuhnMove::Call, KuhnMove::Fold],
        _ => &[],
    }
}

impl Kuhn {
    /// The seat that is next to act in this round.
    fn mover(&self) -> Seat {
        ((self.round as usize + self.moves.len()) % 2) as Seat
    }

    /// The round is over: the winner takes so many chips from the other seat.
    fn settle(&mut self, winner: Seat, chips: i32, shown: Option<[KuhnCard; 2]>) {
        self.chips[usize::from(winner)] += chips;
        self.chips[usize::from(1 - winner)] -= chips;
        self.round += 1;
        self.moves.clear();
        self.cards = None;
        self.shown = shown;
    }

    /// Draws the cards anew that are not to be seen.
    fn dealt_like(
        seen: &[Option<KuhnCard>; 2],
        rng: &mut dyn Rng,
    ) -> Result<[KuhnCard; 2], ParseError> {
        let fits = |deal: &[KuhnCard; 2]| {
            seen.iter()
                .zip(deal)
                .all(|(seen, card)| seen.is_none_or(|seen| seen == *card))
        };
        let deals: Vec<_> = deals().filter(fits).collect();
        require!(!deals.is_empty(), "a card cannot be dealt twice");
        Ok(*chance::one_of(rng, &deals))
    }

    /// Whether the numbers of a view can come about.
    fn is_sound(&self) -> bool {
        let [first, second] = self.chips;
        let most = 2 * i64::from(self.round);
        self.round <= self.rounds
            && i64::from(first) == -i64::from(second)
            && i64::from(first).abs() <= most
            && !follow(&self.moves).is_empty()
            && (self.cards.is_some() || self.moves.is_empty())
            && (self.cards.is_none() || self.round < self.rounds)
            && self
                .shown
                .is_none_or(|[first, second]| first != second && self.round > 0)
    }
}

impl Game for Kuhn {
    type Options = KuhnOptions;
    type Action = KuhnMove;
    type Chance = Deal;
    type View = KuhnView;

    const INFO: Info = Info {
        id: "test-kuhn",
        title: "Kuhn's poker",
        summary: "Poker with three cards, one each",
        seats: &[2],
        chance: true,
        secrets: true,
        simultaneous: false,
    };

    const NOTATION: &'static str = "bet|call|check|fold";

    fn new(options: &KuhnOptions, _: u8) -> Result<Self, OptionsError> {
        Ok(Kuhn {
            rounds: options.rounds.get(),
            round: 0,
            chips: [0; 2],
            cards: None,
            moves: Vec::new(),
            shown: None,
        })
    }

    fn presets() -> Vec<(&'static str, KuhnOptions)> {
        let rounds = BoundedInt::new(1);
        vec![("one-round", KuhnOptions { rounds })]
    }

    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> SeatTurn {
        if self.round == self.rounds {
            SeatTurn::Over(Outcome {
                points: self.chips.into_iter().collect(),
                reason: "rounds",
            })
        } else if self.cards.is_none() {
            SeatTurn::Chance
        } else {
            SeatTurn::Seats(Seats::one(self.mover()))
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<KuhnMove>) {
        actions.clear();
        if self.turn() == SeatTurn::Seats(Seats::one(seat)) {
            actions.extend(follow(&self.moves));
        }
    }

    fn read_action(&self, text: &str) -> Result<KuhnMove, ParseError> {
        let read = KuhnMove::ALL
            .into_iter()
            .find(|action| action.name() == text);
        read.ok_or_else(|| malformed!("a move is bet, call, check or fold"))
    }

    fn write_action(&self, action: KuhnMove, out: &mut String) {
        out.push_str(action.name());
    }

    fn check(&self, seat: Seat, action: KuhnMove) -> Result<(), Illegal> {
        if self.turn() != SeatTurn::Seats(Seats::one(seat)) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        match follow(&self.moves) {
            allowed if allowed.contains(&action) => Ok(()),
            allowed => {
                let [one, other] = [0, 1].map(|at| allowed[at].name());
                Err(illegal!("now you {one} or {other}"))
            }
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, action) = match event {
            Event::Chance(Deal { deal }) => {
                self.cards = Some(*deal);
                self.shown = None;
                return;
            }
            Event::Acts(acts) => acts[0],
        };
        let cards = self.cards.expect("cards are dealt before a seat acts");
        let higher = Seat::from(cards[1] > cards[0]);
        self.moves.push(action);
        match self.moves[..] {
            [.., KuhnMove::Check, KuhnMove::Check] => self.settle(higher, 1, Some(cards)),
            [.., KuhnMove::Bet, KuhnMove::Call] => self.settle(higher, 2, Some(cards)),
            [.., KuhnMove::Fold] => self.settle(1 - seat, 1, None),
            _ => {}
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> Deal {
        Deal {
            deal: Self::dealt_like(&[None; 2], rng).expect("nothing is dealt twice"),
        }
    }

    fn check_chance(&self, Deal { deal }: &Deal) -> Result<(), Illegal> {
        if deal[0] == deal[1] {
            return Err(illegal!("a card cannot be dealt twice"));
        }
        Ok(())
    }

    chance_by_serde!();

    fn sees_action(&self, _: Viewer, _: Seat, _: KuhnMove) -> bool {
        true
    }

    fn view(&self, viewer: Viewer) -> KuhnView {
        let sees = |seat: Seat| match viewer {
            Viewer::Seat(own) => own == seat,
            Viewer::Public => false,
            Viewer::Open => true,
        };
        let seen =
            |[first, second]: [KuhnCard; 2]| [sees(0).then_some(first), sees(1).then_some(second)];
        KuhnView {
            rounds: self.rounds,
            round: self.round,
            chips: self.chips,
            cards: self.cards.map(seen),
            moves: self.moves.clone(),
            shown: self.shown,
            to_move: self.cards.is_some().then_some(self.mover()),
        }
    }

    fn from_view(
        options: &KuhnOptions,
        seats: u8,
        viewer: Viewer,
        view: &KuhnView,
        rng: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let cards = view.cards.as_ref().map(|seen| Self::dealt_like(seen, rng));
        let kuhn = Kuhn {
            round: view.round,
            chips: view.chips,
            cards: cards.transpose()?,
            moves: view.moves.clone(),
            shown: view.shown,
            ..Kuhn::new(options, seats)?
        };
        let fits = kuhn.is_sound() && kuhn.view(viewer) == *view;
        require!(fits, "what the view says does not fit together");
        Ok(kuhn)
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        let redraw = |seen| Self::dealt_like(&seen, rng).expect("the true cards fit");
        Kuhn {
            cards: self.view(viewer).cards.map(redraw),
            ..self.clone()
        }
    }

    fn text(view: &KuhnView) -> String {
        let mut text = format!(
            "Round {} of {}\n",
            view.rounds.min(view.round + 1),
            view.rounds
        );
        for seat in 0..2 {
            let card = match view.cards.map(|cards| cards[seat]) {
                None => String::new(),
                Some(None) => ", card hidden".into(),
                Some(Some(card)) => format!(", card {card:?}"),
            };
            text += &format!("seat {seat}: {:+} chips{card}\n", view.chips[seat]);
        }
        if let Some([first, second]) = view.shown {
            text += &format!("shown: {first:?} and {second:?}\n");
        }
        for action in &view.moves {
            text += &format!("{}\n", action.name());
        }
        if let Some(seat) = view.to_move {
            text += &format!("seat {seat} to move\n");
        }
        text
    }

    fn svg(view: &KuhnView) -> String {
        picture(&Self::text(view))
    }
}

#[cfg(test)]
mod tests {
    use crate::seats::{SeatTurn, Viewer};
    use crate::testing::find;

    /// The chips after one round with these cards and moves.
    fn played(deal: &str, moves: &[&str]) -> Vec<i32> {
        let game = find("test-kuhn").expect("a test game");
        let mut table = game.set_up(r#"{"rounds":1}"#, 2).expect("it fits").table;
        table
            .chance(&format!(r#"{{"deal":{deal}}}"#))
            .expect("these cards can be dealt");
        for (seat, action) in [0, 1].into_iter().cycle().zip(moves) {
            table.act(&[(seat, action)]).expect("the seat may do this");
        }
        match table.turn() {
            SeatTurn::Over(outcome) => outcome.points.to_vec(),
            turn => panic!("the round is not over: {turn:?}"),
        }
    }

    #[test]
    fn the_higher_card_wins_what_is_in_the_pot_and_who_folds_loses_the_ante() {
        assert_eq!(played(r#"["K","Q"]"#, &["check", "check"]), [1, -1]);
        assert_eq!(played(r#"["J","Q"]"#, &["check", "check"]), [-1, 1]);
        assert_eq!(played(r#"["K","Q"]"#, &["bet", "call"]), [2, -2]);
        assert_eq!(played(r#"["K","J"]"#, &["check", "bet", "call"]), [2, -2]);
        assert_eq!(played(r#"["K","J"]"#, &["check", "bet", "fold"]), [-1, 1]);
        assert_eq!(played(r#"["J","K"]"#, &["bet", "fold"]), [1, -1]);
    }

    #[test]
    fn a_seat_sees_its_own_card_only() {
        let game = find("test-kuhn").expect("a test game");
        let mut table = game.set_up("{}", 2).expect("it fits").table;
        table
            .chance(r#"{"deal":["K","J"]}"#)
            .expect("these cards can be dealt");
        for (viewer, cards) in [
            (Viewer::Seat(0), r#""cards":["K",null]"#),
            (Viewer::Seat(1), r#""cards":[null,"J"]"#),
            (Viewer::Public, r#""cards":[null,null]"#),
            (Viewer::Open, r#""cards":["K","J"]"#),
        ] {
            let mut view = Vec::new();
            table.write_view(viewer, &mut view);
            let view = String::from_utf8(view).expect("JSON is UTF-8");
            assert!(view.contains(cards), "{viewer:?} sees {view}");
        }
    }
}
