//! Results between players of known strengths, drawn: to see whether intervals hold the truth as often as they
//! say, and sequential tests err no more often than they may.

#![allow(
    dead_code,
    reason = "the example and the test each use their part of it"
)]

use flipside_ratings::{BlockScores, Model, Seating, Sprt, SprtDecision, Statistics};
use flipside_referee::MatchResult;
use flipside_tournament::{Director, Format, Next, Pairing, ScoredPairing, Settings};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// So many bots in a field, if nothing else is said.
pub(crate) const FIELD: usize = 7;

/// How far strengths lie apart, if nothing else is said: their standard deviation in rating points.
pub(crate) const SPREAD: f64 = 200.0;

/// Who plays whom, and how strong they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownField {
    pub(crate) bots: usize,
    pub(crate) spread: f64,
    pub(crate) seats: u8,
    pub(crate) format: Format,
    pub(crate) rounds: u32,
}

impl KnownField {
    /// The usual field in a round robin.
    pub(crate) fn usual(seats: u8, rounds: u32) -> Self {
        KnownField {
            bots: FIELD,
            spread: SPREAD,
            seats,
            format: Format::RoundRobin,
            rounds,
        }
    }

    /// How many of the first bots are asked for their scores: in a gauntlet the others have next to no matches.
    pub(crate) fn asked(&self) -> usize {
        match self.format {
            Format::Gauntlet(gauntlet) => gauntlet.challengers as usize,
            _ => self.bots,
        }
    }

    fn director(&self) -> Box<dyn Director> {
        let settings = Settings {
            game: "drawn".into(),
            seats: self.seats,
            format: self.format,
            rounds: self.rounds,
            seed: 1,
            ..Settings::default()
        };
        settings.director(self.bots).expect("it can be seated")
    }
}

/// The rating points that make the odds ten to one, over the natural logarithm of ten.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// What the matches of a field are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownKind {
    /// Each match has luck of its own, and tells the place of each.
    Ranking,
    /// The same, but only the winner is told.
    Winner,
    /// In each block each seat has a bonus of so many points or the opposite: an opening that is not even.
    Openings(u16),
    /// In each block each bot has such a bonus: an opening that suits it.
    Suits(u16),
}

/// The kinds, with their names.
pub(crate) const KINDS: [(&str, KnownKind); 4] = [
    ("ranking", KnownKind::Ranking),
    ("winner only", KnownKind::Winner),
    ("uneven openings", KnownKind::Openings(200)),
    ("openings that suit a bot", KnownKind::Suits(150)),
];

/// How often intervals held the truth, and how often they were asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldCount {
    pub(crate) held: u64,
    pub(crate) asked: u64,
}

impl HeldCount {
    pub(crate) fn percent(&self) -> f64 {
        100.0 * self.held as f64 / self.asked as f64
    }

    fn ask(&mut self, truth: f64, low: f64, high: f64) {
        /// Where a score is 0 or 1 the last bit must not decide.
        const ROUNDING: f64 = 1e-9;
        self.asked += 1;
        self.held += u64::from(low - ROUNDING <= truth && truth <= high + ROUNDING);
    }
}

/// How often four kinds of intervals held.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownCoverage {
    /// Of a bot's score against the field.
    pub(crate) scores: HeldCount,
    /// Of its score against each.
    pub(crate) pairs: HeldCount,
    /// Of the difference to each in Elo.
    pub(crate) elo: HeldCount,
    /// Of a seat's score.
    pub(crate) seats: HeldCount,
}

/// A number from the normal distribution: the sum of twelve uniform ones is near enough here.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn odds(apart: f64) -> f64 {
    1.0 / (1.0 + (-apart / SCALE).exp())
}

