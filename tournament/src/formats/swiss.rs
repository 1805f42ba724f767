//! Swiss: in every round bots with about as many points meet, and nobody meets the same bot twice while
//! it can be avoided. Who meets plays a whole block, so that seats are balanced by themselves. If the bots
//! do not fill the last match, those at the bottom that had none yet have a bye, and there are only so
//! many rounds that one is enough for each.
//!
//! A bye of matches of two counts as a won block: at most one bot of a round has one, and it is the lowest,
//! as in chess (FIDE Handbook, C.04.1). Of matches of more it counts as the mean score of a block: there
//! only one of many wins, and up to five bots of a round have a bye, so that a won block would put those
//! who did not play ahead of most who did.
//!
//! Two in a match are paired by a perfect matching of least cost. What is in the cost, from
//! the most to the least: a second bye; bots that have met; a bye for a bot that is not at the bottom;
//! unequal points (by their square); and, of equal points, how far two are from being half of their
//! group apart, so that its upper half meets its lower half in order. Of many bots, a matching pairs so
//! many at once, from the top down; if somebody met again so, it pairs twice as many at once, and so on
//! to all. More than two are grouped in order of points, and exchanged while that lets fewer meet again.
//!
//! The cheapest pairs of a round can leave no pairs for the last ones: of six bots after three rounds, two groups of
//! three may be left that have not met. So where the rounds to come need it, a round has the cheapest pairs after which
//! they can be played.

use std::collections::HashSet;
use std::fmt;

use flipside_ratings::{Seating, placed, rivals};
use integer_blossom::min_weight_perfect_matching;
use serde::{Deserialize, Serialize};

use super::plan::{Block, BlockPlan, FormatPlan, PlanDirector, points};
use super::ranking::Ranking;
use super::rules::{FormatRules, Rounds, Seeding, TableOrder};
use crate::change::Change;
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::policy::is_unplayed;
use crate::schedule::ScheduleError;
use crate::spec::described::described;
use flipside_ratings::numbers::mixed;

/// The format, in words.
const SWISS: &str = "swiss";

/// The most bots that are paired by one matching, whose time is as the cube of their number; of larger fields
/// it pairs so many at once. Even.
const MAX_AT_ONCE: usize = 128;

/// With more bots, no round looks ahead. Fewer rounds than half of their number always have pairs.
const MAX_LOOKED_AHEAD: usize = 32;

/// In how many ways it is tried to pair the rounds to come.
const TRIES: u32 = 32;

/// How many times all groups are gone through for exchanges: each lets fewer meet again, so that it
/// ends by itself, nearly always sooner.
const MAX_EXCHANGES: usize = 100;

described! {
    /// A swiss. Points decide, then Buchholz, then Sonneborn and Berger.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Swiss {
        /// Seed the bots by this
        ///
        /// `ratings` are those at the game when the tournament begins. Bots without one come last, in order of entry.
        seeding: Seeding = Seeding::Entry => Seeding::key();
    }
}

impl FormatRules for Swiss {
    fn in_words(&self) -> &'static str {
        SWISS
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " seeded by {}", self.seeding)
    }

    fn rounds(&self) -> Rounds {
        Rounds::Asked(swiss_rounds)
    }

    fn seeding(&self) -> Option<Seeding> {
        Some(self.seeding)
    }

    fn meets_again(&self, _: u32) -> bool {
        false
    }

    fn pairs_again(&self) -> bool {
        true
    }

    fn order(&self) -> TableOrder {
        TableOrder::Results
    }

    fn no_newcomers(&self, _: &dyn FormatSettings) -> Option<&'static str> {
        Some("its rounds are for bots that have played as many")
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let seating = settings.seating()?;
        let plan = SwissPlan::new(settings.seeds(bots)?, seating, settings.rounds())?;
        Ok(Box::new(PlanDirector::new(plan, seating)))
    }
}

#[derive(Clone, Debug)]
struct SwissPlan {
    /// By seed, which entrant; here a bot is a seed everywhere else.
    seeds: Vec<usize>,
    /// By entrant, which seed.
    seed_of: Vec<usize>,
    rounds: u32,
    /// The round that is being played.
    round: u32,
    /// How many blocks it has.
    blocks: usize,
    /// How many of them are open.
    open: usize,
    seating: Seating,
    /// What a bye is worth.
    bye_half_points: u64,
    /// Who is not paired any more.
    absent: HashSet<usize>,
    /// Who rests in the round that is being played.
    resting: Vec<usize>,
    bots: Vec<SwissBot>,
    /// Row by row, how two fared.
    met: Vec<HeadToHead>,
}

