//! Who plays whom, and in which order: a pure function of a tournament's settings. What has been
//! played is the journal's business.

use std::ops::RangeInclusive;

use flipside_games::MAX_SEATS;
use flipside_ratings::numbers::{choose, combination, gcd};
use flipside_ratings::{Seating, SeatingError};
use flipside_referee::OpeningError;

use crate::change::ChangeError;
use crate::limits::MAX_ENTRANTS;
use crate::names::Name;

/// The most rounds of a tournament.
pub const MAX_ROUNDS: u32 = 1_000_000;

/// A round robin: in every round each set of bots plays a block of matches from the same seed, the
/// seats permuted. With two or three bots in a match a block has every permutation; with more, every
/// rotation of an order, so that each bot sits in each seat equally often, and over the rounds all
/// orders come.
///
/// For two, the pairs of a round follow the circle method: in each turn of the circle every bot plays
/// once (with an odd number of bots one rests), so no bot waits long for its next match.
///
/// ```
/// let schedule = flipside_tournament::RoundRobin::new(4, 2, 10)?;
/// assert_eq!(schedule.total(), 120);
/// let first: Vec<_> = schedule.iter().take(4).map(|pairing| pairing.seats).collect();
/// assert_eq!(first, [[0, 3], [3, 0], [1, 2], [2, 1]]);
/// # Ok::<(), flipside_tournament::ScheduleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRobin {
    bots: u64,
    rounds: u32,
    seating: Seating,
    /// Sets of bots, blocks of a round.
    sets: u64,
}

/// A match of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Its place in the schedule, from 0.
    pub index: u64,
    /// Its round, from 0: the rating period.
    pub round: u32,
    /// Its block, from 0: the matches of a block have the same seed and the seats permuted.
    pub block: u64,
    /// Who plays, by seat: numbers of entrants, from 0.
    pub seats: Vec<usize>,
}

/// Why there is no such schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A match of one seat, or of more than there are.
    #[error("a match has 2 to {MAX_SEATS} seats, not {0}")]
    Seats(u8),
    /// Too few or too many bots.
    #[error("a {format} is for {least} to {MAX_ENTRANTS} bots here, not {bots}")]
    Bots {
        /// The format, in words.
        format: &'static str,
        /// How many there are.
        bots: usize,
        /// How many it needs.
        least: usize,
    },
    /// More bots meet in a match than the format can seat.
    #[error("a {format} is for matches of two bots, and here one has {bots}")]
    TwoBots {
        /// The format, in words.
        format: &'static str,
        /// How many bots a match has.
        bots: u8,
    },
    /// The format is for two entrants alone.
    #[error("a {format} is of the first bot against the second, and {entrants} are entered")]
    TwoEntrants {
        /// The format, in words.
        format: &'static str,
        /// How many there are.
        entrants: usize,
    },
    /// A number is out of its range.
    #[error("{what}: {least} to {most}, not {is}")]
    Range {
        /// What it is the number of.
        what: &'static str,
        /// The least that it may be.
        least: u64,
        /// The most.
        most: u64,
        /// What it is.
        is: u64,
    },
    /// More rounds than the bots can play with one bye each.
    #[error(
        "a swiss of {bots} bots, {of_match} in a match, has at most {most} rounds, not {rounds}: {} \
         rest in each, and nobody rests twice",
        bots % usize::from(*of_match)
    )]
    Byes {
        /// How many bots there are.
        bots: usize,
        /// How many a match has, which does not divide `bots`.
        of_match: u8,
        /// The most rounds.
        most: u32,
        /// How many were asked for.
        rounds: u32,
    },
    /// The format has no such thing as rounds that could be asked for.
    #[error("a {format} takes no number of rounds")]
    NoRounds {
        /// The format, in words.
        format: &'static str,
    },
    /// The seeds are not each entrant once.
    #[error("the seeds are not each of the {bots} bots once")]
    Seeds {
        /// How many bots there are.
        bots: usize,
    },
    /// What is played depends on the results: there is no schedule that could be asked for at once.
    #[error("a {format} has no fixed schedule")]
    NotFixed {
        /// The format, in words.
        format: &'static str,
    },
    /// The seats cannot be shared out.
    #[error(transparent)]
    Seating(#[from] SeatingError),
    /// The matches cannot begin with an opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The tournament cannot be changed so.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// More matches than can be counted.
    #[error("{bots} bots, {of_match} in a match, make too many matches to be counted")]
    Matches {
        /// How many bots there are.
        bots: usize,
        /// How many a match has.
        of_match: u8,
    },
}

