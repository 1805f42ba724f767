//! Measures two sample bots against each other, in process and without clocks:
//! `cargo run --release -p flipside-sample-bots --example arena -- flipfour mcts greedy 200`

#[path = "../tests/referee/mod.rs"]
mod referee;

use std::time::{Duration, Instant};

use flipside_sample_bots::{Knowing, Mcts, Session, sample};
use referee::{Peer, play};

/// A bot with a watch on it.
struct Timed {
    session: Session,
    turns: u32,
    spent: Duration,
    longest: Duration,
}

impl Peer for Timed {
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

/// A bot by name; `mcts:500` is one with so many playouts.
fn bot(name: &str) -> Timed {
    let bot = match name.split_once(':') {
        Some(("mcts", playouts)) => Box::new(Knowing(Mcts {
            playouts: playouts.parse().expect("a number"),
        })),
        _ => sample(name).unwrap_or_else(|error| panic!("{error}")),
    };
    Timed {
        session: Session::new(bot),
        turns: 0,
        spent: Duration::ZERO,
        longest: Duration::ZERO,
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [game, first, second, matches] = &arguments[..] else {
        panic!("usage: arena GAME BOT BOT MATCHES")
    };
    let game = flipside_games::find(game).expect("a game");
    let matches: u64 = matches.parse().expect("a number");
    let mut bots = [bot(first), bot(second)];
    let (mut wins, mut draws, mut plies) = ([0, 0], 0, 0);
    for seed in 0..matches {
        let swapped = seed % 2 == 1;
        let [one, other] = &mut bots;
        let mut peers: [&mut dyn Peer; 2] = if swapped { [other, one] } else { [one, other] };
        let played = play(game, &mut peers, seed / 2);
        plies += played.actions.len();
        match played.points[..] {
            [a, b] if a == b => draws += 1,
            [a, b] => wins[usize::from((a < b) != swapped)] += 1,
            _ => panic!("for games of two seats"),
        }
    }
    println!(
        "{}: {first} {} wins, {draws} draws, {} wins {second}; {} plies a match",
        game.info().id,
        wins[0],
        wins[1],
        plies / matches as usize
    );
    for (name, bot) in [first, second].into_iter().zip(&bots) {
        println!(
            "  {name}: {:.3?} a move, at most {:.3?}",
            bot.spent / bot.turns.max(1),
            bot.longest
        );
    }
}
