//! How often the 95 % intervals contain the true value, by simulation with known strengths:
//! `cargo run --release -p flipside-tournament --example coverage -- 400`
//! takes 400 tournaments for each line. `docs/reference/ratings.md` sums it up.

#[path = "../tests/tournament/simulation.rs"]
mod simulation;

use simulation::{
    FIELD, KINDS, ROUNDS, SPREAD, SimulationGauntlet, SimulationReport, coverage, gauntlets,
};

fn main() {
    let tournaments = std::env::args()
        .nth(1)
        .map_or(Ok(400), |typed| typed.parse());
    let tournaments = tournaments.expect("a number of tournaments");
    println!("{FIELD} bots, {ROUNDS} rounds, strengths {SPREAD} apart (standard deviation)");
    println!(
        "| seats | a match shows | intervals | contain the true value | mean deviation | root of the mean squared error |"
    );
    println!("|---|---|---|---|---|---|");
    for seats in [2, 3, 4, 6] {
        for (name, told) in KINDS {
            let fits = match told {
                SimulationReport::Ranking => true,
                SimulationReport::Winner => seats > 2,
                SimulationReport::Draws => seats == 2,
                SimulationReport::Teams => seats >= 4,
            };
            if !fits {
                continue;
            }
            eprintln!("{seats} seats, {name}");
            let coverage = coverage(seats, told, tournaments);
            println!("| {seats} | {name} | {}", coverage.line());
        }
    }
    println!("\ngauntlets of two teams");
    println!(
        "| seats | bots | challengers | rounds | intervals | contain the true value | mean deviation | root of the mean squared error |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (seats, bots, challengers) in [(4, 4, 1), (4, 5, 2), (4, 8, 5), (6, 6, 1)] {
        for rounds in [20, 100] {
            let gauntlet = SimulationGauntlet {
                seats,
                bots,
                challengers,
                rounds,
            };
            let coverage = gauntlets(gauntlet, tournaments);
            println!(
                "| {seats} | {bots} | {challengers} | {rounds} | {}",
                coverage.line()
            );
        }
    }
}
