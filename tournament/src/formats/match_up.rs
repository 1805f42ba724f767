//! Match-ups: two bots meet in as many blocks as decide who advances. One is best of a number of blocks. While it is
//! level then, further blocks are played, as many as are allowed; if it is level still, the better seed advances.

use std::fmt;

use flipside_ratings::Seating;

use super::plan::{Block, BlockPlan};
use crate::formats::ranking::{DecidedBy, Encounter};
use crate::schedule::ScheduleError;

/// The most blocks of which a match-up is the best.
pub const MAX_BEST_OF: u32 = 1_000;

/// The most blocks that are played on when a match-up is level.
pub const MAX_TIE_BREAKS: u32 = 100;

/// How the stages of a lower bracket begin.
pub(super) const LOWER: &str = "lower";

impl<Bot> Encounter<Bot> {
    /// Whether it is one of the lower bracket.
    pub fn is_lower(&self) -> bool {
        self.stage.starts_with(LOWER)
    }
}

impl Encounter<usize> {
    /// The same with the names of the entrants.
    pub fn named(self, names: &[String]) -> Encounter {
        Encounter {
            round: self.round,
            stage: self.stage,
            bots: self.bots.iter().map(|&bot| names[bot].clone()).collect(),
            points: self.points,
            blocks: self.blocks,
            winner: self.winner.map(|bot| names[bot].clone()),
            decided_by: self.decided_by,
        }
    }
}

/// Declares the parameters of a format of match-ups: those that all such formats share, and its own.
macro_rules! match_ups {
    ($(#[$meta:meta])* pub struct $Name:ident { $($own:tt)* }) => {
        $crate::spec::described::described! {
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            #[serde(rename_all = "kebab-case", deny_unknown_fields)]
            pub struct $Name {
                /// Play each match-up as best of N blocks
                best_of: u32 = 1 => SpecKey::whole(Heading::Format, 1, $crate::formats::MAX_BEST_OF.into())
                    .such_as("3")
                    .detail();
                /// Play at most N more blocks while a match-up is level
                ///
                /// If it is level after these, the better seed advances.
                tie_breaks: u32 = 3
                    => SpecKey::whole(Heading::Format, 0, $crate::formats::MAX_TIE_BREAKS.into()).detail();
                $($own)*
                /// Seed the bots by this
                ///
                /// `ratings` are those at the game when the tournament begins. Bots without one come last, in order of
                /// entry.
                seeding: Seeding = Seeding::Ratings => Seeding::key();
            }
        }

        impl $Name {
            fn length(&self) -> Length {
                let (best_of, tie_breaks) = (self.best_of, self.tie_breaks);
                Length { best_of, tie_breaks }
            }
        }
    };
}
pub(super) use match_ups;

/// How long a match-up is: best of so many blocks, and of so many more, one by one, while it is level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    pub(super) best_of: u32,
    pub(super) tie_breaks: u32,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.tie_breaks == 1 { "" } else { "s" };
        write!(
            f,
            "best of {} with {} tie-break{plural}",
            self.best_of, self.tie_breaks
        )
    }
}

impl Length {
    /// The most blocks of a match-up.
    fn most(self) -> u32 {
        self.best_of + self.tie_breaks
    }

    /// Whether match-ups of this length fit so many bots, seated so.
    pub(super) fn check(
        self,
        format: &'static str,
        bots: usize,
        seating: Seating,
    ) -> Result<(), ScheduleError> {
        if seating.bots() != 2 {
            let bots = seating.bots();
            return Err(ScheduleError::TwoBots { format, bots });
        }
        ScheduleError::check_bots(format, bots, 2)?;
        ScheduleError::check_range(
            "blocks of which a match-up is the best",
            1..=MAX_BEST_OF.into(),
            self.best_of.into(),
        )?;
        ScheduleError::check_range(
            "tie-break blocks",
            0..=MAX_TIE_BREAKS.into(),
            self.tie_breaks.into(),
        )
    }
}