#[derive(Clone, Debug, Default)]
struct SwissBot {
    half_points: u64,
    byes: u32,
    /// Rivals that it did not play against: those of a bye, and each with which a block was not played.
    unplayed: u64,
    /// What it has scored against these.
    unplayed_half_points: u64,
}

/// How a bot fared against another.
#[derive(Clone, Copy, Debug, Default)]
struct HeadToHead {
    /// Blocks that both were in.
    times: u32,
    /// Those in which they were rivals, and not partners.
    against: u32,
    /// What it has scored in them against this rival.
    half_points: u32,
}

impl SwissPlan {
    fn new(seeds: Vec<usize>, seating: Seating, rounds: u32) -> Result<Self, ScheduleError> {
        let (bots, of_match) = (seeds.len(), usize::from(seating.bots()));
        ScheduleError::check_bots(SWISS, bots, of_match.max(2))?;
        let most = most_swiss_rounds(bots, seating.bots());
        if !(1..=meetings(bots)).contains(&rounds) {
            return Err(ScheduleError::Range {
                what: "rounds of a swiss of so many bots",
                least: 1,
                most: most.into(),
                is: rounds.into(),
            });
        }
        if rounds > most {
            return Err(ScheduleError::Byes {
                bots,
                of_match: seating.bots(),
                most,
                rounds,
            });
        }
        let mut seed_of = vec![0; bots];
        for (seed, &entrant) in seeds.iter().enumerate() {
            seed_of[entrant] = seed;
        }
        Ok(SwissPlan {
            seeds,
            seed_of,
            rounds,
            round: 0,
            blocks: 0,
            open: 0,
            seating,
            bye_half_points: 0,
            absent: HashSet::new(),
            resting: Vec::new(),
            bots: vec![SwissBot::default(); bots],
            met: vec![HeadToHead::default(); bots * bots],
        })
    }

    /// How many bots a match has.
    fn of_match(&self) -> usize {
        self.seating.bots().into()
    }

    fn met(&self, one: usize, other: usize) -> HeadToHead {
        self.met[one * self.bots.len() + other]
    }

    /// How many matches of a round have all their bots; none where the bots that are left do not fill one.
    fn matches_of_round(&self) -> usize {
        match self.bots.len() - self.absent.len() {
            left if left < self.of_match().max(2) => 0,
            left => left / self.of_match(),
        }
    }

    fn pair_round(&mut self, blocks: &mut BlockPlan) {
        self.open = 0;
        self.resting = Vec::new();
        if self.matches_of_round() == 0 {
            return;
        }
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.retain(|bot| !self.absent.contains(bot));
        order.sort_by_key(|&bot| (std::cmp::Reverse(self.bots[bot].half_points), bot));
        let (sets, byes) = match self.of_match() {
            2 => self.pairs(&order),
            _ => self.groups(order),
        };
        for &bot in &byes {
            self.bots[bot].byes += 1;
            self.bots[bot].half_points += self.bye_half_points;
        }
        self.resting = byes;
        (self.blocks, self.open) = (sets.len(), sets.len());
        for set in sets {
            let entrants = set.iter().map(|&seed| self.seeds[seed]).collect();
            blocks.decide(self.round, entrants);
        }
    }

    /// Pairs the round again, without those who have left, if nothing of it was played.
    fn pair_again(&mut self, blocks: &mut BlockPlan) {
        if self.open == 0 || !blocks.take_back(self.blocks) {
            return;
        }
        for &bot in &self.resting {
            self.bots[bot].byes -= 1;
            self.bots[bot].half_points -= self.bye_half_points;
        }
        self.pair_round(blocks);
    }

