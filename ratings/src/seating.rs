//! How the bots of a match share its seats, and in which orders the matches of a block seat them.

use crate::numbers::{choose, combination};

/// The most seats of a match.
pub const MAX_SEATS: usize = 6;

/// The most bots of a match of which a block has every permutation of the seats; with more it has
/// the rotations of one order, and the order changes from round to round.
const MAX_PERMUTED: usize = 3;

/// How the bots of a match share out its seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    seats: u8,
    /// By seat, which of the match's bots sits there.
    places: [u8; MAX_SEATS],
    /// How many bots a match has.
    bots: u8,
    /// By seat, the side that it is on.
    sides: [u8; MAX_SEATS],
}

/// Seats that cannot be shared out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "copies: {copies} seats for each bot do not go into {seats} seats; possible: {}",
    listed(fitting)
)]
pub struct SeatingError {
    /// The seats that each bot would have.
    pub copies: u8,
    /// The seats of a match.
    pub seats: u8,
    /// What would fit.
    pub fitting: Vec<u8>,
}

fn listed(numbers: &[u8]) -> String {
    let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
    words.join(", ")
}

impl Seating {
    /// One bot in each of so many seats, each for itself.
    pub fn single(seats: u8) -> Self {
        let each: Vec<u8> = (0..seats).collect();
        Seating::each(&each)
    }

    /// One bot in each seat; `sides` are the sides of the seats.
    fn each(sides: &[u8]) -> Self {
        let seats = sides.len().min(MAX_SEATS);
        let mut of_seats = std::array::from_fn(|seat| seat as u8);
        of_seats[..seats].copy_from_slice(&sides[..seats]);
        Seating {
            seats: seats as u8,
            places: std::array::from_fn(|seat| seat as u8),
            bots: seats as u8,
            sides: of_seats,
        }
    }

    /// So many seats for each bot; `sides` are the sides of the seats. Where seats have sides in
    /// common, all seats of a bot are on one side.
    ///
    /// # Errors
    /// When the seats, or those of a side, cannot be shared out so.
    pub fn copies(sides: &[u8], copies: u8) -> Result<Self, SeatingError> {
        let seats = sides.len().min(MAX_SEATS) as u8;
        if copies == 1 {
            return Ok(Seating::each(sides));
        }
        let largest = |side: &u8| sides.iter().filter(|other| *other == side).count();
        let in_teams = sides.iter().any(|side| largest(side) > 1);
        let fits = |copies: u8| {
            let whole = |count: usize| count.is_multiple_of(copies.into());
            copies > 0
                && whole(seats.into())
                && copies < seats
                && (!in_teams || sides.iter().all(|side| whole(largest(side))))
        };
        if !fits(copies) {
            return Err(SeatingError {
                copies,
                seats,
                fitting: (1..seats).filter(|&copies| fits(copies)).collect(),
            });
        }
        let bots = seats / copies;
        let mut order: Vec<usize> = (0..seats.into()).collect();
        if in_teams {
            order.sort_by_key(|&seat| sides[seat]);
        }
        let mut places = [0; MAX_SEATS];
        for (at, seat) in order.into_iter().enumerate() {
            let at = at as u8;
            places[seat] = if in_teams { at / copies } else { at % bots };
        }
        Ok(Seating {
            places,
            bots,
            ..Seating::each(sides)
        })
    }

    /// The side that a seat is on. One that the matches do not have is on its own.
    pub fn side(&self, seat: usize) -> u8 {
        self.sides.get(seat).map_or(seat as u8, |&side| side)
    }

    /// How many rivals a bot has in a match: the bots that are not on its side. All sides have as many seats.
    pub fn rivals(&self) -> u8 {
        self.bots - self.bots / self.parties().max(1)
    }

    /// How many play against each other: bots, or sides where several bots are on one.
    pub fn parties(&self) -> u8 {
        let is_new = |seat: &usize| (0..*seat).all(|other| self.side(other) != self.side(*seat));
        let sides = (0..self.seats.into()).filter(is_new).count();
        self.bots.min(sides as u8)
    }

    /// Whether several bots are on a side.
    pub fn has_partners(&self) -> bool {
        self.parties() < self.bots
    }

