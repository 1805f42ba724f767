//! Knockout: who loses an encounter is out. An encounter is best of a number of blocks, and if it is
//! level then, of further ones, as many as are allowed; if it is level still, the better seed goes on.
//!
//! The bracket is the usual one: if the better seed always wins, the first meets the last that is left,
//! the second the last but one, and so on, in every round; where bots are missing to a power of two, the
//! best seeds have a bye.

use super::{Block, Blocks, DecidedBy, Encounter as Told, Plan, Ranking};
use crate::{MOST_ENTRANTS, ScheduleError, Seating};

/// The most blocks of which an encounter is the best.
pub const MOST_BEST_OF: u32 = 1_000;

/// The most blocks that are played on when an encounter is level.
pub const MOST_TIE_BREAKS: u32 = 100;

/// The format, in words.
const KNOCKOUT: &str = "knockout";

#[derive(Clone, Debug)]
pub(crate) struct Knockout {
    /// By seed, which entrant.
    seeds: Vec<usize>,
    best_of: u32,
    tie_breaks: u32,
    third_place: bool,
    round: u32,
    /// The places of this round's bracket; two neighbours meet. Seeds, from 0.
    bracket: Vec<Option<usize>>,
    /// The encounters of this round.
    encounters: Vec<Encounter>,
    /// The encounters of the rounds to come.
    to_come: u64,
    /// By seed, where it went out.
    out: Vec<Option<Out>>,
    /// The byes, and the encounters of rounds that are over.
    told: Vec<Told<usize>>,
}

/// Two seeds meet; the better one has the lower number.
#[derive(Clone, Debug)]
struct Encounter {
    better: usize,
    worse: usize,
    /// Blocks whose results are known.
    heard: u32,
    /// Blocks that were decided on.
    decided: u32,
    /// The half points of the better seed, and of the worse.
    half_points: [u32; 2],
    third_place: bool,
}

/// Where a bot went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Out {
    /// Places of the bracket in that round.
    of: usize,
    /// The rank that comes of it.
    rank: usize,
}

impl Knockout {
    pub(crate) fn new(
        seeds: Vec<usize>,
        seating: Seating,
        best_of: u32,
        tie_breaks: u32,
        third_place: bool,
    ) -> Result<Self, ScheduleError> {
        let bots = seeds.len();
        if seating.bots() != 2 {
            return Err(ScheduleError::TwoBots {
                format: KNOCKOUT,
                bots: seating.bots(),
            });
        }
        if !(2..=MOST_ENTRANTS).contains(&bots) {
            return Err(ScheduleError::Bots {
                format: KNOCKOUT,
                bots,
                least: 2,
            });
        }
        let range = |what, least, most: u32, is: u32| match (least..=most).contains(&is) {
            true => Ok(()),
            false => Err(ScheduleError::Range {
                what,
                least: least.into(),
                most: most.into(),
                is: is.into(),
            }),
        };
        range(
            "blocks of which an encounter is the best",
            1,
            MOST_BEST_OF,
            best_of,
        )?;
        range("tie-break blocks", 0, MOST_TIE_BREAKS, tie_breaks)?;
        // With three bots one semi-final is a bye: its loser is third.
        let third_place = third_place && bots > 3;
        let bracket = bracket(bots.next_power_of_two())
            .into_iter()
            .map(|seed| (seed < bots).then_some(seed))
            .collect();
        Ok(Knockout {
            best_of,
            tie_breaks,
            third_place,
            round: 0,
            bracket,
            encounters: Vec::new(),
            to_come: bots as u64 - 1 + u64::from(third_place),
            out: vec![None; bots],
            told: Vec::new(),
            seeds,
        })
    }