    /// The pairs of a round, and who has a bye. `order` is by points.
    fn pairs(&self, order: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let nobody = order.len();
        let all = nobody + nobody % 2;
        let groups = Groups::new(order, |bot| self.bots[bot].half_points);
        let round = Pairs {
            swiss: self,
            order,
            groups,
        };
        let matched = match all <= MAX_LOOKED_AHEAD {
            true => round.with_rounds_ahead(self.rounds.saturating_sub(self.round + 1)),
            // Windows that grow, where somebody would meet again, end with all in one.
            false => std::iter::successors(Some(MAX_AT_ONCE), |window| Some(window * 2))
                .take_while(|&window| window < all)
                .find_map(|window| round.in_windows(window))
                .unwrap_or_else(|| round.matched(&(0..all).collect::<Vec<_>>())),
        };
        let (mut pairs, mut byes) = (Vec::new(), Vec::new());
        for (upper, lower) in matched {
            if lower == nobody {
                byes.push(order[upper]);
            } else {
                pairs.push((upper, vec![order[upper], order[lower]]));
            }
        }
        pairs.sort_by_key(|&(upper, _)| upper);
        (pairs.into_iter().map(|(_, pair)| pair).collect(), byes)
    }

    /// The groups of a round that fill a match each, and who has a bye. `order` is by points.
    fn groups(&self, mut order: Vec<usize>) -> (Vec<Vec<usize>>, Vec<usize>) {
        let byes: Vec<usize> = (0..order.len() % self.of_match())
            .map(|_| {
                let fewest = order.iter().map(|&bot| self.bots[bot].byes).min();
                let at = order
                    .iter()
                    .rposition(|&bot| Some(self.bots[bot].byes) == fewest);
                order.remove(at.expect("there are bots"))
            })
            .collect();
        let count = order.len() / self.of_match();
        let mut groups: Vec<Vec<usize>> = match self.round {
            // All are level: each group has a bot of the best part, one of the next, and so on.
            0 => (0..count)
                .map(|at| order.iter().copied().skip(at).step_by(count).collect())
                .collect(),
            _ => order
                .chunks(self.of_match())
                .map(<[usize]>::to_vec)
                .collect(),
        };
        for _ in 0..MAX_EXCHANGES {
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
                for (at, to) in (0..self.of_match() * self.of_match())
                    .map(|both| (both / self.of_match(), both % self.of_match()))
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

    /// Points of all that a bot has met as rivals, each as often: Buchholz; and of each times what the bot has scored
    /// against it: Sonneborn and Berger. What was not played, with a bye and by forfeit, is against rivals with as many
    /// points as the bot itself (after FIDE Handbook, C.07, article 16).
    fn tie_breaks(&self, bot: usize) -> (u64, u64) {
        let own = &self.bots[bot];
        let byes = u64::from(own.byes);
        let rivals = own.unplayed + byes * u64::from(self.seating.rivals());
        let scored = own.unplayed_half_points + byes * self.bye_half_points;
        let unplayed = (own.half_points * rivals, own.half_points * scored);
        (0..self.bots.len()).fold(unplayed, |(buchholz, berger), other| {
            let met = self.met(bot, other);
            let rival = self.bots[other].half_points;
            (
                buchholz + rival * u64::from(met.against),
                berger + rival * u64::from(met.half_points),
            )
        })
    }
}

/// How many rounds so many bots can play in pairs, each against each other one once.
fn meetings(bots: usize) -> u32 {
    (bots.max(1) - 1 + bots % 2) as u32
}

/// The most rounds of a swiss of so many bots, `of_match` in a match: as many as in a round robin of pairs,
/// and only as many that nobody has two byes; at least 1.
pub fn most_swiss_rounds(bots: usize, of_match: u8) -> u32 {
    let rounds = meetings(bots).max(1);
    match bots.checked_rem(of_match.into()) {
        None | Some(0) => rounds,
        Some(byes) => rounds.min((bots / byes) as u32),
    }
}

/// How many rounds single out a winner of so many bots, `of_match` in a match, if one of each match could
/// be the best: the logarithm of their number to this base, rounded up; at most [`most_swiss_rounds`].
pub fn swiss_rounds(bots: usize, of_match: u8) -> u32 {
    let (mut singled_out, mut rounds) = (1, 0);
    while singled_out < bots {
        singled_out = singled_out.saturating_mul(usize::from(of_match).max(2));
        rounds += 1;
    }
    rounds.clamp(1, most_swiss_rounds(bots, of_match))
}

/// Who is to be paired in a round of matches of two: places in the order of points. The place behind the
/// last bot is nobody: who meets it has a bye.
struct Pairs<'a> {
    swiss: &'a SwissPlan,
    order: &'a [usize],
    groups: Groups,
}

impl Pairs<'_> {
    fn cost(&self, upper: usize, lower: usize) -> PairingCost {
        let bots = &self.swiss.bots;
        let one = self.order[upper];
        let Some(&other) = self.order.get(lower) else {
            return PairingCost {
                second_bye: bots[one].byes.into(),
                bye_place: (self.order.len() - 1 - upper) as u64,
                ..PairingCost::default()
            };
        };
        let apart = bots[one].half_points - bots[other].half_points;
        PairingCost {
            met: self.swiss.met(one, other).times.into(),
            points: apart * apart,
            place: self.groups.unlike_halves(upper, lower),
            tie: u64::from(scatter(self.swiss.round, one, other)),
            ..PairingCost::default()
        }
    }

