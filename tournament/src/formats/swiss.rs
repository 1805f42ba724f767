//! Swiss: in every round bots with about as many points meet, and nobody meets the same bot twice while
//! it can be avoided. Who meets plays a whole block, so that seats are balanced by themselves. If the bots
//! do not fill the last match, those at the bottom that had none yet have a bye, which counts as a won
//! block.
//!
//! Two in a match are paired by a perfect matching of least cost over all bots. What is in the cost, from
//! the most to the least: a second bye; bots that have met; a bye for a bot that is not at the bottom;
//! unequal points (by their square); and, of equal points, how far two are from being half of their
//! group apart, so that its upper half meets its lower half in order. More than two are grouped in order
//! of points, and exchanged while that lets fewer meet again.

use integer_blossom::min_weight_perfect_matching;

use super::{Block, Blocks, Plan, Ranking, points};
use crate::{MOST_ENTRANTS, ScheduleError, Seating};

/// The format, in words.
const SWISS: &str = "swiss";

/// How many times all groups are gone through for exchanges: each lets fewer meet again, so that it
/// ends by itself, nearly always sooner.
const MOST_EXCHANGES: usize = 100;

#[derive(Clone, Debug)]
pub(crate) struct Swiss {
    /// By seed, which entrant; here a bot is a seed everywhere else.
    seeds: Vec<usize>,
    /// By entrant, which seed.
    seed_of: Vec<usize>,
    rounds: u32,
    /// The round that is being played.
    round: u32,
    /// How many blocks of it are open.
    open: usize,
    of_match: usize,
    /// What a bye is worth.
    bye_half_points: u64,
    bots: Vec<Bot>,
    /// Row by row, how two fared.
    met: Vec<Met>,
}

#[derive(Clone, Debug, Default)]
struct Bot {
    half_points: u64,
    byes: u32,
}

/// How a bot fared against another.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    /// Blocks.
    times: u32,
    /// What it has scored in them, a block of many bots being shared out among its rivals.
    half_points: u32,
}

impl Swiss {
    pub(crate) fn new(
        seeds: Vec<usize>,
        seating: Seating,
        rounds: u32,
    ) -> Result<Self, ScheduleError> {
        let (bots, of_match) = (seeds.len(), usize::from(seating.bots()));
        if !(of_match.max(2)..=MOST_ENTRANTS).contains(&bots) {
            return Err(ScheduleError::Bots {
                format: SWISS,
                bots,
                least: of_match.max(2),
            });
        }
        let most = most_rounds(bots) as u64;
        if !(1..=most).contains(&u64::from(rounds)) {
            return Err(ScheduleError::Range {
                what: "rounds of a swiss of so many bots",
                least: 1,
                most,
                is: rounds.into(),
            });
        }
        let mut seed_of = vec![0; bots];
        for (seed, &entrant) in seeds.iter().enumerate() {
            seed_of[entrant] = seed;
        }
        Ok(Swiss {
            seeds,
            seed_of,
            rounds,
            round: 0,
            open: 0,
            of_match,
            bye_half_points: 0,
            bots: vec![Bot::default(); bots],
            met: vec![Met::default(); bots * bots],
        })
    }

    fn met(&self, one: usize, other: usize) -> Met {
        self.met[one * self.bots.len() + other]
    }

    fn pair_round(&mut self, blocks: &mut Blocks) {
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by_key(|&bot| (std::cmp::Reverse(self.bots[bot].half_points), bot));
        let (sets, byes) = match self.of_match {
            2 => self.pairs(&order),
            _ => self.groups(order),
        };
        for bot in byes {
            self.bots[bot].byes += 1;
            self.bots[bot].half_points += self.bye_half_points;
        }
        self.open = sets.len();
        for set in sets {
            let entrants = set.iter().map(|&seed| self.seeds[seed]).collect();
            blocks.decide(self.round, entrants);
        }
    }

