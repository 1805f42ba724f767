//! Goofspiel: the smallest game here in which seats choose simultaneously.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::picture::picture;
use crate::game::{Event, Game, Illegal, Info, ParseError, illegal, malformed, require};
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Outcome, Seat, SeatTurn, Seats, Viewer};
use crate::{chance, chance_by_serde};

/// A match of Goofspiel. Chance turns up a prize, all seats bid a card for it at once, and the
/// highest bid takes it. If several bids are the highest, nobody does.
#[derive(Clone, Debug)]
pub struct Goofspiel {
    winner_rests: bool,
    /// Nothing is hidden. The order of the prizes is not drawn before.
    view: GoofspielView,
}

/// The settings of Goofspiel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct GoofspielOptions {
    /// How many cards each seat has, and how many prizes there are.
    pub cards: BoundedInt<1, 9>,
    /// Whether the winner of a prize does not bid for the next one.
    pub winner_rests: bool,
}

impl Default for GoofspielOptions {
    fn default() -> Self {
        GoofspielOptions {
            cards: BoundedInt::new(5),
            winner_rests: false,
        }
    }
}

/// The card bid: `bid 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bid(u8);

/// The prize that is turned up: `{"prize":3}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prize {
    prize: u8,
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GoofspielView {
    /// By seat, the cards it still has, ascending.
    hands: Vec<Vec<u8>>,
    /// The prizes that have not been turned up, ascending.
    prizes: Vec<u8>,
    /// The prize to bid for; null before it is turned up and when the match is over.
    prize: Option<u8>,
    /// By seat, the last bid, null if it rested; empty before the first bids.
    bids: Vec<Option<u8>>,
    /// By seat, the prizes won, added up.
    points: Vec<i32>,
    /// The seat that does not bid for this prize, or null.
    resting: Option<Seat>,
}

impl Goofspiel {
    fn bidders(&self) -> Seats {
        let all = Seats::first(self.seats());
        self.view.resting.map_or(all, |seat| all.without(seat))
    }

    /// The seat that bid the most, if it is only one.
    fn highest(bids: &[(Seat, Bid)]) -> Option<Seat> {
        let most = bids.iter().map(|&(_, bid)| bid).max()?;
        let mut highest = bids.iter().filter(|&&(_, bid)| bid == most);
        match (highest.next(), highest.next()) {
            (Some(&(seat, _)), None) => Some(seat),
            _ => None,
        }
    }

    /// Whether the numbers of a view can come about.
    fn is_sound(&self, options: &GoofspielOptions) -> bool {
        let cards = options.cards.get() as u8;
        let is_sorted = |cards_of: &Vec<u8>| {
            cards_of.is_sorted_by(|low, high| low < high)
                && cards_of.iter().all(|card| (1..=cards).contains(card))
        };
        let to_come = self.view.prizes.len() + usize::from(self.view.prize.is_some());
        let seats = self.view.hands.len();
        let all_prizes: i32 = (1..=i32::from(cards)).sum();
        is_sorted(&self.view.prizes)
            && self
                .view
                .prize
                .is_none_or(|up| (1..=cards).contains(&up) && !self.view.prizes.contains(&up))
            && self
                .view
                .hands
                .iter()
                .all(|hand| is_sorted(hand) && hand.len() >= to_come)
            && (self.view.bids.is_empty() || self.view.bids.len() == seats)
            && self
                .view
                .bids
                .iter()
                .flatten()
                .all(|bid| (1..=cards).contains(bid))
            && self.view.points.len() == seats
            && self
                .view
                .points
                .iter()
                .all(|points| (0..=all_prizes).contains(points))
            && self
                .view
                .resting
                .is_none_or(|seat| options.winner_rests && usize::from(seat) < seats)
    }
}

impl Game for Goofspiel {
    type Options = GoofspielOptions;
    type Action = Bid;
    type Chance = Prize;
    type View = GoofspielView;

    const INFO: Info = Info {
        id: "test-goofspiel",
        title: "Goofspiel",
        summary: "Bid cards for prizes, all at once",
        seats: &[2, 3, 4, 5, 6],
        chance: true,
        secrets: false,
        simultaneous: true,
    };

    const NOTATION: &'static str = "bid [1-9]";

    fn new(options: &GoofspielOptions, seats: u8) -> Result<Self, OptionsError> {
        let cards: Vec<u8> = (1..=options.cards.get() as u8).collect();
        Ok(Goofspiel {
            winner_rests: options.winner_rests,
            view: GoofspielView {
                hands: vec![cards.clone(); seats.into()],
                prizes: cards,
                prize: None,
                bids: Vec::new(),
                points: vec![0; seats.into()],
                resting: None,
            },
        })
    }

    fn presets() -> Vec<(&'static str, GoofspielOptions)> {
        let winner_rests = GoofspielOptions {
            winner_rests: true,
            ..GoofspielOptions::default()
        };
        vec![("winner-rests", winner_rests)]
    }

    fn seats(&self) -> u8 {
        self.view.hands.len() as u8
    }