    /// Decides on the encounters of a round.
    fn begin_round(&mut self, losers: &[usize], blocks: &mut Blocks) {
        let mut encounters: Vec<Encounter> = self
            .bracket
            .chunks(2)
            .filter_map(|two| match *two {
                [Some(one), Some(other)] => Some(Encounter::between(one, other, false)),
                _ => None,
            })
            .collect();
        let byes = self.bracket.chunks(2).filter_map(|two| match *two {
            [Some(seed), None] | [None, Some(seed)] => Some(Told {
                round: self.round + 1,
                stage: stage(self.bracket.len()),
                bots: vec![self.seeds[seed]],
                points: Vec::new(),
                blocks: 0,
                winner: Some(self.seeds[seed]),
                decided_by: Some(DecidedBy::Bye),
            }),
            _ => None,
        });
        self.told.extend(byes.collect::<Vec<_>>());
        if let (true, 2, &[one, other]) = (self.third_place, self.bracket.len(), losers) {
            encounters.push(Encounter::between(one, other, true));
        }
        self.to_come -= encounters.len() as u64;
        self.encounters = encounters;
        for at in 0..self.encounters.len() {
            self.play_on(at, blocks);
        }
    }

    /// Decides on the blocks that an encounter needs in any case; false if it is over.
    fn play_on(&mut self, at: usize, blocks: &mut Blocks) -> bool {
        let most = i64::from(blocks.most_half_points());
        let encounter = &mut self.encounters[at];
        let needed = encounter.needed(self.best_of, self.tie_breaks, most);
        let set = [encounter.better, encounter.worse].map(|seed| self.seeds[seed]);
        encounter.decided += needed;
        for _ in 0..needed {
            blocks.decide(self.round, set.to_vec());
        }
        needed > 0
    }

    /// All encounters of a round are over: who lost is out, the others meet.
    fn end_round(&mut self, blocks: &mut Blocks) {
        let of = self.bracket.len();
        let mut losers = Vec::new();
        self.told.extend(self.of_round().collect::<Vec<_>>());
        for encounter in std::mem::take(&mut self.encounters) {
            let (winner, loser) = encounter.result();
            if encounter.third_place {
                self.out[winner] = Some(Out { of: 4, rank: 3 });
                self.out[loser] = Some(Out { of: 4, rank: 4 });
            } else {
                let rank = of / 2 + 1;
                self.out[loser] = Some(Out { of, rank });
                losers.push(loser);
            }
        }
        self.bracket = self
            .bracket
            .chunks(2)
            .map(|two| two.iter().flatten().copied().find(|&seed| self.is_in(seed)))
            .collect();
        self.round += 1;
        if self.bracket.len() > 1 {
            self.begin_round(&losers, blocks);
        }
    }

    /// The encounters of this round as they stand.
    fn of_round(&self) -> impl Iterator<Item = Told<usize>> {
        self.encounters.iter().map(|encounter| {
            let over = encounter.heard == encounter.decided;
            Told {
                round: self.round + 1,
                stage: match encounter.third_place {
                    true => "third place".into(),
                    false => stage(self.bracket.len()),
                },
                bots: [encounter.better, encounter.worse]
                    .map(|seed| self.seeds[seed])
                    .into(),
                points: encounter
                    .half_points
                    .map(|half| f64::from(half) / 2.0)
                    .into(),
                blocks: encounter.heard,
                winner: over.then(|| self.seeds[encounter.result().0]),
                decided_by: over.then(|| encounter.decided_by(self.best_of)),
            }
        })
    }

    fn is_in(&self, seed: usize) -> bool {
        self.out[seed].is_none()
    }
}

impl Encounter {
    fn between(one: usize, other: usize, third_place: bool) -> Self {
        Encounter {
            better: one.min(other),
            worse: one.max(other),
            heard: 0,
            decided: 0,
            half_points: [0; 2],
            third_place,
        }
    }

    /// By how many half points the better seed leads.
    fn lead(&self) -> i64 {
        let [better, worse] = self.half_points;
        i64::from(better) - i64::from(worse)
    }

    /// What decided it, now that it is over.
    fn decided_by(&self, best_of: u32) -> DecidedBy {
        match (self.lead(), self.heard > best_of) {
            (0, _) => DecidedBy::Seed,
            (_, true) => DecidedBy::TieBreak,
            (_, false) => DecidedBy::Score,
        }
    }