    /// The pairs of a round, and who has a bye. `order` is by points.
    fn pairs(&self, order: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let bots = order.len();
        // Who meets nobody meets this one.
        let nobody = bots;
        let all = bots + bots % 2;
        let groups = Groups::new(order, |bot| self.bots[bot].half_points);
        let cost = |upper: usize, lower: usize| -> Cost {
            if lower == nobody {
                return Cost {
                    second_bye: self.bots[order[upper]].byes.into(),
                    bye_place: (bots - 1 - upper) as u64,
                    ..Cost::default()
                };
            }
            let (one, other) = (order[upper], order[lower]);
            let apart = self.bots[one].half_points - self.bots[other].half_points;
            Cost {
                met: self.met(one, other).times.into(),
                points: apart * apart,
                place: groups.unlike_halves(upper, lower),
                tie: u64::from(scatter(self.round, one, other)),
                ..Cost::default()
            }
        };
        let mut costs = vec![Cost::default(); all * all];
        for upper in 0..all {
            for lower in upper + 1..all {
                costs[upper * all + lower] = cost(upper, lower);
            }
        }
        let mates = min_weight_perfect_matching(&in_one(&costs, all as u64 / 2), all);
        let (mut pairs, mut byes) = (Vec::new(), Vec::new());
        for (upper, &lower) in mates.iter().enumerate().take(bots) {
            if lower == nobody {
                byes.push(order[upper]);
            } else if upper < lower {
                pairs.push(vec![order[upper], order[lower]]);
            }
        }
        (pairs, byes)
    }

    /// The groups of a round that fill a match each, and who has a bye. `order` is by points.
    fn groups(&self, mut order: Vec<usize>) -> (Vec<Vec<usize>>, Vec<usize>) {
        let byes: Vec<usize> = (0..order.len() % self.of_match)
            .map(|_| {
                let fewest = order.iter().map(|&bot| self.bots[bot].byes).min();
                let at = order
                    .iter()
                    .rposition(|&bot| Some(self.bots[bot].byes) == fewest);
                order.remove(at.expect("there are bots"))
            })
            .collect();
        let count = order.len() / self.of_match;
        let mut groups: Vec<Vec<usize>> = match self.round {
            // All are level: each group has a bot of the best part, one of the next, and so on.
            0 => (0..count)
                .map(|at| order.iter().copied().skip(at).step_by(count).collect())
                .collect(),
            _ => order.chunks(self.of_match).map(<[usize]>::to_vec).collect(),
        };
        for _ in 0..MOST_EXCHANGES {
            if !self.exchange(&mut groups) {
                break;
            }
        }
        (groups, byes)
    }

    /// Exchanges bots of neighbouring groups first, then of groups farther apart, where fewer meet again
    /// by it; says whether there was such an exchange.
    fn exchange(&self, groups: &mut [Vec<usize>]) -> bool {
        let again = |group: &[usize], bot: usize, without: usize| -> u32 {
            let others = group.iter().filter(|&&other| other != without);
            others.map(|&other| self.met(bot, other).times).sum()
        };
        let mut exchanged = false;
        for distance in 1..groups.len() {
            for one in 0..groups.len() - distance {
                let other = one + distance;
                for (at, to) in (0..self.of_match * self.of_match)
                    .map(|both| (both / self.of_match, both % self.of_match))
                {
                    let (mine, theirs) = (groups[one][at], groups[other][to]);
                    let now =
                        again(&groups[one], mine, mine) + again(&groups[other], theirs, theirs);
                    let then =
                        again(&groups[other], mine, theirs) + again(&groups[one], theirs, mine);
                    if then < now {
                        groups[one][at] = theirs;
                        groups[other][to] = mine;
                        exchanged = true;
                    }
                }
            }
        }
        exchanged
    }

    /// Points of all that a bot has met, each as often: Buchholz; and with them the part of each that it
    /// has beaten: Sonneborn and Berger. A bye is a rival with as many points as the bot itself.
    fn tie_breaks(&self, bot: usize) -> (u64, u64) {
        let own = &self.bots[bot];
        let byes = own.half_points * u64::from(own.byes);
        let block = self.bye_half_points / (self.of_match as u64 - 1);
        (0..self.bots.len()).fold((byes, byes * block), |(buchholz, berger), other| {
            let met = self.met(bot, other);
            let rival = self.bots[other].half_points;
            (
                buchholz + rival * u64::from(met.times),
                berger + rival * u64::from(met.half_points),
            )
        })
    }
}

/// How many rounds so many bots can play, each against each other one once.
pub(super) fn most_rounds(bots: usize) -> usize {
    bots - 1 + bots % 2
}

