//! What ladders tell of bots of known strengths, by simulation with fixed seeds; see `docs/reference/statistics.md`.
//!
//! `cargo run --release -p flipside-tournament --example ladders -- coverage 20 2000 1000` asks how many of the 95 %
//! intervals of differences hold the true one: in 1,000 ladders of 20 bots with 2,000 matches. `coverage-drawn` does so
//! where up to 37 % of the matches are drawn, `coverage-random` where the pairs are. `top 20 65536 100` asks after how
//! many matches the ten strongest stand at the top; `top-random` asks it of pairs that are drawn. `joins 200` has a bot
//! join at half time, `improves 200` has one become stronger. `cost 1000 20000` tells what the director and the ratings
//! of a table cost.

use flipside_ratings::{Estimate, Fit, RatingPeriods, Seating};
use flipside_referee::MatchResult;
use flipside_tournament::formats::Ladder;
use flipside_tournament::{Change, Director, Format, Next, Pairing, ScoredPairing, Settings};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::time::Instant;

/// Rating points to the natural logarithm of odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// How far strengths lie apart: their standard deviation in rating points.
const SPREAD: f64 = 200.0;
/// How many of the strongest are looked at.
const TOP: usize = 10;
/// How many bots there are where one of them changes, and how many matches.
const BOTS: usize = 20;
const MATCHES: usize = 4_000;

fn main() {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> usize {
        let typed = all.get(at).and_then(|typed| typed.parse().ok());
        typed.expect("a number; the head of this file says which")
    };
    match all.first().map_or("", String::as_str) {
        "coverage" => coverage(number(1), number(2), number(3) as u64, 0.0, false),
        "coverage-drawn" => coverage(number(1), number(2), number(3) as u64, 0.37, false),
        "coverage-random" => coverage(number(1), number(2), number(3) as u64, 0.0, true),
        "top" => top(number(1), number(2), number(3) as u64, false),
        "top-random" => top(number(1), number(2), number(3) as u64, true),
        "joins" => joins(number(1) as u64),
        "improves" => improves(number(1) as u64),
        "cost" => cost(number(1), number(2)),
        _ => panic!(
            "coverage, coverage-drawn, coverage-random, top, top-random, joins, improves or cost"
        ),
    }
}

fn ladder(bots: usize, matches: usize) -> Box<dyn Director> {
    let settings = Settings {
        game: "flipfour".into(),
        format: Format::Ladder(Ladder {
            matches: matches as u64,
        }),
        ..Settings::default()
    };
    settings.director(bots).expect("it can be seated")
}

/// Strengths in rating points: sums of twelve uniform numbers are near enough to normal ones.
fn strengths(bots: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    (0..bots).map(|_| SPREAD * normal()).collect()
}

/// A result between two, the first of whom is so much stronger. Of equals, this part is drawn.
fn result(apart: f64, drawn: f64, rng: &mut ChaCha8Rng) -> MatchResult {
    let expected = 1.0 / (1.0 + (-apart / SCALE).exp());
    let drawn = 4.0 * drawn * expected * (1.0 - expected);
    let luck = rng.random::<f64>();
    MatchResult::of_places(match () {
        () if luck < expected - drawn / 2.0 => [1, 2],
        () if luck < expected + drawn / 2.0 => [1, 1],
        () => [2, 1],
    })
}

/// Plays on until so many results are known, or to the end.
fn play(
    director: &mut dyn Director,
    results: &mut Vec<ScoredPairing>,
    until: usize,
    truth: &[f64],
    drawn: f64,
    rng: &mut ChaCha8Rng,
) {
    while results.len() < until
        && let Next::Match(pairing) = director.next()
    {
        let apart = truth[pairing.seats[0]] - truth[pairing.seats[1]];
        let result = result(apart, drawn, rng);
        director.take(pairing.index, &result);
        results.push(ScoredPairing { pairing, result });
    }
}

fn fit(bots: usize, results: &[ScoredPairing]) -> Fit {
    Fit::of(bots, &Seating::single(2), results)
}

fn holds(found: Estimate, truth: f64) -> bool {
    (found.points - truth).abs() <= 1.96 * found.deviation
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// The mean of numbers that do not depend on each other, with its standard error.
fn with_error(of: &[f64]) -> String {
    let squares: Vec<f64> = of.iter().map(|one| (one - mean(of)).powi(2)).collect();
    let error = (mean(&squares) / (of.len() as f64 - 1.0)).sqrt();
    format!("{:.2} ± {error:.2}", mean(of))
}

/// In what percentage of these pairs the interval of the difference holds the true one.
fn held(fit: &Fit, truth: &[f64], pairs: impl Iterator<Item = [usize; 2]>) -> f64 {
    let held =
        pairs.map(|[one, other]| holds(fit.difference(one, other), truth[one] - truth[other]));
    let held: Vec<f64> = held.map(|held| 100.0 * f64::from(u8::from(held))).collect();
    mean(&held)
}

fn pairs(bots: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..bots).flat_map(|one| (0..one).map(move |other| [one, other]))
}

