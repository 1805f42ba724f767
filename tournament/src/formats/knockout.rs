//! Knockout: who loses a match-up is out. The bracket is the usual one, with byes for the best seeds.

use std::fmt;

use super::match_up::{Length, MatchUp, MatchUps, bracket, match_ups, pairs, stage};
use super::plan::{Block, BlockPlan, FormatPlan, PlanDirector};
use super::ranking::{Encounter, Ranking};
use super::rules::{FormatRules, Seeding, TableOrder};
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::schedule::ScheduleError;
use crate::spec::key::{Heading, SpecKey};

/// What the match-up for the third place is called.
const THIRD_PLACE: &str = "third place";

match_ups! {
    /// A knockout.
    pub struct Knockout {
        /// Let the losers of the semi-finals meet
        third_place: bool = false => SpecKey::flag(Heading::Format).detail();
    }
}

impl FormatRules for Knockout {
    fn in_words(&self) -> &'static str {
        "knockout"
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let third = if self.third_place {
            " and a third place"
        } else {
            ""
        };
        write!(f, ", {}{third}, seeded by {}", self.length(), self.seeding)
    }

    fn seeding(&self) -> Option<Seeding> {
        Some(self.seeding)
    }

    fn meets_again(&self, _: u32) -> bool {
        self.best_of > 1
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
        let plan = KnockoutPlan::new(seeds, self.length(), self.third_place);
        Ok(Box::new(PlanDirector::new(plan, seating)))
    }
}

#[derive(Clone, Debug)]
struct KnockoutPlan {
    match_ups: MatchUps,
    third_place: bool,
    /// The places of this round's bracket; two neighbours meet. Seeds, from 0.
    bracket: Vec<Option<usize>>,
    /// By seed, where it went out.
    out: Vec<Option<Eliminated>>,
}

/// Where a bot went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Eliminated {
    /// Places of the bracket in that round.
    of: usize,
    /// The rank that comes of it.
    rank: usize,
}

impl KnockoutPlan {
    fn new(seeds: Vec<usize>, length: Length, third_place: bool) -> Self {
        let bots = seeds.len();
        // With three bots one semi-final is a bye: its loser is third.
        let third_place = third_place && bots > 3;
        let to_come = bots as u64 - 1 + u64::from(third_place);
        KnockoutPlan {
            match_ups: MatchUps::new(length, seeds, to_come),
            third_place,
            bracket: bracket(bots),
            out: vec![None; bots],
        }
    }

    /// Decides on the match-ups of a round.
    fn begin_round(&mut self, losers: &[usize], blocks: &mut BlockPlan) {
        let places = self.bracket.len();
        let mut match_ups = (self.match_ups).of_pairs(&pairs(&self.bracket), &stage(places));
        if let (true, 2, &[one, other]) = (self.third_place, places, losers) {
            match_ups.push(MatchUp::between(one, other, THIRD_PLACE));
        }
        self.match_ups.begin(match_ups, blocks);
    }

    /// All match-ups of a round are over: who lost is out, the others meet.
    fn end_round(&mut self, match_ups: &[MatchUp], blocks: &mut BlockPlan) {
        let of = self.bracket.len();
        let mut losers = Vec::new();
        for match_up in match_ups {
            let (winner, loser) = match_up.result();
            if match_up.stage == THIRD_PLACE {
                self.out[winner] = Some(Eliminated { of: 4, rank: 3 });
                self.out[loser] = Some(Eliminated { of: 4, rank: 4 });
            } else {
                let rank = of / 2 + 1;
                self.out[loser] = Some(Eliminated { of, rank });
                losers.push(loser);
            }
        }
        let is_in = |seed: &usize| self.out[*seed].is_none();
        self.bracket = self
            .bracket
            .chunks(2)
            .map(|two| two.iter().flatten().copied().find(is_in))
            .collect();
        if self.bracket.len() > 1 {
            self.begin_round(&losers, blocks);
        }
    }
}

impl FormatPlan for KnockoutPlan {
    fn begin(&mut self, blocks: &mut BlockPlan) {
        self.begin_round(&[], blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut BlockPlan) {
        if let Some(match_ups) = self.match_ups.heard(block, blocks) {
            self.end_round(&match_ups, blocks);
        }
    }

    fn left(&self) -> (u64, bool) {
        self.match_ups.left()
    }

    fn ranking(&self) -> Option<Ranking> {
        let bots = self.out.len();
        let by_entrant = self.match_ups.by_entrant(&self.out);
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
                Some(Eliminated { of: 4, rank: 3 }) if is_over && self.third_place => {
                    "third".into()
                }
                Some(Eliminated { of: 4, rank: 4 }) => "fourth".into(),
                Some(Eliminated { of, .. }) => stage(*of),
            };
            vec![text]
        };
        Some(Ranking::of(vec!["reached"], &keys, reached))
    }

    fn encounters(&self) -> Vec<Encounter<usize>> {
        self.match_ups.told()
    }
}