/// What speaks against a pair, from the most to the least.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    second_bye: u64,
    met: u64,
    bye_place: u64,
    points: u64,
    place: u64,
    /// Makes one pairing the cheapest of all, in whatever order they are looked through.
    tie: u64,
}

impl Cost {
    fn parts(&self) -> [u64; 6] {
        let Cost {
            second_bye,
            met,
            bye_place,
            points,
            place,
            tie,
        } = *self;
        [tie, place, points, bye_place, met, second_bye]
    }
}

/// The costs as numbers: no sum of `pairs` of a lesser part reaches the next one.
fn in_one(costs: &[Cost], pairs: u64) -> Vec<i128> {
    let mut most = [0; 6];
    for cost in costs {
        for (most, part) in most.iter_mut().zip(cost.parts()) {
            *most = part.max(*most);
        }
    }
    let number = |cost: &Cost| {
        let mut unit = 1i128;
        let mut sum = 0;
        for (part, most) in cost.parts().into_iter().zip(most) {
            sum += i128::from(part) * unit;
            unit *= i128::from(most) * i128::from(pairs) + 1;
        }
        sum
    };
    costs.iter().map(number).collect()
}

/// A number of 16 bits that has no meaning and is always the same (the end of SplitMix64).
fn scatter(round: u32, one: usize, other: usize) -> u16 {
    let pair = (one as u64) << 32 | other as u64;
    let mixed = pair ^ u64::from(round) << 20;
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 48) as u16
}

/// Which bots have as many points: the first place and the number of those at each place.
struct Groups(Vec<(usize, usize)>);

impl Groups {
    fn new(order: &[usize], points: impl Fn(usize) -> u64) -> Self {
        let mut groups = Vec::with_capacity(order.len());
        for group in order.chunk_by(|&one, &next| points(one) == points(next)) {
            groups.extend(std::iter::repeat_n(
                (groups.len(), group.len()),
                group.len(),
            ));
        }
        Groups(groups)
    }

    /// By how many places, squared, two miss being half of their group apart; of two groups, how many
    /// places lie between them.
    fn unlike_halves(&self, upper: usize, lower: usize) -> u64 {
        let wanted = match self.0[upper] == self.0[lower] {
            true => (self.0[upper].1 / 2).max(1),
            false => 1,
        };
        ((lower - upper).abs_diff(wanted) as u64).pow(2)
    }
}

impl Plan for Swiss {
    fn begin(&mut self, blocks: &mut Blocks) {
        self.bye_half_points = blocks.most_half_points().into();
        self.pair_round(blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut Blocks) {
        let bots = self.bots.len();
        let rivals = block.set.len() as u32 - 1;
        for (at, &entrant) in block.set.iter().enumerate() {
            let bot = self.seed_of[entrant];
            self.bots[bot].half_points += u64::from(block.half_points[at]);
            for &rival in block.set.iter().filter(|&&rival| rival != entrant) {
                let met = &mut self.met[bot * bots + self.seed_of[rival]];
                met.times += 1;
                met.half_points += block.half_points[at] / rivals;
            }
        }
        self.open -= 1;
        if self.open == 0 {
            self.round += 1;
            if self.round < self.rounds {
                self.pair_round(blocks);
            }
        }
    }

    fn left(&self) -> (u64, bool) {
        let rounds = self.rounds.saturating_sub(self.round + 1);
        let of_round = self.bots.len() / self.of_match;
        (u64::from(rounds) * of_round as u64, true)
    }

    fn ranking(&self) -> Option<Ranking> {
        let bots = self.bots.len();
        let keys: Vec<(u64, u64, u64)> = (0..bots)
            .map(|entrant| {
                let bot = self.seed_of[entrant];
                let (buchholz, berger) = self.tie_breaks(bot);
                (self.bots[bot].half_points, buchholz, berger)
            })
            .collect();
        let cells = |entrant: usize| {
            let (own, buchholz, berger) = keys[entrant];
            vec![
                points(own),
                points(buchholz),
                // Half points times half points: quarters of a point.
                format!("{:.2}", berger as f64 / 4.0),
                self.bots[self.seed_of[entrant]].byes.to_string(),
            ]
        };
        let by = vec!["points", "Buchholz", "Sonneborn-Berger", "byes"];
        Some(Ranking::of(by, &keys, cells))
    }
}