fn coverage(bots: usize, matches: usize, tournaments: u64, drawn: f64, is_random: bool) {
    let (mut all, mut neighbours) = (Vec::new(), Vec::new());
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = strengths(bots, &mut rng);
        let mut results = Vec::new();
        match is_random {
            false => {
                let director = &mut *ladder(bots, matches);
                play(director, &mut results, usize::MAX, &truth, drawn, &mut rng);
            }
            true => play_random(&mut results, matches, &truth, &mut rng),
        }
        let fit = fit(bots, &results);
        all.push(held(&fit, &truth, pairs(bots)));
        let mut order: Vec<usize> = (0..bots).collect();
        order.sort_by(|&one, &other| fit.rating(other).points.total_cmp(&fit.rating(one).points));
        let two = order.windows(2).map(|two| [two[0], two[1]]);
        neighbours.push(held(&fit, &truth, two));
    }
    println!("| bots | matches | all pairs | neighbours in the table |\n|---|---|---|---|");
    println!(
        "| {bots} | {matches} | {} | {} |",
        with_error(&all),
        with_error(&neighbours)
    );
}

/// The quantiles of the normal distribution at (rank - 3/8) / (bots + 1/4) (Blom), the strongest first.
fn even(bots: usize) -> Vec<f64> {
    let quantile = |below: f64| {
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            let part = (1.0 + libm::erf(middle / std::f64::consts::SQRT_2)) / 2.0;
            *if part < below { &mut low } else { &mut high } = middle;
        }
        low
    };
    let part = |at: usize| (at as f64 + 0.625) / (bots as f64 + 0.25);
    (0..bots).map(|at| -SPREAD * quantile(part(at))).collect()
}

/// Whether the strongest stand first: in the right order, with one pair of neighbours in the wrong order, in any order.
fn is_right(by_rank: &[usize], fit: &Fit) -> [bool; 3] {
    let found = |bot: usize| fit.rating(bot).points;
    let mut order = by_rank.to_vec();
    order.sort_by(|&one, &other| found(other).total_cmp(&found(one)));
    let (best, rest) = by_rank.split_at(TOP);
    let behind = |at: usize| best[at + 1..].iter().chain(rest);
    let wrong = (0..TOP).map(|at| {
        behind(at)
            .filter(|&&other| found(best[at]) < found(other))
            .count()
    });
    let wrong: usize = wrong.sum();
    let is_best = order[..TOP].iter().all(|bot| best.contains(bot));
    [wrong == 0, wrong <= 1, is_best]
}

fn top(bots: usize, most: usize, tournaments: u64, is_random: bool) {
    assert!(bots > TOP, "there are more than ten");
    // Each look is after √2 times as many matches.
    let look = |half: i32| (64.0 * 2f64.powf(f64::from(half) / 2.0) / 2.0).round() as usize * 2;
    let looks: Vec<usize> = (0..).map(look).take_while(|&look| look <= most).collect();
    let mut reached: [Vec<f64>; 3] = Default::default();
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut by_rank: Vec<usize> = (0..bots).collect();
        (1..bots)
            .rev()
            .for_each(|at| by_rank.swap(at, rng.random_range(0..=at)));
        let mut truth = vec![0.0; bots];
        let strengths = even(bots);
        by_rank
            .iter()
            .zip(&strengths)
            .for_each(|(&bot, strength)| truth[bot] = *strength);
        let mut director = ladder(bots, most);
        let (mut results, mut right) = (Vec::new(), Vec::new());
        for &look in &looks {
            match is_random {
                false => play(&mut *director, &mut results, look, &truth, 0.0, &mut rng),
                true => play_random(&mut results, look, &truth, &mut rng),
            }
            right.push(is_right(&by_rank, &fit(bots, &results)));
        }
        for (what, reached) in reached.iter_mut().enumerate() {
            let stays = right
                .windows(2)
                .position(|two| two[0][what] && two[1][what]);
            reached.push(stays.map_or(f64::INFINITY, |at| looks[at] as f64));
        }
    }
    println!("| bots | right order | one pair wrong | right ten |\n|---|---|---|---|");
    let median = |mut reached: Vec<f64>| {
        reached.sort_by(f64::total_cmp);
        let two = [(reached.len() - 1) / 2, reached.len() / 2].map(|at| reached[at]);
        let times = reached.iter().filter(|at| at.is_finite()).count();
        format!("{:.0} ({times} times)", (two[0] * two[1]).sqrt())
    };
    println!("| {bots} | {} |", reached.map(median).join(" | "));
}

