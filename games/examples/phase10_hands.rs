//! Looks for the hands of eleven cards whose lists of actions are longest, and for those that take
//! longest to list, by hill climbing from hands with many stars.
//!
//! ```text
//! cargo run --release -p flipside-games --example phase10_hands
//! ```

use std::time::{Duration, Instant};

use flipside_games::phase10::{Face, Phase10Options, Phase10View};
use flipside_games::{Game, Phase10, Viewer, chance};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

/// So often a climb begins anew, for each phase, side and number of flip symbols.
const CLIMBS: usize = 8;

/// So many hands are tried in a climb.
const STEPS: usize = 2_500;

/// The least of so many timings is a hand's time, that a busy machine does not count.
const TIMINGS: usize = 5;

/// The time that a list may take.
const BOUND: Duration = Duration::from_millis(2);

/// A hand, and what it scored.
#[derive(Clone, Default)]
struct FoundHand {
    hand: Vec<String>,
    length: usize,
    time: Duration,
}

/// What is to be as high as possible.
#[derive(Clone, Copy, PartialEq)]
enum Goal {
    Length,
    Time,
}

impl FoundHand {
    fn beats(&self, other: &FoundHand, goal: Goal) -> bool {
        match goal {
            Goal::Length => self.length >= other.length,
            Goal::Time => self.time >= other.time,
        }
    }
}

/// A place of the game where seat 0 of two has drawn.
struct Phase10HandTable {
    options: Phase10Options,
    view: Value,
    faces: Vec<String>,
}

impl Phase10HandTable {
    fn new(flips: u32, phase: u8, wild: bool) -> Self {
        let options = json!({ "flips_each_side": flips });
        let before = u32::from(phase) - 1;
        let seat = |cards: u8| {
            json!({
                "score": 10 * before, "completed": before, "phase": phase, "laid": false,
                "cards": cards, "groups": [],
            })
        };
        let mut seats = vec![seat(11), seat(10)];
        seats[1]["backs"] = json!([]);
        // Each seat won so many of the rounds before that the scores are possible.
        let rounds = 2 * before;
        for seat in &mut seats {
            seat["score"] = json!(before * 10 + before * 50);
        }
        let hidden = if wild {
            ["r1", "y1", "g1", "b1"]
        } else {
            ["w1", "w2", "w3", "w4"]
        };
        let mut backs: Vec<&str> = hidden.iter().copied().cycle().take(8).collect();
        backs.extend(if wild { ["r2", "b3"] } else { ["w5", "w6"] });
        backs.sort_by_key(|face| face.parse::<Sorted>().expect("a face"));
        seats[1]["backs"] = json!(backs);
        let turns = 2 * u32::from(wild);
        let view = json!({
            "round": rounds + 1, "deciding": null, "dealer": 1,
            "side": if wild { "wild" } else { "colour" },
            "turn": turns, "stage": "play", "to_move": 0, "hand": [], "seats": seats,
            "draw_pile": { "cards": 82 - turns, "top": if wild { "r3" } else { "w7" } },
            "discard_pile": { "cards": 1 + turns, "top": if wild { "w12" } else { "b12" } },
        });
        let letters = if wild { "w" } else { "rygb" };
        let mut faces = Vec::new();
        for letter in letters.chars() {
            faces.push(format!("{letter}*"));
            for number in 1..=12 {
                faces.push(format!("{letter}{number}"));
                faces.push(format!("{letter}{number}^"));
            }
        }
        Phase10HandTable {
            options: serde_json::from_value(options).expect("options"),
            view,
            faces,
        }
    }

    /// Lists the actions of a hand; nothing if nobody can hold it.
    fn judge(&mut self, hand: &[String]) -> Option<FoundHand> {
        let mut sorted: Vec<&String> = hand.iter().collect();
        sorted.sort_by_key(|face| face.parse::<Sorted>().expect("a face"));
        self.view["hand"] = json!(sorted);
        let view: Phase10View = serde_json::from_value(self.view.clone()).expect("a view");
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let game = Phase10::from_view(&self.options, 2, Viewer::Seat(0), &view, &mut rng).ok()?;
        let mut actions = Vec::with_capacity(1_000);
        let time = (0..TIMINGS).map(|_| {
            let start = Instant::now();
            game.actions(0, &mut actions);
            start.elapsed()
        });
        let time = time.min().expect("it is timed more than once");
        let hand = sorted.into_iter().cloned().collect();
        Some(FoundHand {
            hand,
            length: actions.len(),
            time,
        })
    }

    fn any(&self, rng: &mut ChaCha8Rng) -> String {
        // One in three is a star.
        let stars: Vec<&String> = self
            .faces
            .iter()
            .filter(|face| face.ends_with('*'))
            .collect();
        match chance::below(rng, 3) {
            0 => stars[chance::below(rng, stars.len() as u32) as usize].clone(),
            _ => self.faces[chance::below(rng, self.faces.len() as u32) as usize].clone(),
        }
    }

    fn climb(&mut self, goal: Goal, rng: &mut ChaCha8Rng) -> FoundHand {
        let mut best = FoundHand::default();
        for _ in 0..STEPS {
            let mut hand = best.hand.clone();
            if hand.is_empty() {
                hand = (0..11).map(|_| self.any(rng)).collect();
            } else {
                for _ in 0..=chance::below(rng, 2) {
                    hand[chance::below(rng, 11) as usize] = self.any(rng);
                }
            }
            if let Some(found) = self.judge(&hand).filter(|found| found.beats(&best, goal)) {
                best = found;
            }
        }
        best
    }
}

/// A face by its order in a hand.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sorted(Face);

impl std::str::FromStr for Sorted {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_value(json!(text)).map(Sorted)
    }
}

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut slowest = FoundHand::default();
    let mut longest = FoundHand::default();
    for flips in [8, 24] {
        for phase in 1..=10 {
            for wild in [false, true] {
                let mut table = Phase10HandTable::new(flips, phase, wild);
                let mut bests = [FoundHand::default(), FoundHand::default()];
                for (best, goal) in bests.iter_mut().zip([Goal::Length, Goal::Time]) {
                    for _ in 0..CLIMBS {
                        let found = table.climb(goal, &mut rng);
                        if found.beats(best, goal) {
                            *best = found;
                        }
                    }
                }
                let [long, slow] = bests;
                let side = if wild { "wild" } else { "colour" };
                println!(
                    "{flips:2} flips, phase {phase:2}, {side:6}: longest {:3} in {:?} ({}); slowest {:?} with {} ({})",
                    long.length,
                    long.time,
                    long.hand.join(" "),
                    slow.time,
                    slow.length,
                    slow.hand.join(" ")
                );
                for found in [long, slow] {
                    if found.beats(&longest, Goal::Length) {
                        longest = found.clone();
                    }
                    if found.beats(&slowest, Goal::Time) {
                        slowest = found;
                    }
                }
            }
        }
    }
    println!(
        "longest of all: {} actions in {:?}",
        longest.length, longest.time
    );
    println!(
        "slowest of all: {:?} for {} actions",
        slowest.time, slowest.length
    );
    println!(
        "within {BOUND:?}: {}",
        slowest.time < BOUND && longest.time < BOUND
    );
}
