//! The laws that every game must keep.

use flipside_chess::Chess;
use flipside_games::testing::laws::{LawEffort, keep};

#[test]
fn chess_keeps_the_laws() {
    keep::<Chess>(LawEffort {
        matches: 24,
        looks: 16,
        events: 20_000,
    });
}

#[test]
#[ignore = "long: 3,000 matches"]
fn chess_keeps_the_laws_in_thousands_of_matches() {
    keep::<Chess>(LawEffort {
        matches: 3_000,
        looks: 4,
        events: usize::MAX,
    });
}
