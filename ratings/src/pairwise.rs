//! What a result says of the bots in it: who came before whom. A bot that sat in several seats is
//! taken as one, by the mean of its places. Partners are no rivals: what they share says nothing of who of
//! them is better.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use crate::numbers::gcd;
use crate::outcome::Outcome;
use crate::seating::Seating;

/// A bot in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotPlace {
    /// The number of the entrant.
    pub entrant: usize,
    /// The sum of its places; every bot of a match has as many seats.
    pub places: u32,
    /// The side that it plays for: of a bot on several, that of its first seat.
    pub side: u8,
    /// Whether it did not come, being paused or having left, or its side lost for that without playing.
    pub is_away: bool,
}

impl BotPlace {
    /// What it scores against a rival: two half points for a better place, one for the same. Who did not come scores
    /// nothing, so that two who did not come share nothing.
    pub fn scored(&self, rival: &BotPlace) -> u32 {
        match (self.is_away, rival.is_away) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => half_points(self.places, rival.places),
        }
    }

    /// Its points in a match of these bots, from 0 to 1: the share of its rivals that it left behind, one that is level
    /// counted half. Against one rival, that is one for a win and half of one for a draw.
    pub fn points(&self, all: &[BotPlace]) -> f64 {
        let scored = rivals(self, all).map(|rival| self.scored(rival));
        let (half_points, rivals) =
            scored.fold((0, 0_u32), |(sum, count), scored| (sum + scored, count + 1));
        f64::from(half_points) / 2.0 / f64::from(rivals.max(1))
    }
}

/// The bots of a match, in order of their first seats.
pub fn placed(outcome: &impl Outcome, seating: &Seating) -> Vec<BotPlace> {
    let mut all: Vec<BotPlace> = Vec::with_capacity(outcome.entrants().len());
    for (number, &entrant) in outcome.entrants().iter().enumerate() {
        let seat = outcome.seat(number);
        let places = u32::from(seat.place);
        match all.iter_mut().find(|placed| placed.entrant == entrant) {
            Some(placed) => placed.places += places,
            None => all.push(BotPlace {
                entrant,
                places,
                side: seating.side(number),
                is_away: seat.is_away,
            }),
        }
    }
    all
}

/// The bots of a match that one of them plays against.
pub fn rivals<'a>(of: &BotPlace, all: &'a [BotPlace]) -> impl Iterator<Item = &'a BotPlace> {
    let side = of.side;
    all.iter().filter(move |rival| rival.side != side)
}

/// What a place scores against another in a match: two half points for a better one, one for the same.
pub fn half_points<P: Ord + Copy>(own: P, rival: P) -> u32 {
    match own.cmp(&rival) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

/// The best sum of places in a match, and whether several sides share it.
pub fn best(all: &[BotPlace]) -> (u32, bool) {
    let best = all.iter().map(|bot| bot.places).min().unwrap_or(0);
    let mut first = all.iter().filter(|bot| bot.places == best);
    let side = first.next().map(|bot| bot.side);
    (best, first.any(|bot| Some(bot.side) != side))
}

/// How often the first place was won, shared and missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Outcomes {
    /// Matches in which the bot, or its side, came first alone.
    pub wins: u64,
    /// Those in which it shared the first place with rivals.
    pub draws: u64,
    /// The others.
    pub losses: u64,
}

impl Outcomes {
    /// Counts a match by whether it came first, and whether the first place was shared.
    pub fn add(&mut self, is_first: bool, is_shared: bool) {
        match (is_first, is_shared) {
            (true, false) => self.wins += 1,
            (true, true) => self.draws += 1,
            (false, _) => self.losses += 1,
        }
    }

    /// How many matches there are.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the first places, a shared one counted half, in percent; none without a game.
    pub fn percent(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| 100.0 * (self.wins as f64 + self.draws as f64 / 2.0) / games as f64)
    }
}

/// The part of a game that one comparison of a match is worth, as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight {
    numerator: u32,
    denominator: u32,
}

impl Weight {
    /// A whole game.
    pub const ONE: Weight = Weight {
        numerator: 1,
        denominator: 1,
    };

    /// The fraction as a number.
    pub fn value(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    fn of(numerator: u32, denominator: u32) -> Self {
        let divisor = gcd(numerator.into(), denominator.into()) as u32;
        Weight {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        }
    }

    /// The weight of each comparison in a match that ended so.
    ///
    /// The comparisons of a match hang together: who beat one rival has likely beaten the next. For
    /// equals, the sum of a bot's comparisons varies as `H / w` where independent ones would vary
    /// as `H`; with the weight `w` the sums tell as much as they seem to. It follows from the sizes
    /// of the groups that share a place: of `n` bots, in a group of `m` with `above` before it and
    /// `below` behind it, `w = Σ m (n - m) / Σ m (below - above)²`. A complete ranking gives
    /// 3 / (n + 1), a winner alone 2 / n. A match that all draw counts as one drawn game.
    pub fn of_match(placed: &[BotPlace]) -> Self {
        let count = placed.len() as u32;
        let mut places: Vec<u32> = placed.iter().map(|placed| placed.places).collect();
        places.sort_unstable();
        let (mut above, mut compared, mut varied) = (0, 0, 0);
        for group in places.chunk_by(|one, next| one == next) {
            let size = group.len() as u32;
            let below = count - above - size;
            compared += size * (count - size);
            varied += size * below.abs_diff(above).pow(2);
            above += size;
        }
        match varied {
            0 => Weight::of(1, count.saturating_sub(1).max(1)),
            varied => Weight::of(compared, varied),
        }
    }
}

/// What one party made of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// The other party came before it.
    Loss,
    /// All parties of the match share a place.
    Draw,
    /// It came before the other party.
    Win,
}