fn elo_of(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Plays so many tournaments, each with strengths of its own, and asks each interval.
pub(crate) fn coverage(field: &KnownField, kind: KnownKind, tournaments: u64) -> KnownCoverage {
    let names: Vec<String> = (0..field.bots).map(|bot| bot.to_string()).collect();
    let order: Vec<usize> = (0..field.bots).collect();
    let mut coverage = KnownCoverage::default();
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed << 8 | u64::from(field.seats));
        let strengths: Vec<f64> = (0..field.bots)
            .map(|_| field.spread * normal(&mut rng))
            .collect();
        let mut statistics = Statistics::new(field.bots, &Seating::single(field.seats));
        let mut truth = Truth::new(field.bots);
        let (mut block, mut bonus) = (None, Vec::new());
        let mut director = field.director();
        let mut last = None;
        loop {
            let pairing = match director.next() {
                Next::Match(pairing) => pairing,
                Next::Over => break,
                Next::Wait => unreachable!("every result was told"),
            };
            if block != Some(pairing.block) {
                block = Some(pairing.block);
                bonus = bonuses(kind, field.bots, &mut rng);
                truth.add(&pairing, &strengths, kind);
            }
            let result = play(&pairing, &strengths, kind, &bonus, &mut rng);
            statistics.take(&result);
            director.take(pairing.index, &result.result);
            last = Some(result);
        }
        // The next block ends the last one.
        let mut ended = statistics.clone();
        let mut next = last.expect("a match");
        next.pairing.block = u64::MAX;
        ended.take(&next);
        for own in 0..field.bots {
            for rival in (0..field.bots).filter(|&rival| rival != own) {
                let blocks: BlockScores = ended.between(own, rival);
                let (Some(score), Some(elo)) = (blocks.score(), blocks.elo()) else {
                    continue;
                };
                let expected = truth.pair(own, rival);
                coverage.pairs.ask(expected, score.low, score.high);
                let apart = match kind {
                    KnownKind::Ranking => strengths[own] - strengths[rival],
                    _ => elo_of(expected),
                };
                // Where an end is infinite everything lies before it.
                coverage.elo.ask(apart, elo.low, elo.high);
            }
        }
        let report = statistics.report(&names, &order);
        for (own, bot) in report.bots.iter().enumerate().take(field.asked()) {
            if let Some(score) = bot.score {
                coverage.scores.ask(truth.score(own), score.low, score.high);
            }
        }
        for seat in &report.seats {
            let score = seat.score.expect("played");
            coverage.seats.ask(0.5, score.low, score.high);
        }
    }
    coverage
}

/// By bot or by seat, of which there are no more than bots.
fn bonuses(kind: KnownKind, bots: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut bonus = || match kind {
        KnownKind::Ranking | KnownKind::Winner => 0.0,
        KnownKind::Openings(points) | KnownKind::Suits(points) => {
            let points = f64::from(points);
            if rng.random() { points } else { -points }
        }
    };
    (0..bots).map(|_| bonus()).collect()
}

/// Draws a result: each player performs by its strength, its bonus and luck (Gumbel's distribution, which
/// makes it Plackett and Luce's model: of any two the odds are those of the strengths).
fn play(
    pairing: &Pairing,
    strengths: &[f64],
    kind: KnownKind,
    bonus: &[f64],
    rng: &mut ChaCha8Rng,
) -> ScoredPairing {
    let performed: Vec<f64> = pairing
        .seats
        .iter()
        .enumerate()
        .map(|(seat, &bot)| {
            let bonus = match kind {
                KnownKind::Suits(_) => bonus[bot],
                _ => bonus[seat],
            };
            let luck = -(-(rng.random::<f64>().max(f64::MIN_POSITIVE)).ln()).ln();
            (strengths[bot] + bonus) / SCALE + luck
        })
        .collect();
    let places = performed.iter().map(|own| {
        let ahead = performed.iter().filter(|&other| other > own).count();
        match kind {
            KnownKind::Winner if ahead > 0 => 2,
            _ => 1 + ahead as u8,
        }
    });
    ScoredPairing {
        pairing: pairing.clone(),
        result: MatchResult::of_places(places),
    }
}

/// The expected scores in the blocks that were played.
struct Truth {
    bots: usize,
    /// For every two bots the sum of the expected scores of their blocks, and how many there are.
    pairs: Vec<(f64, f64)>,
    /// The same for each bot against all others of a block.
    scores: Vec<(f64, f64)>,
}

impl Truth {
    fn new(bots: usize) -> Self {
        Truth {
            bots,
            pairs: vec![(0.0, 0.0); bots * bots],
            scores: vec![(0.0, 0.0); bots],
        }
    }

    /// Counts a block between the bots of this match.
    fn add(&mut self, pairing: &Pairing, strengths: &[f64], kind: KnownKind) {
        let power = |bot: usize| (strengths[bot] / SCALE).exp();
        let all: f64 = pairing.seats.iter().map(|&bot| power(bot)).sum();
        for &own in &pairing.seats {
            let mut score = 0.0;
            for &rival in pairing.seats.iter().filter(|&&rival| rival != own) {
                let apart = strengths[own] - strengths[rival];
                let expected = match kind {
                    KnownKind::Ranking => odds(apart),
                    KnownKind::Winner => 0.5 + (power(own) - power(rival)) / all / 2.0,
                    KnownKind::Openings(points) | KnownKind::Suits(points) => {
                        let both = 2.0 * f64::from(points);
                        (odds(apart - both) + 2.0 * odds(apart) + odds(apart + both)) / 4.0
                    }
                };
                let sum = &mut self.pairs[own * self.bots + rival];
                *sum = (sum.0 + expected, sum.1 + 1.0);
                score += expected / (pairing.seats.len() - 1) as f64;
            }
            let sum = &mut self.scores[own];
            *sum = (sum.0 + score, sum.1 + 1.0);
        }
    }