    /// What each pair of these places costs, row by row, the upper place of each first.
    fn costs(&self, places: &[usize]) -> Vec<PairingCost> {
        let count = places.len();
        let mut costs = vec![PairingCost::default(); count * count];
        for (at, &one) in places.iter().enumerate() {
            for (to, &other) in places.iter().enumerate().skip(at + 1) {
                costs[at * count + to] = self.cost(one.min(other), one.max(other));
            }
        }
        costs
    }

    /// The cheapest pairs of these places, an even number, the upper of each first.
    fn matched(&self, places: &[usize]) -> Vec<(usize, usize)> {
        let count = places.len();
        cheapest(&in_one(&self.costs(places), count as u64 / 2), count)
            .map(|(at, to)| (places[at], places[to]))
            .map(|(one, other)| (one.min(other), one.max(other)))
            .collect()
    }

    /// The cheapest pairs of all places after which so many rounds can be played in which nobody meets again; where
    /// there are none, after which as many as possible can.
    fn with_rounds_ahead(&self, rounds: u32) -> Vec<(usize, usize)> {
        let count = self.order.len().next_multiple_of(2);
        let costs = self.costs(&(0..count).collect::<Vec<_>>());
        let open = OpenRound::new(&costs, count);
        let costs = in_one(&costs, count as u64 / 2);
        let by_cost: Vec<_> = cheapest(&costs, count).collect();
        if rounds == 0 || !open.has(&by_cost) {
            return by_cost;
        }
        let sum = |pairs: &[(usize, usize)]| -> i128 {
            let each = pairs.iter().map(|&(one, other)| costs[one * count + other]);
            each.sum()
        };
        // The next ones by cost are those without one of these pairs.
        let without = |&(one, other): &(usize, usize)| {
            let mut costs = costs.clone();
            costs[one * count + other] += sum(&by_cost) + 1;
            cheapest(&costs, count).collect::<Vec<_>>()
        };
        let mut others: Option<Vec<Vec<(usize, usize)>>> = None;
        for rounds in (1..=rounds).rev() {
            let goes_on = |pairs: &[(usize, usize)]| {
                open.has(pairs) && open.without(pairs).has_rounds(rounds)
            };
            if goes_on(&by_cost) {
                return by_cost;
            }
            let others = others.get_or_insert_with(|| {
                let mut others: Vec<_> = by_cost.iter().map(without).collect();
                others.sort_by_key(|pairs| sum(pairs));
                others
            });
            if let Some(next) = others.iter().find(|pairs| goes_on(pairs)) {
                return next.clone();
            }
            if let Some(plan) = open.rounds(rounds + 1) {
                let cheapest = plan.into_iter().min_by_key(|pairs| sum(pairs));
                return cheapest.expect("there is a round");
            }
        }
        by_cost
    }

