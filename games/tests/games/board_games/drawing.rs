//! Drawings of boards after actions.

use flipside_games::{Viewer, find};

/// What marks a square of the last action.
const MARKED: &str = "fill=\"#8a63b0\"";

#[test]
fn the_squares_of_the_last_action_are_marked() {
    for id in ["yonmoque", "flipflop-3x3", "flipflop-5x5", "flipfour"] {
        let game = find(id).expect("a game");
        let mut table = game.set_up("{}", 2).expect("a match").table;
        assert!(!table.svg(Viewer::Public).contains(MARKED), "{id}");
        for seat in [0, 1] {
            let action = table.actions(seat).swap_remove(0);
            let path = table.paths(seat).swap_remove(0);
            table.act(&[(seat, &action)]).expect("it is legal");
            let svg = table.svg(Viewer::Public);
            let marked = svg.matches(MARKED).count();
            assert_eq!(marked, path.marks.len(), "{id} {action}");
            assert_eq!(table.copy().svg(Viewer::Public), svg);
        }
    }
}
