//! Whether the statistics mean what they say, by simulation with known strengths:
//! `cargo run --release -p flipside-tournament --example calibration -- 400 10000`
//! takes 400 tournaments and 10000 sequential tests for each line. `docs/reference/statistics.md` sums them up.

#[path = "../tests/tournament/known.rs"]
mod known;

use flipside_ratings::{Model, Sprt, SprtDecision};
use flipside_tournament::formats::{Gauntlet, Swiss};
use flipside_tournament::{Format, Seeding};
use known::{FIELD, KINDS, KnownField, PAIRS, SPREAD, coverage, tested};

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|typed| typed.parse::<u64>().expect("a number"));
    let (tournaments, tests) = (
        numbers.next().unwrap_or(400),
        numbers.next().unwrap_or(10_000),
    );
    few(tournaments);
    println!("\n{FIELD} bots, strengths {SPREAD} apart (standard deviation)\n");
    println!("| seats | rounds | matches | score | score against one | Elo | seat |");
    println!("|---|---|---|---|---|---|---|");
    for seats in [2, 3, 4, 5, 6] {
        for rounds in [3, 10, 50] {
            for (name, kind) in KINDS {
                if seats == 2 && name == "winner only" {
                    continue;
                }
                let found = coverage(&KnownField::usual(seats, rounds), kind, tournaments);
                let cells = [found.scores, found.pairs, found.elo, found.seats];
                let cells = cells.map(|held| format!("{:.1} %", held.percent()));
                println!("| {seats} | {rounds} | {name} | {} |", cells.join(" | "));
            }
        }
    }
    sequential(tests);
}

/// How often the intervals of scores hold where two bots meet once or twice.
fn few(tournaments: u64) {
    let robin = Format::RoundRobin;
    let swiss = Format::Swiss(Swiss {
        seeding: Seeding::Entry,
    });
    let gauntlet = Format::Gauntlet(Gauntlet { challengers: 1 });
    println!("scores, with strengths 0 and {SPREAD} apart\n");
    let kinds = KINDS.map(|(name, _)| name);
    println!("| format | seats | bots | rounds | {} |", kinds.join(" | "));
    println!("|---|---|---|---|---|---|---|---|");
    for (format, seats, bots, rounds) in [
        (robin, 2, 4, 1),
        (robin, 2, 7, 1),
        (robin, 2, 12, 1),
        (robin, 2, 30, 1),
        (robin, 2, 7, 2),
        (swiss, 2, 12, 4),
        (swiss, 2, 24, 5),
        (swiss, 2, 60, 6),
        (gauntlet, 2, 7, 1),
        (gauntlet, 2, 13, 1),
        (gauntlet, 2, 13, 2),
        (robin, 3, 7, 1),
        (robin, 4, 7, 1),
        (robin, 5, 7, 1),
        (robin, 6, 7, 1),
        (swiss, 3, 12, 4),
        (swiss, 4, 24, 5),
        (swiss, 6, 60, 6),
    ] {
        let cells = KINDS.map(|(name, kind)| {
            if seats == 2 && name == "winner only" {
                return String::new();
            }
            let cells = [0.0, SPREAD].map(|spread| {
                let field = KnownField {
                    bots,
                    spread,
                    seats,
                    format,
                    rounds,
                };
                // Short ones, and so many more of them.
                let times = (49 * tournaments).div_ceil(field.asked() as u64);
                format!("{:.1}", coverage(&field, kind, times).scores.percent())
            });
            cells.join(", ")
        });
        println!(
            "| {} | {seats} | {bots} | {rounds} | {} |",
            format.name(),
            cells.join(" | ")
        );
    }
}

fn sequential(tests: u64) {
    println!("\n{tests} tests each, alpha = beta = 5 %\n");
    println!(
        "| model | elo0, elo1 | pairs | elo1 accepted in error | blocks | elo0 accepted in error | blocks |"
    );
    println!("|---|---|---|---|---|---|---|");
    for model in [Model::Logistic, Model::Normalized] {
        for (elo0, elo1) in [(0.0, 20.0), (0.0, 50.0), (-15.0, 15.0), (0.0, 150.0)] {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("a test");
            for pairs in &PAIRS {
                let [zero, one] = [SprtDecision::Elo0, SprtDecision::Elo1]
                    .map(|truth| tested(&sprt, pairs, truth, tests));
                println!(
                    "| {model} | {elo0}, {elo1} | {} | {:.1} % | {:.0} | {:.1} % | {:.0} |",
                    pairs.name, zero.wrong, zero.blocks, one.wrong, one.blocks
                );
            }
        }
    }
}