/// What a result says of who is better.
pub struct MatchComparison {
    /// The bots, in order of their first seats.
    pub all: Vec<BotPlace>,
    /// The first of each side that has come, which has its place.
    pub parties: Vec<BotPlace>,
    /// Every comparison, as either of two parties sees it.
    pub scores: Vec<(usize, usize, Score)>,
    /// The part of a game that each is worth.
    pub weight: Weight,
}

/// Compares every two sides of a match that have come to it. One that was not played has nothing to compare.
pub fn compared(result: &impl Outcome, seating: &Seating) -> MatchComparison {
    let all = placed(result, seating);
    let mut parties: Vec<BotPlace> = Vec::with_capacity(all.len());
    // A match tells nothing of who did not come to it.
    let is_played = !result.is_unplayed();
    for bot in all.iter().filter(|bot| is_played && !bot.is_away) {
        if parties.iter().all(|party| party.side != bot.side) {
            parties.push(*bot);
        }
    }
    let level = parties.windows(2).all(|two| two[0].places == two[1].places);
    let mut scores = Vec::new();
    for (own, party) in parties.iter().enumerate() {
        for (rival, other) in parties.iter().enumerate().filter(|&(at, _)| at != own) {
            let score = match party.places.cmp(&other.places) {
                Ordering::Less => Score::Win,
                Ordering::Greater => Score::Loss,
                Ordering::Equal if level => Score::Draw,
                // Who shares a place with others behind a winner has not drawn with them: the
                // match has not told which of them is better.
                Ordering::Equal => continue,
            };
            scores.push((own, rival, score));
        }
    }
    MatchComparison {
        weight: Weight::of_match(&parties),
        all,
        parties,
        scores,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{in_teams, ranked};

    fn weight(places: &[u32]) -> (u32, u32) {
        let placed: Vec<BotPlace> = places
            .iter()
            .enumerate()
            .map(|(entrant, &places)| BotPlace {
                entrant,
                places,
                side: entrant as u8,
                is_away: false,
            })
            .collect();
        let Weight {
            numerator,
            denominator,
        } = Weight::of_match(&placed);
        (numerator, denominator)
    }

    #[test]
    fn the_weight_of_a_comparison_follows_from_how_the_match_ended() {
        assert_eq!(weight(&[1, 2]), (1, 1));
        assert_eq!(weight(&[1, 1]), (1, 1));
        assert_eq!(weight(&[2, 1, 3]), (3, 4), "a complete ranking of three");
        assert_eq!(weight(&[4, 2, 1, 3]), (3, 5), "of four");
        assert_eq!(weight(&[6, 2, 5, 3, 1, 4]), (3, 7), "of six");
        assert_eq!(weight(&[2, 1, 2]), (2, 3), "one winner of three");
        assert_eq!(weight(&[2, 2, 2, 2, 1, 2]), (1, 3), "one winner of six");
        assert_eq!(weight(&[1, 3, 1, 3]), (1, 2), "two teams of two");
        assert_eq!(weight(&[1, 1, 1, 1]), (1, 3), "all level");
    }

    /// The rule itself: over all orders of equals the weighted sum has the variance that its
    /// information promises.
    #[test]
    fn weighted_sums_of_equals_vary_as_much_as_they_tell() {
        for places in [
            vec![1, 2, 3],
            vec![1, 2, 2, 4],
            vec![1, 1, 3, 4, 5],
            vec![1, 2, 2, 2, 2, 2],
        ] {
            let (numerator, denominator) = weight(&places);
            let w = f64::from(numerator) / f64::from(denominator);
            let (mut information, mut variance) = (0.0, 0.0);
            for &own in &places {
                let decided = places.iter().filter(|&&other| other != own).count() as f64;
                let ahead = places.iter().filter(|&&other| other > own).count() as f64;
                information += w * decided / 4.0;
                variance += (w * (ahead - decided / 2.0)).powi(2);
            }
            assert!(
                (information - variance).abs() < 1e-12,
                "{places:?}: {information} {variance}"
            );
        }
    }

    #[test]
    fn a_bot_in_several_seats_is_one_bot() {
        let result = ranked(0, &[(3, 1), (0, 4), (3, 3), (0, 2)]);
        let all = placed(&result, &Seating::single(4));
        let sums: Vec<_> = all
            .iter()
            .map(|placed| (placed.entrant, placed.places))
            .collect();
        assert_eq!(sums, [(3, 4), (0, 6)]);
        assert_eq!(rivals(&all[0], &all).count(), 1);
        assert_eq!(best(&all), (4, false));
    }

    #[test]
    fn partners_are_no_rivals_and_win_together() {
        let teams = in_teams(4);
        assert_eq!(teams.rivals(), 2);
        let result = ranked(0, &[(5, 1), (6, 3), (7, 1), (8, 3)]);
        let all = placed(&result, &teams);
        let against = |bot: &BotPlace| rivals(bot, &all).map(|rival| rival.entrant).collect();
        let against: Vec<Vec<usize>> = all.iter().map(against).collect();
        assert_eq!(against, [[6, 8], [5, 7], [6, 8], [5, 7]]);
        assert_eq!(best(&all), (1, false));
        let drawn = ranked(0, &[(5, 1), (6, 1), (7, 1), (8, 1)]);
        assert_eq!(best(&placed(&drawn, &teams)), (1, true));
        // Each for itself, and in teams of copies, all others are rivals.
        assert_eq!(Seating::single(4).rivals(), 3);
        assert_eq!(Seating::copies(&[0, 1, 0, 1], 2).unwrap().rivals(), 1);
        assert_eq!(Seating::copies(&[0, 1, 2, 3], 2).unwrap().rivals(), 1);
    }
}
