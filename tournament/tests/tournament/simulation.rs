//! Tournaments between players of known strengths, played by drawing their results.

#![allow(
    dead_code,
    reason = "the example and the test each use their part of it"
)]

use flipside_ratings::{Rating, RatingPeriods, Seating};
use flipside_referee::MatchResult;
use flipside_tournament::{Next, Pairing, RoundRobin, ScoredPairing, Settings};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// What a match tells of the order of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimulationReport {
    /// The place of each.
    Ranking,
    /// Who won; the others share the second place.
    Winner,
    /// Who won, or that both drew: as likely as fits the ratings, up to two matches in five.
    Draws,
    /// Which of two teams of alternate seats won; a team is as strong as its players are on average.
    Teams,
}

/// The kinds of matches, with their names.
pub(crate) const KINDS: [(&str, SimulationReport); 4] = [
    ("ranking", SimulationReport::Ranking),
    ("winner only", SimulationReport::Winner),
    ("draws too", SimulationReport::Draws),
    ("two teams, mixed", SimulationReport::Teams),
];

/// The rating points that make the odds ten to one, over the natural logarithm of ten.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// So many bots in a field.
pub(crate) const FIELD: usize = 12;

/// So many rounds are played.
pub(crate) const ROUNDS: u32 = 20;

/// How far strengths lie apart: their standard deviation in rating points.
pub(crate) const SPREAD: f64 = 200.0;

/// How often intervals held the truth, and how often they were asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) held: u64,
    pub(crate) asked: u64,
    /// The sum of the deviations.
    pub(crate) deviations: f64,
    /// The sum of the squared errors.
    pub(crate) squares: f64,
}

impl Coverage {
    pub(crate) fn percent(&self) -> f64 {
        100.0 * self.held as f64 / self.asked as f64
    }

    /// Asks the interval of each player. Strengths are taken from their mean.
    fn ask(&mut self, ratings: &[Rating], strengths: &[f64]) {
        let mut found: Vec<f64> = ratings.iter().map(|rating| rating.rating).collect();
        centre(&mut found);
        let part = (1.0 - 1.0 / ratings.len() as f64).sqrt();
        for ((rating, found), strength) in ratings.iter().zip(found).zip(strengths) {
            let (low, high) = rating.interval();
            self.asked += 1;
            self.held += u64::from((found - strength).abs() <= part * (high - low) / 2.0);
            self.deviations += part * rating.deviation;
            self.squares += (found - strength).powi(2);
        }
    }

    /// The end of a line of a table: how many intervals, how many hold, how wide and how far off they are.
    pub(crate) fn line(&self) -> String {
        let asked = self.asked as f64;
        format!(
            "{} | {:.1} % | {:.1} | {:.1} |",
            self.asked,
            self.percent(),
            self.deviations / asked,
            (self.squares / asked).sqrt()
        )
    }
}

/// A number from the normal distribution: the sum of twelve uniform ones is near enough here.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Plays so many tournaments, each with strengths of its own, and asks each player's interval.
///
/// Play within a field tells nothing of its level: a strength is taken from the field's mean, as
/// is a rating. An error of the mean falls out of the comparison by that, and so it is taken out of
/// the intervals too: of n independent ratings the variance from their mean is (n - 1) / n of theirs.
pub(crate) fn coverage(seats: u8, told: SimulationReport, tournaments: u64) -> Coverage {
    let mut coverage = Coverage::default();
    let side = |seat| match told {
        SimulationReport::Teams => seat % 2,
        _ => seat,
    };
    let sides: Vec<u8> = (0..seats).map(side).collect();
    let seating = Seating::copies(&sides, 1).expect("one bot in each seat");
    let schedule = RoundRobin::seated(FIELD, seating, ROUNDS).expect("a schedule");
    let stride = stride(&schedule);
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed << 8 | u64::from(seats) << 2 | told as u64);
        let strengths = drawn(FIELD, &mut rng);
        let mut ladder = RatingPeriods::new(FIELD);
        ladder.begin_tournament(&seating);
        for pairing in schedule.iter() {
            if pairing.block % stride == u64::from(pairing.round) % stride {
                let result = play(&pairing.seats, &strengths, told, &mut rng);
                take(&mut ladder, pairing, result);
            }
        }
        coverage.ask(&ladder.into_ratings(), &strengths);
    }
    coverage
}

