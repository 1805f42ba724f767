//! Double elimination: who loses two match-ups is out. The upper bracket is that of a knockout, byes among it. Who
//! loses there drops into the lower bracket, where losers of a round meet each other and then, in the round after it,
//! the losers of the next upper round; who loses there is out. The grand final is between the winners of both. If the
//! one from the lower bracket wins it, both have lost once, and they meet again: the reset.
//!
//! With `n` bots there are `2n - 2` match-ups, and one more with a reset: all but the winner lose exactly two.

use std::fmt;

use super::match_up::{LOWER, Length, MatchUp, MatchUps, Pair, bracket, match_ups, pairs, stage};
use super::plan::{Block, BlockPlan, FormatPlan, PlanDirector};
use super::ranking::{Encounter, Ranking};
use super::rules::{FormatRules, Seeding, TableOrder};
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::schedule::ScheduleError;
use crate::spec::key::{Heading, SpecKey};

match_ups! {
    /// A double elimination.
    pub struct DoubleElimination {}
}

impl FormatRules for DoubleElimination {
    fn in_words(&self) -> &'static str {
        "double elimination"
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ", {}, seeded by {}", self.length(), self.seeding)
    }

    fn seeding(&self) -> Option<Seeding> {
        Some(self.seeding)
    }

    fn order(&self) -> TableOrder {
        TableOrder::Results
    }

    fn no_newcomers(&self, _: &dyn FormatSettings) -> Option<&'static str> {
        Some("its bracket is drawn for the bots that it began with")
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let (seating, seeds) = (settings.seating()?, settings.seeds(bots)?);
        self.length().check(self.in_words(), bots, seating)?;
        let plan = DoubleEliminationPlan::new(seeds, self.length());
        Ok(Box::new(PlanDirector::new(plan, seating)))
    }
}

#[derive(Clone, Debug)]
struct DoubleEliminationPlan {
    match_ups: MatchUps,
    /// Who is in the upper bracket, by its places: a power of two.
    upper: Vec<Option<usize>>,
    /// Who is in the lower bracket.
    lower: Vec<Option<usize>>,
    /// Who lost the last round of the upper bracket, and is not in the lower one yet.
    dropped: Vec<Option<usize>>,
    playing: PlayedStage,
    /// How many rounds of the lower bracket have begun, and how many there are.
    lower_rounds: (u32, u32),
    /// By seed, its rank and where it went out.
    out: Vec<Option<(usize, String)>>,
}

/// What is being played.
#[derive(Clone, Debug)]
enum PlayedStage {
    /// A round of either bracket or of both.
    Brackets { upper: Vec<Pair>, lower: Vec<Pair> },
    /// The winner of the upper bracket against that of the lower one.
    GrandFinal,
    /// The same once more, for both have lost once.
    Reset,
    /// Nothing any more.
    Over,
}

impl DoubleEliminationPlan {
    fn new(seeds: Vec<usize>, length: Length) -> Self {
        let bots = seeds.len();
        let upper = bracket(bots);
        DoubleEliminationPlan {
            match_ups: MatchUps::new(length, seeds, 2 * bots as u64 - 1),
            lower_rounds: (0, 2 * (upper.len().ilog2() - 1)),
            upper,
            lower: Vec::new(),
            dropped: Vec::new(),
            playing: PlayedStage::Over,
            out: vec![None; bots],
        }
    }

    /// Decides on the match-ups of a round.
    fn begin_round(&mut self, blocks: &mut BlockPlan) {
        if self.lower.is_empty() {
            // There is nobody yet whom they could meet but each other.
            self.lower = std::mem::take(&mut self.dropped);
        }
        let (upper, lower) = if !self.dropped.is_empty() {
            let dropped = self.crossed().into_iter();
            let joined = dropped.zip(&self.lower).map(|(one, &other)| [other, one]);
            (Vec::new(), joined.collect())
        } else if self.upper.len() > 1 {
            (pairs(&self.upper), pairs(&self.lower))
        } else {
            self.playing = PlayedStage::GrandFinal;
            return self.meet("grand final", blocks);
        };
        let upper_stage = format!("upper {}", stage(self.upper.len()));
        let mut match_ups = self.match_ups.of_pairs(&upper, &upper_stage);
        if !lower.is_empty() {
            self.lower_rounds.0 += 1;
            let stage = self.lower_stage();
            match_ups.extend(self.match_ups.of_pairs(&lower, &stage));
        }
        self.playing = PlayedStage::Brackets { upper, lower };
        self.match_ups.begin(match_ups, blocks);
    }