    /// The pairs of all, by matchings of so many places at once, an even number: those that should meet
    /// stand side by side, and who is at the end of a window may find somebody nearer in the next. Nothing
    /// if somebody meets again so, which a wider window might avoid.
    fn in_windows(&self, window: usize) -> Option<Vec<(usize, usize)>> {
        let byes = |place: usize| self.swiss.bots[self.order[place]].byes;
        let nobody = self.order.len();
        let bye = (0..nobody)
            .rev()
            .min_by_key(|&place| byes(place))
            .filter(|_| nobody % 2 == 1);
        let mut pairs: Vec<_> = bye.into_iter().map(|bye| (bye, nobody)).collect();
        let side_by_side = self.groups.side_by_side();
        let mut to_come = side_by_side.into_iter().filter(|&place| Some(place) != bye);
        let (mut here, mut left) = (Vec::with_capacity(window), nobody - pairs.len());
        while left > 0 {
            here.extend(to_come.by_ref().take(window - here.len()));
            // At least a half of these meet one another, so that every window leaves fewer.
            let sure = if left == here.len() {
                here.len()
            } else {
                here.len() - window / 4
            };
            let may_wait: HashSet<usize> = here[sure..].iter().copied().collect();
            let mut paired = HashSet::with_capacity(window);
            for (upper, lower) in self.matched(&here) {
                if may_wait.contains(&upper) || may_wait.contains(&lower) {
                    continue;
                }
                let (one, other) = (self.order[upper], self.order[lower]);
                if self.swiss.met(one, other).times > 0 {
                    return None;
                }
                paired.extend([upper, lower]);
                pairs.push((upper, lower));
            }
            here.retain(|place| !paired.contains(place));
            left -= paired.len();
        }
        Some(pairs)
    }
}

/// Which places may still meet, row by row, the upper place of each pair first.
#[derive(Clone)]
struct OpenRound {
    may_meet: Vec<bool>,
    count: usize,
}

impl OpenRound {
    fn new(costs: &[PairingCost], count: usize) -> Self {
        let first = |cost: &PairingCost| cost.met == 0 && cost.second_bye == 0;
        OpenRound {
            may_meet: costs.iter().map(first).collect(),
            count,
        }
    }

    /// Whether all of these pairs may meet.
    fn has(&self, pairs: &[(usize, usize)]) -> bool {
        let mut each = pairs.iter();
        each.all(|&(one, other)| self.may_meet[one * self.count + other])
    }

    /// The same when these pairs have met.
    fn without(&self, pairs: &[(usize, usize)]) -> Self {
        let mut left = self.clone();
        for &(one, other) in pairs {
            left.may_meet[one * self.count + other] = false;
        }
        left
    }

    /// The fewest places that one of them may still meet.
    fn fewest(&self) -> usize {
        let pair = |one: usize, other: usize| one.min(other) * self.count + one.max(other);
        let rivals = |place: usize| {
            let others = (0..self.count).filter(|&other| other != place);
            let open = others.filter(|&other| self.may_meet[pair(place, other)]);
            open.count()
        };
        (0..self.count).map(rivals).min().unwrap_or(0)
    }

    /// Whether there are so many rounds in which nobody meets again.
    fn has_rounds(&self, rounds: u32) -> bool {
        // Where everybody may meet half of all, all can be paired (Dirac, "Some theorems on abstract graphs", 1952).
        let whatever_is_played = self.fewest() + 1 >= self.count / 2 + rounds as usize;
        whatever_is_played || self.rounds(rounds).is_some()
    }

    /// The pairs of so many rounds in which nobody meets again. It is a search that ends early: it may find none where
    /// there are some.
    fn rounds(&self, rounds: u32) -> Option<Vec<Vec<(usize, usize)>>> {
        if self.fewest() < rounds as usize {
            return None;
        }
        let drawn = |attempt: u32| {
            let mut open = self.clone();
            (0..rounds)
                .map(|round| {
                    let cost = |(at, &may_meet): (usize, &bool)| match may_meet {
                        true => i128::from(scatter(attempt, at, round as usize)),
                        false => 1 << 32,
                    };
                    let costs: Vec<i128> = open.may_meet.iter().enumerate().map(cost).collect();
                    let pairs: Vec<_> = cheapest(&costs, self.count).collect();
                    let found = open.has(&pairs);
                    open = open.without(&pairs);
                    found.then_some(pairs)
                })
                .collect()
        };
        (0..TRIES).find_map(drawn)
    }
}

/// The pairs of so many that cost least together, the lesser of each first.
fn cheapest(costs: &[i128], count: usize) -> impl Iterator<Item = (usize, usize)> {
    let mates = min_weight_perfect_matching(costs, count);
    let pairs = mates.into_iter().enumerate();
    pairs.filter(|&(at, mate)| at < mate)
}