/// A gauntlet of two teams, of every second seat each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulationGauntlet {
    pub(crate) seats: u8,
    pub(crate) bots: usize,
    pub(crate) challengers: u32,
    pub(crate) rounds: u32,
}

/// Plays so many gauntlets, each with strengths of its own, and asks each player's interval.
pub(crate) fn gauntlets(gauntlet: SimulationGauntlet, tournaments: u64) -> Coverage {
    let format = serde_json::json!({"gauntlet": {"challengers": gauntlet.challengers}});
    let settings = Settings {
        game: "puissance4-basic".into(),
        seats: gauntlet.seats,
        rounds: gauntlet.rounds,
        format: serde_json::from_value(format).expect("a format"),
        seed: 1,
        ..Settings::default()
    };
    let seating = settings.seating().expect("a seating");
    let mut coverage = Coverage::default();
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let strengths = drawn(gauntlet.bots, &mut rng);
        let mut ladder = RatingPeriods::new(gauntlet.bots);
        ladder.begin_tournament(&seating);
        let mut director = settings.director(gauntlet.bots).expect("a schedule");
        while let Next::Match(pairing) = director.next() {
            let result = play(
                &pairing.seats,
                &strengths,
                SimulationReport::Teams,
                &mut rng,
            );
            director.take(pairing.index, &result);
            take(&mut ladder, pairing, result);
        }
        coverage.ask(&ladder.into_ratings(), &strengths);
    }
    coverage
}

fn drawn(bots: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut strengths: Vec<f64> = (0..bots).map(|_| SPREAD * normal(rng)).collect();
    centre(&mut strengths);
    strengths
}

fn take(ladder: &mut RatingPeriods, pairing: Pairing, result: MatchResult) {
    let scored = ScoredPairing { pairing, result };
    ladder.take(&scored).expect("they are in order");
}

/// Of many seats there are many sets of bots: one block in so many is played, so that a round has
/// about as many matches as that of pairs.
fn stride(schedule: &RoundRobin) -> u64 {
    let pairs = (FIELD * (FIELD - 1)) as u64;
    (schedule.per_round() / pairs).max(1)
}

fn centre(numbers: &mut [f64]) {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    numbers.iter_mut().for_each(|number| *number -= mean);
}

/// Draws a result: each player performs by its strength and luck (Gumbel's distribution, which
/// makes it Plackett and Luce's model: of any two the odds are those of the ratings).
fn play(
    players: &[usize],
    strengths: &[f64],
    told: SimulationReport,
    rng: &mut ChaCha8Rng,
) -> MatchResult {
    let mut luck = || -(-(rng.random::<f64>().max(f64::MIN_POSITIVE)).ln()).ln();
    let performed: Vec<f64> = match told {
        SimulationReport::Teams => {
            let sides: [f64; 2] = [0, 1].map(|side| {
                let team = players.iter().skip(side).step_by(2);
                let sum: f64 = team.map(|&player| strengths[player] / SCALE).sum();
                sum / (players.len() / 2) as f64 + luck()
            });
            (0..players.len()).map(|seat| sides[seat % 2]).collect()
        }
        _ => players
            .iter()
            .map(|&player| strengths[player] / SCALE + luck())
            .collect(),
    };
    let drawn = told == SimulationReport::Draws && {
        // Of two equals two matches in five are drawn. A draw takes as much from either side, so
        // that the expected score stays that of the ratings.
        let apart = (strengths[players[0]] - strengths[players[1]]) / SCALE;
        let expected = 1.0 / (1.0 + (-apart).exp());
        let won = performed[0] > performed[1];
        let own = if won { expected } else { 1.0 - expected };
        rng.random_bool(0.4 * expected.min(1.0 - expected) / own)
    };
    let place = |own: f64| {
        let ahead = performed.iter().filter(|&&other| other > own).count();
        match told {
            _ if drawn => 1,
            SimulationReport::Winner if ahead > 0 => 2,
            _ => 1 + ahead as u8,
        }
    };
    MatchResult::of_places(performed.iter().map(|&own| place(own)))
}