    /// Whether two bots are on different sides in all matches of a block, with this number of its order.
    pub fn are_rivals(&self, set: &[u64], number: u64, [one, other]: [usize; 2]) -> bool {
        let seats = self.order(set, number, 0);
        let side = |bot| {
            seats
                .iter()
                .position(|&at| at == bot)
                .map(|at| self.side(at))
        };
        side(one) != side(other)
    }

    /// How many bots a match has.
    pub fn bots(&self) -> u8 {
        self.bots
    }

    /// How many matches a block has: the seats permuted.
    pub fn matches_of_block(&self) -> u8 {
        match usize::from(self.bots) {
            0..=MAX_PERMUTED => (1..=self.bots).product(),
            _ => self.bots,
        }
    }

    /// How many matches a block has.
    pub fn orders(&self) -> u64 {
        self.matches_of_block().into()
    }

    /// Who sits where in a match of a block of these bots: `turn` says in which, and `number` is any
    /// number of the block, which decides with what order one of many bots begins.
    pub fn order(&self, set: &[u64], number: u64, turn: u64) -> Vec<usize> {
        let turn = turn % self.orders();
        let order = match set.len() {
            0..=MAX_PERMUTED => permuted(set, turn),
            _ => {
                let mut order = cyclic_order(set, number);
                order.rotate_left(turn as usize);
                order
            }
        };
        self.seated(&order)
    }

    /// By seat, which bot of an order sits there.
    pub fn seated(&self, order: &[u64]) -> Vec<usize> {
        let seats = &self.places[..self.seats.into()];
        let bots = seats.iter().map(|&place| order[usize::from(place)]);
        bots.map(|bot| usize::try_from(bot).expect("a bot is one of a usize"))
            .collect()
    }
}

/// The permutation with a number, the first bot of the set first in the first ones.
fn permuted(set: &[u64], mut number: u64) -> Vec<u64> {
    let mut left = set.to_vec();
    let mut order = Vec::with_capacity(set.len());
    while !left.is_empty() {
        let place = number % left.len() as u64;
        number /= left.len() as u64;
        order.push(left.remove(place as usize));
    }
    order
}

/// The order with a number round the table, the number being any. All orders come, far ones soon
/// after each other. With an even number of bots those come first in which others sit in every second
/// seat, so that in a game of two teams partners change from one to the next: after 3 orders of four
/// bots and 10 of six each two have been partners equally often.
fn cyclic_order(set: &[u64], number: u64) -> Vec<u64> {
    /// Has no divisor in common with the 12 ways to seat the sides of six bots or the 24 to seat
    /// the others of five.
    const STRIDE: u64 = 5;
    let (first, others) = (set[0], &set[1..]);
    let factorial = |of: u64| (1..=of).product::<u64>();
    let (all, of) = (others.len() as u64, (others.len() as u64 - 1) / 2);
    if all % 2 == 0 {
        let number = number % factorial(all) * STRIDE;
        return [&[first], &permuted(others, number)[..]].concat();
    }
    let ways = choose(all, of);
    let disposition = number % ways;
    let chosen: Vec<u64> = combination(all, of, disposition);
    let side = |with: bool| -> Vec<u64> {
        let places = (0..all).filter(|place| chosen.contains(place) == with);
        places.map(|place| others[place as usize]).collect()
    };
    let orders = factorial(of) * factorial(of + 1);
    let order = (number / ways + disposition) % orders * STRIDE % orders;
    let own = permuted(&side(true), order);
    let rivals = permuted(&side(false), order / factorial(of));
    let mut order = vec![first];
    for (at, rival) in rivals.into_iter().enumerate() {
        order.push(rival);
        order.extend(own.get(at));
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn over_the_rounds_every_order_round_the_table_comes() {
        for seats in 4..=6u8 {
            let set: Vec<u64> = (0..seats.into()).collect();
            let orders = (1..u64::from(seats)).product();
            let all: HashSet<Vec<u64>> =
                (0..orders).map(|round| cyclic_order(&set, round)).collect();
            assert_eq!(all.len() as u64, orders);
        }
    }
}