impl ScheduleError {
    /// Whether a format takes so many bots: `least` to [`MAX_ENTRANTS`].
    pub(crate) fn check_bots(format: &'static str, bots: usize, least: usize) -> Result<(), Self> {
        if (least..=MAX_ENTRANTS).contains(&bots) {
            Ok(())
        } else {
            Err(ScheduleError::Bots {
                format,
                bots,
                least,
            })
        }
    }

    /// Whether a number is in its range.
    pub(crate) fn check_range(
        what: &'static str,
        range: RangeInclusive<u64>,
        is: u64,
    ) -> Result<(), Self> {
        if range.contains(&is) {
            return Ok(());
        }
        let (least, most) = range.into_inner();
        Err(ScheduleError::Range {
            what,
            least,
            most,
            is,
        })
    }

    /// How many matches blocks make over some rounds, where they can be counted.
    pub(crate) fn count_matches(
        (bots, seating): (usize, &Seating),
        blocks: u64,
        rounds: u32,
    ) -> Result<u64, Self> {
        let matches = u128::from(blocks) * u128::from(seating.orders()) * u128::from(rounds);
        i64::try_from(matches)
            .map(i64::unsigned_abs)
            .map_err(|_| ScheduleError::Matches {
                bots,
                of_match: seating.bots(),
            })
    }

    /// The way out.
    pub fn hint(&self) -> &'static str {
        match self {
            ScheduleError::Seats(_) => "`flipside games` tells the seats of each game",
            ScheduleError::Bots { .. } => {
                "name more bots, or let each take several seats with --copies"
            }
            ScheduleError::TwoBots { .. } => {
                "ask for two seats, or let two bots share out the seats with --copies; a swiss, a \
                 gauntlet and a round robin are for more"
            }
            ScheduleError::TwoEntrants { .. } => {
                "name the new bot first, and the old one behind it"
            }
            ScheduleError::Range { .. } => "ask for a number in this range",
            ScheduleError::Byes { .. } => {
                "ask for fewer rounds, or name as many bots as fill all matches"
            }
            ScheduleError::NoRounds { .. } => "leave the rounds out; it plays as many as it needs",
            ScheduleError::Seeds { .. } => "begin the tournament anew, under another --name",
            ScheduleError::NotFixed { .. } => "its matches follow from the results, one by one",
            ScheduleError::Seating(_) => "all bots of a match take as many seats",
            ScheduleError::Opening(OpeningError::Plies(_)) => "ask for fewer opening plies",
            ScheduleError::Opening(OpeningError::Game { .. }) => {
                "leave --opening-plies out; openings are for games in which all is open and one \
                 seat after the other moves"
            }
            ScheduleError::Change(error) => error.hint(),
            ScheduleError::Matches { .. } => "name fewer bots, or ask for fewer rounds",
        }
    }
}

impl RoundRobin {
    /// A round robin of so many bots and rounds, each bot of a match in one seat.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit the format.
    pub fn new(bots: usize, seats: u8, rounds: u32) -> Result<Self, ScheduleError> {
        if !(2..=MAX_SEATS as u8).contains(&seats) {
            return Err(ScheduleError::Seats(seats));
        }
        RoundRobin::seated(bots, Seating::single(seats), rounds)
    }

    /// A round robin in which the bots of a match share out its seats so.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit the format.
    pub fn seated(bots: usize, seating: Seating, rounds: u32) -> Result<Self, ScheduleError> {
        let of_match = seating.bots();
        ScheduleError::check_bots("round robin", bots, of_match.max(2).into())?;
        let sets = choose(bots as u64, of_match.into());
        ScheduleError::count_matches((bots, &seating), sets, rounds)?;
        Ok(RoundRobin {
            bots: bots as u64,
            rounds,
            seating,
            sets,
        })
    }