    /// The losers of the upper bracket in the order in which they join the lower one. It changes from one time to the
    /// next, so that those who have met come together again as late as possible. Of all series of these four orders,
    /// none had notably fewer such meetings in made-up tournaments of 8 to 128 bots.
    fn crossed(&mut self) -> Vec<Option<usize>> {
        let mut dropped = std::mem::take(&mut self.dropped);
        let half = dropped.len() / 2;
        match self.lower_rounds.0 / 2 % 4 {
            0 => dropped.reverse(),
            1 => dropped.chunks_mut(half.max(1)).for_each(<[_]>::reverse),
            2 => dropped.rotate_left(half),
            _ => {}
        }
        dropped
    }

    fn lower_stage(&self) -> String {
        match self.lower_rounds {
            (round, all) if round == all => format!("{LOWER} final"),
            (round, _) => format!("{LOWER} round {round}"),
        }
    }

    /// The winners of both brackets meet.
    fn meet(&mut self, stage: &str, blocks: &mut BlockPlan) {
        let finalists = [self.upper[0], self.lower[0]];
        let match_ups = self.match_ups.of_pairs(&[finalists], stage);
        self.match_ups.begin(match_ups, blocks);
    }

    /// All match-ups of a round are over.
    fn end_round(&mut self, match_ups: &[MatchUp], blocks: &mut BlockPlan) {
        let lost: Vec<usize> = match_ups
            .iter()
            .map(|match_up| match_up.result().1)
            .collect();
        match std::mem::replace(&mut self.playing, PlayedStage::Over) {
            PlayedStage::Brackets { upper, lower } => {
                let has_lost = |seed: &usize| lost.contains(seed);
                let winner =
                    |pair: &Pair| pair.iter().flatten().copied().find(|seed| !has_lost(seed));
                let loser = |pair: &Pair| pair.iter().flatten().copied().find(has_lost);
                if !upper.is_empty() {
                    self.dropped = upper.iter().map(loser).collect();
                    self.upper = upper.iter().map(winner).collect();
                }
                if !lower.is_empty() {
                    self.lower = lower.iter().map(winner).collect();
                    let out: Vec<usize> = lower.iter().filter_map(loser).collect();
                    self.go_out(&out, &self.lower_stage());
                }
                self.begin_round(blocks);
            }
            PlayedStage::GrandFinal if self.upper[0] == Some(lost[0]) => {
                self.playing = PlayedStage::Reset;
                self.meet("grand final reset", blocks);
            }
            PlayedStage::GrandFinal | PlayedStage::Reset => {
                self.match_ups.to_come = 0;
                self.go_out(&lost, "grand final");
            }
            PlayedStage::Over => unreachable!("a match-up was played"),
        }
    }

    /// These lost for the second time, and share a rank.
    fn go_out(&mut self, seeds: &[usize], stage: &str) {
        let left = self.out.iter().filter(|out| out.is_none()).count() - seeds.len();
        for &seed in seeds {
            self.out[seed] = Some((left + 1, stage.into()));
        }
    }
}

impl FormatPlan for DoubleEliminationPlan {
    fn begin(&mut self, blocks: &mut BlockPlan) {
        self.begin_round(blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut BlockPlan) {
        if let Some(match_ups) = self.match_ups.heard(block, blocks) {
            self.end_round(&match_ups, blocks);
        }
    }

    fn left(&self) -> (u64, bool) {
        let (left, exact) = self.match_ups.left();
        // Whether there is a reset is known after the grand final.
        (left, exact && self.match_ups.to_come == 0)
    }

    fn ranking(&self) -> Option<Ranking> {
        let bots = self.out.len();
        let by_entrant = self.match_ups.by_entrant(&self.out);
        let rank = |out: &Option<(usize, String)>| out.as_ref().map_or(1, |(rank, _)| *rank);
        // The greater the better.
        let keys: Vec<usize> = by_entrant.iter().map(|out| bots - rank(out)).collect();
        let is_over = matches!(self.playing, PlayedStage::Over);
        let reached = |entrant: usize| -> Vec<String> {
            let text = match &by_entrant[entrant] {
                None if is_over => "winner",
                None => "still in",
                Some((_, stage)) => stage,
            };
            vec![text.into()]
        };
        Some(Ranking::of(vec!["reached"], &keys, reached))
    }

    fn encounters(&self) -> Vec<Encounter<usize>> {
        self.match_ups.told()
    }
}
