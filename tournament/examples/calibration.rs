//! Whether the statistics mean what they say, by simulation with known strengths:
//! `cargo run --release -p flipside-tournament --example calibration -- 400 10000`
//! takes 400 tournaments and 10000 sequential tests for each line. The tables are in `docs/statistics.md`.

#[path = "../tests/known/mod.rs"]
mod known;

use flipside_tournament::statistics::{Decision, Model, Sprt};
use known::{FIELD, KINDS, PAIRS, SPREAD, coverage, tested};

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|typed| typed.parse::<u64>().expect("a number"));
    let (tournaments, tests) = (
        numbers.next().unwrap_or(400),
        numbers.next().unwrap_or(10_000),
    );
    println!("{FIELD} bots, strengths {SPREAD} apart (standard deviation)\n");
    println!("| seats | rounds | matches | score | score against one | Elo | seat |");
    println!("|---|---|---|---|---|---|---|");
    for seats in [2, 3, 4, 5, 6] {
        for rounds in [3, 10, 50] {
            for (name, kind) in KINDS {
                if seats == 2 && name == "winner only" {
                    continue;
                }
                let found = coverage(seats, kind, rounds, tournaments);
                let cells = [found.scores, found.pairs, found.elo, found.seats];
                let cells = cells.map(|held| format!("{:.1} %", held.percent()));
                println!("| {seats} | {rounds} | {name} | {} |", cells.join(" | "));
            }
        }
    }
    println!("\n{tests} tests each, alpha = beta = 5 %\n");
    println!(
        "| model | elo0, elo1 | pairs | elo1 accepted in error | blocks | elo0 accepted in error | blocks |"
    );
    println!("|---|---|---|---|---|---|---|");
    for model in [Model::Logistic, Model::Normalized] {
        for (elo0, elo1) in [(0.0, 20.0), (0.0, 50.0), (-15.0, 15.0), (0.0, 150.0)] {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("a test");
            for pairs in &PAIRS {
                let [zero, one] = [Decision::Elo0, Decision::Elo1]
                    .map(|truth| tested(&sprt, pairs, truth, tests));
                println!(
                    "| {model} | {elo0}, {elo1} | {} | {:.1} % | {:.0} | {:.1} % | {:.0} |",
                    pairs.name, zero.wrong, zero.blocks, one.wrong, one.blocks
                );
            }
        }
    }
}
