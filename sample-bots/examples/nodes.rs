//! Measures how many nodes a second `alphabeta` searches:
//! `cargo run --release -p flipside-sample-bots --example nodes -- yonmoque 1000000 20`
//! searches a million nodes for each of the first 20 plies of a match against itself.

use std::time::Instant;

use flipside_sample_bots::{AlphaBeta, SearchLimits};

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [game, nodes, plies] = &arguments[..] else {
        panic!("usage: nodes GAME NODES PLIES")
    };
    let limits = SearchLimits {
        nodes: Some(nodes.parse().expect("a number")),
        ..SearchLimits::default()
    };
    let start = Instant::now();
    let effort = AlphaBeta { limits }
        .effort(game, plies.parse().expect("a number"))
        .unwrap_or_else(|error| panic!("{error}"));
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{game}: {} nodes in {} plies, {:.2} million nodes/s, depth {:.1} on average",
        effort.nodes,
        effort.plies,
        effort.nodes as f64 / seconds / 1e6,
        effort.depths as f64 / f64::from(effort.plies)
    );
}