    /// The same with so many rounds more.
    pub(crate) fn longer_by(self, more: u32) -> Self {
        let rounds = self.rounds.saturating_add(more);
        RoundRobin { rounds, ..self }
    }

    /// How many matches there are.
    pub fn total(&self) -> u64 {
        self.per_round() * u64::from(self.rounds)
    }

    /// How many matches a round has.
    pub fn per_round(&self) -> u64 {
        self.sets * self.orders()
    }

    /// How many matches a block has.
    pub fn orders(&self) -> u64 {
        self.seating.orders()
    }

    /// All matches in order. They are computed as they are asked for.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Pairing> + use<> {
        let schedule = *self;
        (0..self.total()).map(move |index| schedule.at(index))
    }

    /// The match with an index, if the schedule has it.
    pub fn pairing(&self, index: u64) -> Option<Pairing> {
        (index < self.total()).then(|| self.at(index))
    }

    /// The match with an index, which the schedule has.
    pub(crate) fn at(&self, index: u64) -> Pairing {
        let round = index / self.per_round();
        let block = index / self.orders();
        let of_round = block % self.sets;
        let seats = if self.seating.bots() == 2 {
            self.seating
                .seated(&self.pair_in_order(round, block, index))
        } else {
            let number = order_of_set(round, of_round);
            // Not every block of a bot begins with the same order.
            self.seating
                .order(&self.set(of_round), number, index + block + round)
        };
        Pairing {
            index,
            round: u32::try_from(round).expect("a round is one of a u32"),
            block,
            seats,
        }
    }

    fn pair_in_order(&self, round: u64, block: u64, index: u64) -> [u64; 2] {
        let (turn, [one, other]) = self.pair(block % (self.per_round() / 2));
        // The bot at the hub of the circle must not open every block.
        let opens = (round + turn + index).is_multiple_of(2);
        if opens { [one, other] } else { [other, one] }
    }

    /// The turn of the circle and the two bots of a round's pair, by the circle method: one bot
    /// stays at the hub, the others move on by one place a turn, and those opposite each other
    /// play. With an odd number of bots nobody is at the hub: who is opposite to it rests.
    fn pair(&self, pair: u64) -> (u64, [u64; 2]) {
        let turns = self.bots - 1 + self.bots % 2;
        let pairs_of_turn = self.bots / 2;
        let turn = pair / pairs_of_turn;
        let spoke = pair % pairs_of_turn + self.bots % 2;
        let pair = match spoke {
            0 => [turn, turns],
            _ => [(turn + spoke) % turns, (turn + turns - spoke) % turns],
        };
        (turn, pair)
    }

    fn set(&self, number: u64) -> Vec<u64> {
        spread_set(self.bots, self.seating.bots().into(), self.sets, number)
    }
}

/// One of the `sets` sets of `of` among `all`, ascending. In lexicographic order the first bot would play
/// all its matches first; a stride about the golden section of the whole spreads them.
pub(crate) fn spread_set(all: u64, of: u64, sets: u64, number: u64) -> Vec<u64> {
    let near = (u128::from(sets) * 618 / 1000) as u64;
    let stride = (near.max(1)..).find(|&stride| gcd(stride, sets) == 1);
    let stride = u128::from(stride.expect("every number has a coprime one"));
    let number = (u128::from(number) * stride % u128::from(sets)) as u64;
    combination(all, of, number)
}

/// The number of the order in which a set of a round begins: over the rounds it takes them in turn, so that partners
/// change, and the sets of a round are at different ones, so that the same two are not neighbours in all of them.
pub(crate) fn order_of_set(round: u64, set: u64) -> u64 {
    /// By how many orders. Of the numbers tried it made neighbours the most even, and it has no divisor in common with
    /// the 3 and the 10 ways to make two sides of four and six bots.
    const APART: u64 = 13;
    round + set * APART
}