/// What speaks against a pair, from the most to the least.
#[derive(Clone, Copy, Debug, Default)]
struct PairingCost {
    second_bye: u64,
    met: u64,
    bye_place: u64,
    points: u64,
    place: u64,
    /// Makes one pairing the cheapest of all, in whatever order they are looked through.
    tie: u64,
}

impl PairingCost {
    fn parts(&self) -> [u64; 6] {
        let PairingCost {
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
fn in_one(costs: &[PairingCost], pairs: u64) -> Vec<i128> {
    let mut most = [0; 6];
    for cost in costs {
        for (most, part) in most.iter_mut().zip(cost.parts()) {
            *most = part.max(*most);
        }
    }
    let number = |cost: &PairingCost| {
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

/// A number of 16 bits that has no meaning and is always the same.
fn scatter(round: u32, one: usize, other: usize) -> u16 {
    let pair = (one as u64) << 32 | other as u64;
    (mixed(pair ^ u64::from(round) << 20) >> 48) as u16
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

    /// All places, so that those half of their group apart stand side by side, and who is left of a group
    /// beside the next one.
    fn side_by_side(&self) -> Vec<usize> {
        let of_group = |(at, &(first, count)): (usize, &(usize, usize))| {
            let (at, half) = (at - first, count / 2);
            match at {
                _ if at == 2 * half => first + at,
                _ if at % 2 == 0 => first + at / 2,
                _ => first + half + at / 2,
            }
        };
        self.0.iter().enumerate().map(of_group).collect()
    }

    /// By how many places, squared, two miss being half of their group apart; of two groups, how many
    /// places lie between them.
    fn unlike_halves(&self, upper: usize, lower: usize) -> u64 {
        let wanted = if self.0[upper] == self.0[lower] {
            (self.0[upper].1 / 2).max(1)
        } else {
            1
        };
        ((lower - upper).abs_diff(wanted) as u64).pow(2)
    }
}

impl FormatPlan for SwissPlan {
    fn begin(&mut self, blocks: &mut BlockPlan) {
        let most = u64::from(blocks.most_half_points());
        // All bots of a match together score half of what all would if each could come first.
        self.bye_half_points = if self.of_match() == 2 { most } else { most / 2 };
        self.pair_round(blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut BlockPlan) {
        let bots = self.bots.len();
        for (at, &entrant) in block.set.iter().enumerate() {
            let bot = self.seed_of[entrant];
            self.bots[bot].half_points += u64::from(block.half_points[at]);
            for &rival in block.set.iter().filter(|&&rival| rival != entrant) {
                self.met[bot * bots + self.seed_of[rival]].times += 1;
            }
        }
        for (at, scored) in block.matches.iter().enumerate() {
            let placed = placed(scored, &self.seating);
            let is_unplayed = is_unplayed(&scored.result);
            for own in &placed {
                let bot = self.seed_of[own.entrant];
                for rival in rivals(own, &placed) {
                    let scored = own.scored(rival);
                    // Partners are the same in all matches of a block, and it counts as it begins.
                    let is_first = u32::from(at == 0);
                    if is_unplayed || own.is_away || rival.is_away {
                        let bot = &mut self.bots[bot];
                        bot.unplayed += u64::from(is_first);
                        bot.unplayed_half_points += u64::from(scored);
                    } else {
                        let met = &mut self.met[bot * bots + self.seed_of[rival.entrant]];
                        met.half_points += scored;
                        met.against += is_first;
                    }
                }
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

    fn absent(&mut self, entrant: usize, _: &mut BlockPlan) {
        if let Some(&bot) = self.seed_of.get(entrant) {
            self.absent.insert(bot);
        }
    }

    fn change(&mut self, change: &Change, blocks: &mut BlockPlan) {
        match change {
            Change::Rounds { more } => {
                let was_over = self.open == 0 && self.round >= self.rounds;
                self.rounds = self.rounds.saturating_add(*more);
                if was_over {
                    self.pair_round(blocks);
                }
            }
            Change::Withdraw { .. } | Change::Disqualify { .. } => self.pair_again(blocks),
            Change::Matches { .. }
            | Change::Join { .. }
            | Change::Strike { .. }
            | Change::Cancel => {}
        }
    }

    fn left(&self) -> (u64, bool) {
        let rounds = self.rounds.saturating_sub(self.round + 1);
        (u64::from(rounds) * self.matches_of_round() as u64, true)
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
        // A match of many is worth a point at most, like one of two.
        let rivals = u64::from(self.seating.rivals());
        let shared = |half: u64| match rivals {
            1 => points(half),
            _ => format!("{:.2}", half as f64 / (2 * rivals) as f64),
        };
        let cells = |entrant: usize| {
            let (own, buchholz, berger) = keys[entrant];
            vec![
                shared(own),
                shared(buchholz),
                // Half points times half points: quarters of a point.
                format!("{:.2}", berger as f64 / (4 * rivals) as f64),
                self.bots[self.seed_of[entrant]].byes.to_string(),
            ]
        };
        let by = vec!["points", "Buchholz", "Sonneborn-Berger", "byes"];
        Some(Ranking::of(by, &keys, cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swiss(bots: usize) -> SwissPlan {
        SwissPlan::new((0..bots).collect(), Seating::single(2), 1).unwrap()
    }

    fn pairs<'a>(swiss: &'a SwissPlan, order: &'a [usize]) -> Pairs<'a> {
        Pairs {
            swiss,
            order,
            groups: Groups::new(order, |bot| swiss.bots[bot].half_points),
        }
    }

    #[test]
    fn halves_of_a_group_stand_side_by_side() {
        let points = [3, 3, 3, 3, 3, 2, 1, 1, 0, 0, 0, 0];
        let order: Vec<usize> = (0..points.len()).collect();
        let places = Groups::new(&order, |bot| points[bot]).side_by_side();
        assert_eq!(places, [0, 2, 1, 3, 4, 5, 6, 7, 8, 10, 9, 11]);
    }

    #[test]
    fn what_the_windows_cannot_avoid_one_matching_of_all_does() {
        // The upper half have all met: each must meet one of the lower half.
        let (bots, upper) = (150, 75);
        let mut swiss = swiss(bots);
        for one in 0..upper {
            swiss.bots[one].half_points = 100;
            for other in (0..upper).filter(|&other| other != one) {
                swiss.met[one * bots + other].times = 1;
            }
        }
        let order: Vec<usize> = (0..bots).collect();
        assert_eq!(pairs(&swiss, &order).in_windows(MAX_AT_ONCE), None);
        let (paired, byes) = swiss.pairs(&order);
        assert!(byes.is_empty() && paired.len() == upper);
        assert!(
            paired
                .iter()
                .all(|pair| (pair[0] < upper) != (pair[1] < upper))
        );
    }

    #[test]
    fn in_windows_bots_of_as_many_points_meet_as_by_one_matching_of_all() {
        for (bots, salt) in [(130, 1), (180, 2), (191, 3)] {
            let mut swiss = swiss(bots);
            for bot in 0..bots {
                swiss.bots[bot].half_points = u64::from(scatter(salt, bot, 0) % 7);
                for other in (0..bot).filter(|&other| scatter(salt, bot, other).is_multiple_of(20))
                {
                    swiss.met[bot * bots + other].times = 1;
                    swiss.met[other * bots + bot].times = 1;
                }
            }
            let mut order: Vec<usize> = (0..bots).collect();
            order.sort_by_key(|&bot| (std::cmp::Reverse(swiss.bots[bot].half_points), bot));
            let round = pairs(&swiss, &order);
            let all: Vec<usize> = (0..bots + bots % 2).collect();
            let one = round.matched(&all);
            let windows = round.in_windows(MAX_AT_ONCE).expect("few have met");
            let mut paired: Vec<usize> = windows.iter().flat_map(|&(u, l)| [u, l]).collect();
            paired.sort_unstable();
            assert_eq!(paired, all, "each once");
            let sum = |pairs: &[(usize, usize)]| {
                let costs = pairs.iter().map(|&(upper, lower)| round.cost(upper, lower));
                costs.fold((0, 0, 0), |sum, cost| {
                    (
                        sum.0 + cost.second_bye + cost.met,
                        sum.1 + cost.bye_place,
                        sum.2 + cost.points,
                    )
                })
            };
            assert_eq!(sum(&one), sum(&windows), "{bots} bots");
        }
    }
}