    fn pair(&self, own: usize, rival: usize) -> f64 {
        let (sum, times) = self.pairs[own * self.bots + rival];
        sum / times
    }

    fn score(&self, own: usize) -> f64 {
        let (sum, times) = self.scores[own];
        sum / times
    }
}

/// What pairs of matches between two bots are like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownPairs {
    pub(crate) name: &'static str,
    /// The part of the matches that two equals draw.
    drawn: f64,
    /// How many points the seat that begins is favoured by, or the other one as often.
    opening: f64,
    /// How many points an opening suits the one bot, or the other one as often.
    suits: f64,
}

/// Pairs of independent matches, and correlated ones either way.
pub(crate) const PAIRS: [KnownPairs; 5] = [
    KnownPairs {
        name: "independent",
        drawn: 0.0,
        opening: 0.0,
        suits: 0.0,
    },
    KnownPairs {
        name: "half drawn",
        drawn: 0.5,
        opening: 0.0,
        suits: 0.0,
    },
    KnownPairs {
        name: "nine in ten drawn",
        drawn: 0.9,
        opening: 0.0,
        suits: 0.0,
    },
    KnownPairs {
        name: "uneven openings",
        drawn: 0.2,
        opening: 300.0,
        suits: 0.0,
    },
    KnownPairs {
        name: "openings that suit a bot",
        drawn: 0.2,
        opening: 0.0,
        suits: 300.0,
    },
];

impl KnownPairs {
    /// How likely each score of a pair is for a bot that is so many points stronger.
    fn distribution(&self, apart: f64) -> [f64; 5] {
        let mut distribution = [0.0; 5];
        for suits in [-self.suits, self.suits] {
            for opening in [-self.opening, self.opening] {
                let [one, other] = [opening, -opening].map(|bonus| {
                    let expected = odds(apart + suits + bonus);
                    let drawn = 2.0 * self.drawn * expected.min(1.0 - expected);
                    [1.0 - expected - drawn / 2.0, drawn, expected - drawn / 2.0]
                });
                for (at, one) in one.iter().enumerate() {
                    for (more, other) in other.iter().enumerate() {
                        distribution[at + more] += one * other / 4.0;
                    }
                }
            }
        }
        distribution
    }

    /// The distribution of pairs between bots that are exactly so much apart in a model.
    fn at(&self, elo: f64, model: Model) -> [f64; 5] {
        let measured = |apart: f64| {
            let distribution = self.distribution(apart);
            let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
                (0..5)
                    .map(|at| distribution[at] * of(at as f64 / 4.0))
                    .sum()
            };
            let mean = sum(&|score| score);
            match model {
                Model::Logistic => elo_of(mean),
                Model::Normalized => {
                    let variance = sum(&|score| (score - mean).powi(2));
                    800.0 / std::f64::consts::LN_10 * (mean - 0.5) / (2.0 * variance).sqrt()
                }
            }
        };
        let (mut low, mut high) = (-2_000.0, 2_000.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if measured(middle) < elo {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.distribution(low)
    }
}

/// What came of many sequential tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownTested {
    /// In how many parts of a hundred the wrong one was accepted.
    pub(crate) wrong: f64,
    /// How many blocks they took on average.
    pub(crate) blocks: f64,
}

/// Runs so many tests of bots whose true difference is the test's `elo0`, or its `elo1`.
pub(crate) fn tested(
    sprt: &Sprt,
    pairs: &KnownPairs,
    truth: SprtDecision,
    tests: u64,
) -> KnownTested {
    let elo = match truth {
        SprtDecision::Elo0 => sprt.elo0(),
        SprtDecision::Elo1 => sprt.elo1(),
    };
    let distribution = pairs.at(elo, sprt.model());
    let mut rng = ChaCha8Rng::seed_from_u64(elo.to_bits() ^ tests);
    let (mut wrong, mut played) = (0u64, 0u64);
    for _ in 0..tests {
        let mut blocks = BlockScores::new(2);
        let decision = loop {
            let mut left = rng.random::<f64>();
            let score = distribution.iter().position(|&part| {
                left -= part;
                left < 0.0
            });
            blocks.add(score.unwrap_or(4));
            if let Some(decision) = sprt.decision(sprt.llr(&blocks)) {
                break decision;
            }
        };
        wrong += u64::from(decision != truth);
        played += blocks.total();
    }
    KnownTested {
        wrong: 100.0 * wrong as f64 / tests as f64,
        blocks: played as f64 / tests as f64,
    }
}