    /// How many more blocks are needed before it can be over, where a block is worth `most` half points
    /// at most: none if it is over, or if some are being played.
    fn needed(&self, best_of: u32, tie_breaks: u32, most: i64) -> u32 {
        if self.heard < self.decided {
            return 0;
        }
        let left = best_of.saturating_sub(self.heard);
        if left == 0 {
            let further = self.lead() == 0 && self.heard < best_of + tie_breaks;
            return u32::from(further);
        }
        let lead = self.lead().abs();
        (0..left)
            .find(|&more| lead + i64::from(more) * most > i64::from(left - more) * most)
            .unwrap_or(left)
    }

    /// Winner and loser.
    fn result(&self) -> (usize, usize) {
        match self.lead() >= 0 {
            true => (self.better, self.worse),
            false => (self.worse, self.better),
        }
    }
}

impl Plan for Knockout {
    fn begin(&mut self, blocks: &mut Blocks) {
        self.begin_round(&[], blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut Blocks) {
        let [better, _] = block.set[..] else {
            unreachable!("two bots meet")
        };
        let of_block = |encounter: &Encounter| {
            self.seeds[encounter.better] == better && encounter.heard < encounter.decided
        };
        let at = self.encounters.iter().position(of_block);
        let at = at.expect("a block is of an encounter of its round");
        let encounter = &mut self.encounters[at];
        encounter.heard += 1;
        for (sum, more) in encounter.half_points.iter_mut().zip(&block.half_points) {
            *sum += more;
        }
        if encounter.heard < encounter.decided || self.play_on(at, blocks) {
            return;
        }
        if self.encounters.iter().all(|one| one.heard == one.decided) {
            self.end_round(blocks);
        }
    }

    fn left(&self) -> (u64, bool) {
        let longest = self.best_of + self.tie_breaks;
        let running = self.encounters.iter().map(|encounter| {
            // An encounter that waits for nothing while others play is over.
            match encounter.heard == encounter.decided {
                true => 0,
                false => u64::from(longest - encounter.decided),
            }
        });
        let left = running.sum::<u64>() + self.to_come * u64::from(longest);
        (left, self.best_of == 1 && self.tie_breaks == 0)
    }

    fn ranking(&self) -> Option<Ranking> {
        let bots = self.seeds.len();
        let mut by_entrant = vec![None; bots];
        for (seed, &entrant) in self.seeds.iter().enumerate() {
            by_entrant[entrant] = self.out[seed];
        }
        let is_over = self.bracket.len() == 1;
        // The greater the better.
        let keys: Vec<usize> = by_entrant
            .iter()
            .map(|out| bots - out.map_or(1, |out| out.rank))
            .collect();
        let reached = |entrant: usize| -> Vec<String> {
            let text = match by_entrant[entrant] {
                None if is_over => "winner".into(),
                None => "still in".into(),
                Some(Out { of: 4, rank: 3 }) if is_over && self.third_place => "third".into(),
                Some(Out { of: 4, rank: 4 }) => "fourth".into(),
                Some(Out { of, .. }) => stage(of),
            };
            vec![text]
        };
        Some(Ranking::of(vec!["reached"], &keys, reached))
    }

    fn encounters(&self) -> Vec<Told<usize>> {
        self.told.iter().cloned().chain(self.of_round()).collect()
    }
}

/// What a round is called in which the bracket has so many places.
fn stage(of: usize) -> String {
    match of {
        2 => "final".into(),
        4 => "semi-final".into(),
        8 => "quarter-final".into(),
        of => format!("last {of}"),
    }
}

/// The seeds, from 0, as they stand in a bracket of so many places, a power of two: of two neighbours
/// one is the better by as much as the other is the worse.
fn bracket(places: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < places {
        let last = 2 * order.len() - 1;
        order = order
            .into_iter()
            .flat_map(|seed| [seed, last - seed])
            .collect();
    }
    order
}