/// Two seeds meet; the better one has the lower number.
#[derive(Clone, Debug)]
pub(super) struct MatchUp {
    pub(super) stage: String,
    better: usize,
    worse: usize,
    /// Blocks whose results are known.
    heard: u32,
    /// Blocks that were decided on.
    decided: u32,
    /// The half points of the better seed, and of the worse.
    half_points: [u32; 2],
}

impl MatchUp {
    pub(super) fn between(one: usize, other: usize, stage: impl Into<String>) -> Self {
        MatchUp {
            stage: stage.into(),
            better: one.min(other),
            worse: one.max(other),
            heard: 0,
            decided: 0,
            half_points: [0; 2],
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
    fn needed(&self, length: Length, most: i64) -> u32 {
        if self.heard < self.decided {
            return 0;
        }
        let left = length.best_of.saturating_sub(self.heard);
        if left == 0 {
            let further = self.lead() == 0 && self.heard < length.most();
            return u32::from(further);
        }
        let lead = self.lead().abs();
        (0..left)
            .find(|&more| lead + i64::from(more) * most > i64::from(left - more) * most)
            .unwrap_or(left)
    }

    /// Whether nothing of it is being played. It is over then, for more was decided on at once otherwise.
    fn is_over(&self) -> bool {
        self.heard == self.decided
    }

    /// Winner and loser.
    pub(super) fn result(&self) -> (usize, usize) {
        if self.lead() >= 0 {
            (self.better, self.worse)
        } else {
            (self.worse, self.better)
        }
    }
}

/// Seeds, from 0, that are to meet; one alone advances, and nobody stays nobody.
pub(super) type Pair = [Option<usize>; 2];

/// Neighbours in a bracket; none where there is one alone.
pub(super) fn pairs(places: &[Option<usize>]) -> Vec<Pair> {
    places.chunks_exact(2).map(|two| [two[0], two[1]]).collect()
}

/// The match-ups of a bracket, round by round.
#[derive(Clone, Debug)]
pub(super) struct MatchUps {
    length: Length,
    /// By seed, which entrant.
    seeds: Vec<usize>,
    /// The round, from 0.
    round: u32,
    /// Those of this round.
    open: Vec<MatchUp>,
    /// The byes, and the match-ups of rounds that are over.
    told: Vec<Encounter<usize>>,
    /// The most match-ups that are still to be begun.
    pub(super) to_come: u64,
}

impl MatchUps {
    pub(super) fn new(length: Length, seeds: Vec<usize>, to_come: u64) -> Self {
        MatchUps {
            length,
            seeds,
            round: 0,
            open: Vec::new(),
            told: Vec::new(),
            to_come,
        }
    }

    /// By entrant, what this has by seed.
    pub(super) fn by_entrant<'a, T>(&self, by_seed: &'a [T]) -> Vec<&'a T> {
        let mut by_entrant: Vec<&T> = by_seed.iter().collect();
        for (&entrant, of_seed) in self.seeds.iter().zip(by_seed) {
            by_entrant[entrant] = of_seed;
        }
        by_entrant
    }

    /// A seed advances in this round, for nobody is there to meet.
    fn bye(&mut self, seed: usize, stage: String) {
        self.told.push(Encounter {
            round: self.round + 1,
            stage,
            bots: vec![self.seeds[seed]],
            points: Vec::new(),
            blocks: 0,
            winner: Some(self.seeds[seed]),
            decided_by: Some(DecidedBy::Bye),
        });
    }

    /// This round's match-ups of these pairs; byes are noted.
    pub(super) fn of_pairs(&mut self, pairs: &[Pair], stage: &str) -> Vec<MatchUp> {
        let mut match_ups = Vec::new();
        for pair in pairs {
            match *pair {
                [Some(one), Some(other)] => match_ups.push(MatchUp::between(one, other, stage)),
                [Some(seed), None] | [None, Some(seed)] => self.bye(seed, stage.into()),
                [None, None] => {}
            }
        }
        match_ups
    }