/// Blocks of pairs that are drawn.
fn play_random(
    results: &mut Vec<ScoredPairing>,
    until: usize,
    truth: &[f64],
    rng: &mut ChaCha8Rng,
) {
    while results.len() < until {
        let one = rng.random_range(0..truth.len());
        let other = (one + rng.random_range(1..truth.len())) % truth.len();
        for _ in 0..2 {
            let index = results.len() as u64;
            let pairing = Pairing {
                index,
                round: 0,
                block: index / 2,
                seats: vec![one, other],
            };
            let result = result(truth[one] - truth[other], 0.0, rng);
            results.push(ScoredPairing { pairing, result });
        }
    }
}

fn joins(tournaments: u64) {
    let newcomer = BOTS - 1;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = strengths(BOTS, &mut rng);
        let mut director = ladder(BOTS - 1, MATCHES);
        let mut results = Vec::new();
        play(
            &mut *director,
            &mut results,
            MATCHES / 2,
            &truth,
            0.0,
            &mut rng,
        );
        director.change(&Change::Join { entrant: newcomer });
        play(
            &mut *director,
            &mut results,
            usize::MAX,
            &truth,
            0.0,
            &mut rng,
        );
        let fit = fit(BOTS, &results);
        own.push(held(
            &fit,
            &truth,
            pairs(BOTS).filter(|two| two[0] == newcomer),
        ));
        others.push(held(
            &fit,
            &truth,
            pairs(BOTS).filter(|two| two[0] != newcomer),
        ));
    }
    println!("| the newcomer's differences | all others |\n|---|---|");
    println!("| {} | {} |", with_error(&own), with_error(&others));
}

fn improves(tournaments: u64) {
    const BY: f64 = 100.0;
    const LOOKS: usize = 8;
    let mut behind: Vec<[Vec<f64>; 3]> = vec![Default::default(); LOOKS + 1];
    for seed in 0..tournaments {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut truth = strengths(BOTS, &mut rng);
        let mut director = ladder(BOTS, MATCHES);
        let (mut results, mut told) = (Vec::new(), 0);
        let mut periods = RatingPeriods::new(BOTS);
        periods.begin_tournament(&Seating::single(2));
        for (look, behind) in behind.iter_mut().enumerate() {
            let until = MATCHES / 2 + look * MATCHES / 2 / LOOKS;
            play(&mut *director, &mut results, until, &truth, 0.0, &mut rng);
            for scored in &results[told..] {
                periods.take(scored).expect("the periods come in order");
            }
            told = results.len();
            if look == 0 {
                truth[0] += BY;
            }
            let fit = fit(BOTS, &results);
            let by_fit: Vec<f64> = (0..BOTS).map(|bot| fit.rating(bot).points).collect();
            let by_glicko: Vec<f64> = periods.ratings().iter().map(|one| one.rating).collect();
            let off = |found: &[f64]| truth[0] - mean(&truth) - (found[0] - mean(found));
            let own = |scored: &&ScoredPairing| scored.pairing.seats.contains(&0);
            let matches = results[MATCHES / 2..].iter().filter(own).count();
            let numbers = [matches as f64, off(&by_fit), off(&by_glicko)];
            behind
                .iter_mut()
                .zip(numbers)
                .for_each(|(all, number)| all.push(number));
        }
    }
    println!("| matches since | behind by all results | by Glicko-2 |\n|---|---|---|");
    for [matches, fit, glicko] in behind {
        println!(
            "| {:.0} | {} | {} |",
            mean(&matches),
            with_error(&fit),
            with_error(&glicko)
        );
    }
}

fn cost(bots: usize, matches: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let truth = strengths(bots, &mut rng);
    let began = Instant::now();
    let mut results = Vec::new();
    play(
        &mut *ladder(bots, matches),
        &mut results,
        usize::MAX,
        &truth,
        0.0,
        &mut rng,
    );
    let us = began.elapsed().as_secs_f64() * 1e6;
    println!(
        "{bots} bots: {:.1} µs a block of two matches",
        us / results.len() as f64 * 2.0
    );
    let began = Instant::now();
    let by_all = fit(bots, &results);
    println!(
        "{bots} bots, {} matches: their ratings take {:.2} s; the first is {:.0}",
        results.len(),
        began.elapsed().as_secs_f64(),
        by_all.rating(0).points
    );
}