    fn turn(&self) -> SeatTurn {
        if self.view.prize.is_some() {
            SeatTurn::Seats(self.bidders())
        } else if !self.view.prizes.is_empty() {
            SeatTurn::Chance
        } else {
            SeatTurn::Over(Outcome {
                points: self.view.points.iter().copied().collect(),
                reason: "prizes",
            })
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Bid>) {
        actions.clear();
        if self.view.prize.is_some() && self.bidders().contains(seat) {
            actions.extend(
                self.view.hands[usize::from(seat)]
                    .iter()
                    .map(|&card| Bid(card)),
            );
        }
    }

    fn read_action(&self, text: &str) -> Result<Bid, ParseError> {
        match *text.as_bytes() {
            [b'b', b'i', b'd', b' ', card @ b'1'..=b'9'] => Ok(Bid(card - b'0')),
            _ => Err(malformed!("a bid is like bid 3, with a card from 1 to 9")),
        }
    }

    fn write_action(&self, Bid(card): Bid, out: &mut String) {
        out.push_str("bid ");
        out.push((b'0' + card) as char);
    }

    fn check(&self, seat: Seat, Bid(card): Bid) -> Result<(), Illegal> {
        if self.view.prize.is_none() || !self.bidders().contains(seat) {
            return Err(illegal!("seat {seat} is not to bid now"));
        }
        if !self.view.hands[usize::from(seat)].contains(&card) {
            return Err(illegal!("seat {seat} has no card {card}"));
        }
        Ok(())
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let bids = match event {
            Event::Chance(&Prize { prize }) => {
                self.view.prizes.retain(|&left| left != prize);
                self.view.prize = Some(prize);
                return;
            }
            Event::Acts(bids) => bids,
        };
        self.view.bids = vec![None; self.view.hands.len()];
        for &(seat, Bid(card)) in bids {
            self.view.bids[usize::from(seat)] = Some(card);
            self.view.hands[usize::from(seat)].retain(|&left| left != card);
        }
        let prize = self
            .view
            .prize
            .take()
            .expect("a prize is turned up before the bids");
        let winner = Self::highest(bids);
        if let Some(winner) = winner {
            self.view.points[usize::from(winner)] += i32::from(prize);
        }
        self.view.resting = winner.filter(|_| self.winner_rests);
    }

    fn sample(&self, rng: &mut dyn Rng) -> Prize {
        let prize = *chance::one_of(rng, &self.view.prizes);
        Prize { prize }
    }

    fn check_chance(&self, Prize { prize }: &Prize) -> Result<(), Illegal> {
        if self.view.prizes.contains(prize) {
            Ok(())
        } else {
            Err(illegal!("there is no prize {prize} to turn up"))
        }
    }

    chance_by_serde!();

    fn view(&self, _: Viewer) -> GoofspielView {
        self.view.clone()
    }

    fn from_view(
        options: &GoofspielOptions,
        seats: u8,
        _: Viewer,
        view: &GoofspielView,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let game = Goofspiel {
            winner_rests: options.winner_rests,
            view: view.clone(),
        };
        let fits = view.hands.len() == usize::from(seats) && game.is_sound(options);
        require!(fits, "what the view says does not fit together");
        Ok(game)
    }

    fn text(view: &GoofspielView) -> String {
        let mut text = match view.prize {
            Some(prize) => format!("Prize {prize}\n"),
            None if view.prizes.is_empty() => "No prizes left\n".into(),
            None => "The next prize is to be turned up\n".into(),
        };
        for (seat, (hand, points)) in view.hands.iter().zip(&view.points).enumerate() {
            let rests = if view.resting == Some(seat as Seat) {
                ", rests"
            } else {
                ""
            };
            let bid = match view.bids.get(seat) {
                Some(Some(bid)) => format!(", last bid {bid}"),
                _ => String::new(),
            };
            text += &format!("seat {seat}: {points} points, cards {hand:?}{bid}{rests}\n");
        }
        text
    }

    fn svg(view: &GoofspielView) -> String {
        picture(&Self::text(view))
    }
}

#[cfg(test)]
mod tests {
    use crate::seats::{SeatTurn, Seats};
    use crate::testing::find;

    #[test]
    fn the_highest_bid_takes_the_prize_and_equal_ones_nothing() {
        let game = find("test-goofspiel").expect("a test game");
        let options = r#"{"cards":3,"winner_rests":true}"#;
        let mut table = game.set_up(options, 3).expect("it fits").table;
        table.chance(r#"{"prize":3}"#).expect("the prize is there");
        table
            .act(&[(0, "bid 1"), (1, "bid 3"), (2, "bid 2")])
            .expect("all bid");
        table.chance(r#"{"prize":2}"#).expect("the prize is there");
        assert_eq!(
            table.turn(),
            SeatTurn::Seats(Seats::one(0).with(2)),
            "the winner rests"
        );
        table.act(&[(0, "bid 3"), (2, "bid 3")]).expect("both bid");
        table.chance(r#"{"prize":1}"#).expect("the prize is there");
        table
            .act(&[(0, "bid 2"), (1, "bid 1"), (2, "bid 1")])
            .expect("all bid");
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("the match is over");
        };
        assert_eq!(
            (&outcome.points[..], outcome.reason),
            (&[1, 3, 0][..], "prizes")
        );
    }
}