/// The id of a match: the same whenever it is played.
pub fn match_id(tournament: &Name, index: u64) -> String {
    format!("{tournament}-{index}")
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn in_every_round_each_pair_plays_once_in_each_seating(bots in 2usize..24, rounds in 0u32..5) {
            let schedule = RoundRobin::new(bots, 2, rounds).unwrap();
            let mut times: HashMap<(u32, Vec<usize>), u32> = HashMap::new();
            for pairing in schedule.iter() {
                *times.entry((pairing.round, pairing.seats)).or_default() += 1;
            }
            prop_assert_eq!(times.len() as u64, schedule.total());
            prop_assert_eq!(schedule.total(), (bots * (bots - 1)) as u64 * u64::from(rounds));
            for ((round, seats), times) in times {
                prop_assert!(round < rounds && times == 1);
                prop_assert!(seats.len() == 2 && seats[0] != seats[1]);
                prop_assert!(seats.iter().all(|&bot| bot < bots));
            }
        }

        #[test]
        fn a_match_is_found_again_by_its_index(bots in 2usize..=MAX_ENTRANTS, rounds in 1u32.., at in 0.0..1.0) {
            let schedule = RoundRobin::new(bots, 2, rounds).unwrap();
            prop_assert!(schedule.total() <= i64::MAX as u64);
            let index = ((schedule.total() as f64 * at) as u64).min(schedule.total() - 1);
            let pairing = schedule.pairing(index).unwrap();
            prop_assert_eq!(pairing.index, index);
            prop_assert_eq!(schedule.pairing(schedule.total()), None);
            // Looking for it among all matches would take ages; its round has few enough.
            if bots < 100 {
                let start = u64::from(pairing.round) * schedule.per_round();
                let mut round = (start..start + schedule.per_round()).map(|i| schedule.pairing(i).unwrap());
                prop_assert!(round.all(|p| p.round == pairing.round && (p.seats != pairing.seats || p.index == index)));
            }
        }

        #[test]
        fn a_block_is_one_pair_in_both_seatings(bots in 2usize..24, rounds in 1u32..4) {
            let schedule = RoundRobin::new(bots, 2, rounds).unwrap();
            let all: Vec<Pairing> = schedule.iter().collect();
            for (number, block) in all.chunks(2).enumerate() {
                let [one, other] = block else { panic!("half a block") };
                prop_assert_eq!([one.block, other.block], [number as u64; 2]);
                prop_assert_eq!(one.round, other.round);
                let swapped: Vec<usize> = other.seats.iter().rev().copied().collect();
                prop_assert_eq!(&one.seats, &swapped);
            }
        }

        #[test]
        fn in_a_turn_of_the_circle_no_bot_plays_twice(bots in 2usize..40) {
            let schedule = RoundRobin::new(bots, 2, 1).unwrap();
            let all: Vec<Pairing> = schedule.iter().collect();
            for turn in all.chunks(bots / 2 * 2) {
                let opened: HashSet<usize> = turn.iter().step_by(2).flat_map(|p| p.seats.clone()).collect();
                prop_assert_eq!(opened.len(), bots / 2 * 2);
            }
        }

        #[test]
        fn a_longer_tournament_begins_as_the_shorter_one(bots in 2usize..12, rounds in 1u32..4, more in 0u32..4) {
            let short = RoundRobin::new(bots, 2, rounds).unwrap();
            let long = RoundRobin::new(bots, 2, rounds + more).unwrap();
            prop_assert!(short.iter().eq(long.iter().take(short.total() as usize)));
        }
    }

    proptest! {
        #[test]
        fn in_every_round_each_set_of_bots_plays_a_block_in_every_seating(
            seats in 3u8..=6, more in 0usize..4, rounds in 1u32..4,
        ) {
            let bots = usize::from(seats) + more;
            let schedule = RoundRobin::new(bots, seats, rounds).unwrap();
            let mut sat: HashMap<(u32, usize, usize), u64> = HashMap::new();
            let mut met: HashMap<(u32, usize, usize), u64> = HashMap::new();
            let mut orders: HashSet<(u32, Vec<usize>)> = HashSet::new();
            let mut sets: HashSet<(u32, Vec<usize>)> = HashSet::new();
            for pairing in schedule.iter() {
                let Pairing { round, seats, .. } = pairing;
                for (seat, &bot) in seats.iter().enumerate() {
                    *sat.entry((round, bot, seat)).or_default() += 1;
                    for &other in seats.iter().filter(|&&other| other != bot) {
                        *met.entry((round, bot, other)).or_default() += 1;
                    }
                }
                let mut set = seats.clone();
                set.sort_unstable();
                set.dedup();
                prop_assert_eq!(set.len(), seats.len());
                sets.insert((round, set));
                prop_assert!(orders.insert((round, seats)), "a seating comes twice in a round");
            }
            let rounds = u64::from(rounds);
            prop_assert_eq!(orders.len() as u64, schedule.total());
            prop_assert_eq!(sets.len() as u64, choose(bots as u64, seats.into()) * rounds);
            let even = |counts: &HashMap<(u32, usize, usize), u64>| counts.values().collect::<HashSet<_>>().len();
            prop_assert_eq!((even(&sat), even(&met)), (1, 1));
            prop_assert_eq!(sat.len(), bots * usize::from(seats) * rounds as usize);
            prop_assert_eq!(met.len(), bots * (bots - 1) * rounds as usize);
        }

        #[test]
        fn every_set_has_a_number(all in 2u64..12, of in 1u64..6) {
            prop_assume!(of <= all);
            let sets: Vec<Vec<u64>> = (0..choose(all, of)).map(|number| combination(all, of, number)).collect();
            prop_assert!(sets.is_sorted_by(|one, next| one < next));
            prop_assert!(sets.iter().all(|set| set.is_sorted_by(|one, next| one < next) && set.len() as u64 == of));
        }

        #[test]
        fn a_block_of_many_seats_is_one_set(seats in 3u8..=6, more in 0usize..3) {
            let schedule = RoundRobin::new(usize::from(seats) + more, seats, 2).unwrap();
            let all: Vec<Pairing> = schedule.iter().collect();
            for block in all.chunks(schedule.orders() as usize) {
                let sets: HashSet<Vec<usize>> = block.iter().map(|pairing| {
                    let mut set = pairing.seats.clone();
                    set.sort_unstable();
                    set
                }).collect();
                prop_assert_eq!(sets.len(), 1);
                prop_assert!(block.iter().all(|pairing| pairing.block == block[0].block));
            }
        }
    }

    #[test]
    fn over_the_rounds_every_bot_has_every_partner_equally_often() {
        for (seats, rounds) in [(4u8, 3), (6, 10)] {
            let schedule = RoundRobin::new(seats.into(), seats, rounds).unwrap();
            let partners = crate::testing::partners(schedule.iter());
            assert_eq!(partners.len(), usize::from(seats * (seats - 1)));
            assert_eq!(
                partners.values().collect::<HashSet<_>>().len(),
                1,
                "{partners:?}"
            );
        }
    }

    /// How often each bot sits directly before each other, at least and at most, the last seat being
    /// before the first.
    fn neighbours(bots: usize, seats: u8, rounds: u32) -> (u64, u64) {
        let mut before = vec![vec![0; bots]; bots];
        for pairing in RoundRobin::new(bots, seats, rounds).unwrap().iter() {
            let next = pairing.seats.iter().cycle().skip(1);
            for (&bot, &next) in pairing.seats.iter().zip(next) {
                before[bot][next] += 1;
            }
        }
        let pairs = (0..bots).flat_map(|bot| (0..bots).map(move |next| (bot, next)));
        let counts = pairs
            .filter(|(bot, next)| bot != next)
            .map(|(bot, next)| before[bot][next]);
        (counts.clone().min().unwrap(), counts.max().unwrap())
    }

    #[test]
    fn every_two_bots_are_neighbours_and_after_some_rounds_about_equally_often() {
        for (bots, seats) in [(6, 4), (8, 4), (8, 5), (8, 6), (10, 6)] {
            let (least, most) = neighbours(bots, seats, 20);
            assert!(
                most <= 2 * least,
                "{bots} bots, {seats} seats: {least} to {most}"
            );
        }
        // All orders of a single set.
        for (seats, rounds) in [(4, 6), (5, 24), (6, 120)] {
            let (least, most) = neighbours(seats.into(), seats, rounds);
            assert_eq!(least, most, "{seats} seats");
        }
    }

    #[test]
    fn copies_share_out_the_seats_and_a_team_is_one_bot() {
        let seats = |sides: &[u8], copies| {
            let seating = Seating::copies(sides, copies).unwrap();
            RoundRobin::seated(3, seating, 1)
                .unwrap()
                .pairing(0)
                .unwrap()
                .seats
        };
        assert_eq!(seats(&[0, 1, 2, 3], 2), [1, 2, 1, 2]);
        assert_eq!(seats(&[0, 1, 0, 1], 2), [1, 2, 1, 2]);
        assert_eq!(seats(&[0, 0, 1, 1], 2), [1, 1, 2, 2]);
        assert_eq!(seats(&[0, 1, 2, 3, 4, 5], 2).len(), 6);
        // As many matches as for two seats.
        let teams = Seating::copies(&[0, 1, 0, 1, 0, 1], 3).unwrap();
        assert_eq!(RoundRobin::seated(3, teams, 1).unwrap().total(), 6);
    }

    #[test]
    fn no_bot_waits_for_more_than_two_turns_of_the_circle_and_its_rest() {
        for bots in 2..40 {
            let schedule = RoundRobin::new(bots, 2, 3).unwrap();
            let mut last = vec![0; bots];
            for pairing in schedule.iter() {
                for bot in pairing.seats {
                    let waited = pairing.index - last[bot];
                    assert!(
                        waited <= ((2 + bots % 2) * bots) as u64,
                        "{bots} bots: {waited}"
                    );
                    last[bot] = pairing.index;
                }
            }
        }
    }

    #[test]
    fn seat_zero_opens_a_block_about_equally_often_for_every_bot() {
        for bots in 2..20 {
            let schedule = RoundRobin::new(bots, 2, 2).unwrap();
            let mut opened = vec![0; bots];
            for pairing in schedule.iter().step_by(2) {
                opened[pairing.seats[0]] += 1;
            }
            assert_eq!(opened, vec![bots - 1; bots], "over two rounds");
        }
    }

    #[test]
    fn what_does_not_fit_the_format_is_refused() {
        let refusal = |bots, seats| RoundRobin::new(bots, seats, 1).unwrap_err().to_string();
        assert!(refusal(4, 7).contains("2 to 6 seats"));
        assert!(refusal(4, 0).contains("2 to 6 seats"));
        assert!(refusal(3, 4).contains("4 to 1000 bots"));
        let copies = Seating::copies(&[0, 1, 0, 1], 3).unwrap_err().to_string();
        assert_eq!(
            copies,
            "copies: 3 seats for each bot do not go into 4 seats; possible: 1, 2"
        );
        let sides = Seating::copies(&[0, 1, 0, 1, 0, 1], 2)
            .unwrap_err()
            .to_string();
        assert!(sides.ends_with("possible: 1, 3"), "{sides}");
        let many = RoundRobin::new(1000, 6, 1_000_000).unwrap_err().to_string();
        assert!(many.contains("too many matches"), "{many}");
        assert!(refusal(1, 2).contains("2 to 1000"));
        assert!(refusal(MAX_ENTRANTS + 1, 2).contains("2 to 1000"));
        assert_eq!(RoundRobin::new(2, 2, 0).unwrap().iter().count(), 0);
        assert_eq!(RoundRobin::new(2, 2, 0).unwrap().pairing(0), None);
    }

    #[test]
    fn the_order_never_changes() {
        // Archives are checked, and tournaments resumed, in this order.
        let order = |bots, seats| {
            let schedule = RoundRobin::new(bots, seats, 2).unwrap();
            schedule
                .iter()
                .map(|p| format!("{}{}", p.seats[0], p.seats[1]))
                .collect::<Vec<_>>()
        };
        assert_eq!(order(4, 2).join(" "), PINNED_FOUR);
        assert_eq!(order(3, 2).join(" "), PINNED_THREE);
        assert_eq!(match_id(&"evening".parse().unwrap(), 42), "evening-42");
    }
    const PINNED_FOUR: &str =
        "03 30 12 21 31 13 02 20 23 32 01 10 30 03 21 12 13 31 20 02 32 23 10 01";
    const PINNED_THREE: &str = "12 21 02 20 01 10 21 12 20 02 10 01";
}
