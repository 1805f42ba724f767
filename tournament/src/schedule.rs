//! Who plays whom, and in which order: a pure function of a tournament's settings. What has been
//! played is the journal's business.

use sha2::{Digest, Sha256};

use crate::Name;

/// The most bots of a tournament: a round of theirs has a million matches. With it the index of a
/// match fits in 63 bits, whatever the number of rounds.
pub const MOST_ENTRANTS: usize = 1_000;

/// A round robin for two seats: in every round each pair plays a block of two matches, one in each
/// seating, from the same seed.
///
/// Within a round the pairs follow the circle method: in each turn of the circle every bot plays
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
}

/// A match of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The format is for two seats.
    #[error("this format seats two, not {0}")]
    Seats(u8),
    /// Too few or too many bots.
    #[error("a round robin is for 2 to {MOST_ENTRANTS} bots, not {0}")]
    Bots(usize),
}

impl RoundRobin {
    /// A round robin of so many bots and rounds.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit the format.
    pub fn new(bots: usize, seats: u8, rounds: u32) -> Result<Self, ScheduleError> {
        if seats != 2 {
            return Err(ScheduleError::Seats(seats));
        }
        if !(2..=MOST_ENTRANTS).contains(&bots) {
            return Err(ScheduleError::Bots(bots));
        }
        Ok(RoundRobin {
            bots: bots as u64,
            rounds,
        })
    }

    /// How many matches there are.
    pub fn total(&self) -> u64 {
        self.per_round() * u64::from(self.rounds)
    }

    /// How many matches a round has.
    pub fn per_round(&self) -> u64 {
        self.bots * (self.bots - 1)
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

    fn at(&self, index: u64) -> Pairing {
        let round = index / self.per_round();
        let block = index / 2;
        let (turn, [one, other]) = self.pair(block % (self.per_round() / 2));
        // The bot at the hub of the circle must not open every block.
        let opens = (round + turn + index).is_multiple_of(2);
        let seats = if opens { [one, other] } else { [other, one] };
        Pairing {
            index,
            round: u32::try_from(round).expect("a round is one of a u32"),
            block,
            seats: seats
                .map(|bot| usize::try_from(bot).expect("a bot is one of a usize"))
                .to_vec(),
        }
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
}

/// The seed of the matches of a block. It says nothing of the tournament's seed or of other blocks.
pub fn match_seed(tournament_seed: u64, block: u64) -> [u8; 32] {
    Sha256::new()
        .chain_update(b"flipside tournament block\0")
        .chain_update(tournament_seed.to_le_bytes())
        .chain_update(block.to_le_bytes())
        .finalize()
        .into()
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
        fn a_match_is_found_again_by_its_index(bots in 2usize..=MOST_ENTRANTS, rounds in 1u32.., at in 0.0..1.0) {
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

        #[test]
        fn blocks_and_tournaments_have_seeds_of_their_own(seed in any::<u64>(), block in any::<u64>(), other in any::<u64>()) {
            prop_assert_eq!(match_seed(seed, block), match_seed(seed, block));
            prop_assert_eq!(match_seed(seed, block) == match_seed(seed, other), block == other);
            prop_assert_eq!(match_seed(seed, block) == match_seed(other, block), seed == other);
            prop_assert_eq!(match_seed(seed, block) == match_seed(block, seed), seed == block);
        }
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
        assert!(refusal(4, 3).contains("this format seats two"));
        assert!(refusal(4, 0).contains("this format seats two"));
        assert!(refusal(1, 2).contains("2 to 1000"));
        assert!(refusal(MOST_ENTRANTS + 1, 2).contains("2 to 1000"));
        assert_eq!(RoundRobin::new(2, 2, 0).unwrap().iter().count(), 0);
        assert_eq!(RoundRobin::new(2, 2, 0).unwrap().pairing(0), None);
    }

    #[test]
    fn the_order_and_the_seeds_never_change() {
        // A tournament that was begun with an older version goes on with this one. The seed was
        // computed by a line of Python (hashlib).
        let order = |bots, seats| {
            let schedule = RoundRobin::new(bots, seats, 2).unwrap();
            schedule
                .iter()
                .map(|p| format!("{}{}", p.seats[0], p.seats[1]))
                .collect::<Vec<_>>()
        };
        assert_eq!(order(4, 2).join(" "), PINNED_FOUR);
        assert_eq!(order(3, 2).join(" "), PINNED_THREE);
        assert_eq!(hex::encode(match_seed(7, 12345)), PINNED_SEED);
        assert_eq!(match_id(&"evening".parse().unwrap(), 42), "evening-42");
    }
    const PINNED_FOUR: &str =
        "03 30 12 21 31 13 02 20 23 32 01 10 30 03 21 12 13 31 20 02 32 23 10 01";
    const PINNED_THREE: &str = "12 21 02 20 01 10 21 12 20 02 10 01";
    const PINNED_SEED: &str = "5ff64a7fe0438676210635a6ce990eef58d266db05a2f9c215353c36990b1259";
}
