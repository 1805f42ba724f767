//! Measures two sample bots against each other, in process and without clocks:
//! `cargo run --release -p flipside-sample-bots --example arena -- flipfour mcts greedy 200`
//! plays 200 blocks; `--seats 4` after it takes four seats, every other one for the same bot.
//!
//! A block is two matches from one seed, the bots' seats changed. The bots are equal in it if
//! each does as well in the one as the other did in the other, so luck that both share counts
//! for nothing.

#[path = "../tests/referee/mod.rs"]
mod referee;

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use flipside_games::AnyGame;
use flipside_sample_bots::{Session, sample};
use referee::{RefereePeer, play};

/// Numbers of blocks after which the state of things is told.
const REPORTS: u64 = 25;

/// A bot with a watch on it, in one seat.
struct Timed {
    session: Session,
    turns: u32,
    spent: Duration,
    longest: Duration,
}

impl RefereePeer for Timed {
    fn exchange(&mut self, line: &str, due: bool) -> String {
        let start = Instant::now();
        let answer = self.session.exchange(line, due);
        if line.starts_with(r#"{"type":"turn""#) {
            self.turns += 1;
            self.spent += start.elapsed();
            self.longest = self.longest.max(start.elapsed());
        }
        answer
    }
}

/// A bot by name; `mcts:playouts=500` is one with so many playouts.
fn bot(name: &str) -> Timed {
    let bot = sample(name).unwrap_or_else(|error| panic!("{error}"));
    Timed {
        session: Session::new(bot),
        turns: 0,
        spent: Duration::ZERO,
        longest: Duration::ZERO,
    }
}

/// What the first bot has won: of each pair of seats that are not the same bot's, a point for
/// the better one and half a point for both if they are level.
#[derive(Default)]
struct ArenaTally {
    matches: [u64; 3],
    /// The first bot's share of the points in each block, from -1 to 1.
    blocks: Vec<f64>,
    plies: usize,
}

impl ArenaTally {
    /// Plays a block.
    fn block(&mut self, game: &dyn AnyGame, bots: &mut [Vec<Timed>; 2], seed: u64) {
        let mut total = 0.0;
        for first in [0, 1] {
            let [one, other] = bots;
            let seats = one.len();
            let mut peers: Vec<&mut dyn RefereePeer> = Vec::new();
            for (seat, (one, other)) in one.iter_mut().zip(other).enumerate() {
                peers.push(if seat % 2 == first { one } else { other });
            }
            let played = play(game, &mut peers, seed);
            self.plies += played.actions.len();
            let (mut lead, mut pairs) = (0_i32, 0_i32);
            for own in (0..seats).filter(|seat| seat % 2 == first) {
                for rival in (0..seats).filter(|seat| seat % 2 != first) {
                    pairs += 1;
                    lead += match played.points[own].cmp(&played.points[rival]) {
                        Ordering::Greater => 1,
                        Ordering::Equal => 0,
                        Ordering::Less => -1,
                    };
                }
            }
            self.matches[(1 - lead.signum()) as usize] += 1;
            total += f64::from(lead) / f64::from(pairs);
        }
        self.blocks.push(total / 2.0);
    }

    /// How likely it is that the first bot is the stronger one: the normal approximation over
    /// blocks, with one block won and one lost in addition, so that some variance is left where
    /// one bot wins all.
    fn likelihood_of_superiority(&self) -> f64 {
        let scores: Vec<f64> = self.blocks.iter().copied().chain([1.0, -1.0]).collect();
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count;
        let variance = scores
            .iter()
            .map(|score| (score - mean).powi(2))
            .sum::<f64>()
            / (count - 1.0);
        normal_below(mean / (variance / count).sqrt())
    }
}

/// The part of the normal distribution below `z`, by Simpson's rule from 0.
fn normal_below(z: f64) -> f64 {
    const STEPS: u32 = 2000;
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let width = z / f64::from(STEPS);
    let inner: f64 = (1..STEPS)
        .map(|at| density(width * f64::from(at)) * if at % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    0.5 + width / 3.0 * (density(0.0) + inner + density(z))
}

fn main() {
    let mut arguments: Vec<_> = std::env::args().skip(1).collect();
    let mut seats = None;
    if let Some(at) = arguments.iter().position(|argument| argument == "--seats") {
        seats = Some(arguments[at + 1].parse().expect("a number"));
        arguments.drain(at..at + 2);
    }
    let [game, first, second, blocks] = &arguments[..] else {
        panic!("usage: arena GAME BOT BOT BLOCKS [--seats N]")
    };
    let game = flipside_games::find(game).expect("a game");
    let seats: u8 = seats.unwrap_or(game.info().least_seats());
    let blocks: u64 = blocks.parse().expect("a number");
    let mut bots = [first, second].map(|name| (0..seats).map(|_| bot(name)).collect::<Vec<_>>());
    let mut tally = ArenaTally::default();
    for seed in 0..blocks {
        tally.block(game, &mut bots, seed);
        if (seed + 1) % REPORTS == 0 || seed + 1 == blocks {
            let [wins, draws, losses] = tally.matches;
            eprintln!(
                "{} of {blocks} blocks: {wins} wins, {draws} draws, {losses} losses, superiority {:.3} %",
                seed + 1,
                100.0 * tally.likelihood_of_superiority()
            );
        }
    }
    let [wins, draws, losses] = tally.matches;
    let plies = tally.plies as u64 / (2 * blocks).max(1);
    println!(
        "| `{}` | {seats} | `{first}` - `{second}` | {wins} | {draws} | {losses} | {:.3} % | {plies} |",
        game.info().id,
        100.0 * tally.likelihood_of_superiority(),
    );
    for (name, bots) in [first, second].into_iter().zip(&bots) {
        let turns: u32 = bots.iter().map(|bot| bot.turns).sum();
        let spent: Duration = bots.iter().map(|bot| bot.spent).sum();
        let longest = bots.iter().map(|bot| bot.longest).max();
        println!(
            "  {name}: {:.3?} a move, at most {:.3?}",
            spent / turns.max(1),
            longest.unwrap_or_default()
        );
    }
}