    /// Begins this round's match-ups.
    pub(super) fn begin(&mut self, match_ups: Vec<MatchUp>, blocks: &mut BlockPlan) {
        self.to_come -= match_ups.len() as u64;
        self.open = match_ups;
        for at in 0..self.open.len() {
            self.play_on(at, blocks);
        }
    }

    /// Decides on the blocks that a match-up needs in any case; false if it is over.
    fn play_on(&mut self, at: usize, blocks: &mut BlockPlan) -> bool {
        let most = i64::from(blocks.most_half_points());
        let match_up = &mut self.open[at];
        let needed = match_up.needed(self.length, most);
        let set = [match_up.better, match_up.worse].map(|seed| self.seeds[seed]);
        match_up.decided += needed;
        for _ in 0..needed {
            blocks.decide(self.round, set.to_vec());
        }
        needed > 0
    }

    /// Takes a block. When that ends the round, it gives its match-ups, and the next round begins.
    pub(super) fn heard(&mut self, block: &Block, blocks: &mut BlockPlan) -> Option<Vec<MatchUp>> {
        let [better, _] = block.set[..] else {
            unreachable!("two bots meet")
        };
        let of_block =
            |match_up: &MatchUp| self.seeds[match_up.better] == better && !match_up.is_over();
        let at = self.open.iter().position(of_block);
        let at = at.expect("a block is of a match-up of its round");
        let match_up = &mut self.open[at];
        match_up.heard += 1;
        for (sum, more) in match_up.half_points.iter_mut().zip(&block.half_points) {
            *sum += more;
        }
        if !match_up.is_over()
            || self.play_on(at, blocks)
            || !self.open.iter().all(MatchUp::is_over)
        {
            return None;
        }
        self.told.extend(self.of_round().collect::<Vec<_>>());
        self.round += 1;
        Some(std::mem::take(&mut self.open))
    }

    /// How many blocks may still be decided on: at most so many, or with `true` exactly.
    pub(super) fn left(&self) -> (u64, bool) {
        let most = self.length.most();
        let open = self.open.iter().filter(|match_up| !match_up.is_over());
        let of_round: u64 = open
            .map(|match_up| u64::from(most - match_up.decided))
            .sum();
        (of_round + self.to_come * u64::from(most), most == 1)
    }

    /// The match-ups of this round as they stand.
    fn of_round(&self) -> impl Iterator<Item = Encounter<usize>> {
        self.open.iter().map(|match_up| {
            let over = match_up.is_over();
            Encounter {
                round: self.round + 1,
                stage: match_up.stage.clone(),
                bots: [match_up.better, match_up.worse]
                    .map(|seed| self.seeds[seed])
                    .into(),
                points: match_up
                    .half_points
                    .map(|half| f64::from(half) / 2.0)
                    .into(),
                blocks: match_up.heard,
                winner: over.then(|| self.seeds[match_up.result().0]),
                decided_by: over.then(|| match_up.decided_by(self.length.best_of)),
            }
        })
    }

    /// All until now, round by round.
    pub(super) fn told(&self) -> Vec<Encounter<usize>> {
        self.told.iter().cloned().chain(self.of_round()).collect()
    }
}

/// What a round is called in which the bracket has so many places.
pub(super) fn stage(of: usize) -> String {
    match of {
        2 => "final".into(),
        4 => "semi-final".into(),
        8 => "quarter-final".into(),
        of => format!("last {of}"),
    }
}

/// The places of the first round, a power of two; two neighbours meet. They hold seeds, from 0, or nobody. Of two
/// neighbours one is the better by as much as the other is the worse, so if the better seed always wins, the first
/// meets the last that is left in every round; where bots are missing, the best seeds have a bye.
pub(super) fn bracket(bots: usize) -> Vec<Option<usize>> {
    let mut order = vec![0];
    while order.len() < bots.next_power_of_two() {
        let last = 2 * order.len() - 1;
        order = order
            .into_iter()
            .flat_map(|seed| [seed, last - seed])
            .collect();
    }
    order
        .into_iter()
        .map(|seed| (seed < bots).then_some(seed))
        .collect()
}
