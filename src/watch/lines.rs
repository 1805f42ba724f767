//! How a watched tournament goes, in plain lines, for a file or a pipe.

use flipside_games::words::counted;
use flipside_report::width::{cut, cut_name};

use super::layout;
use super::state::WatchState;

/// The widest line.
const WIDTH: usize = 100;
/// The first of the standings, with their heading and a word about the others.
const MAX_STANDINGS: usize = 7;

/// How far it is, who leads, one match with its board, and what went wrong since the last block.
pub(super) fn block(state: &mut WatchState) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "{}: {}",
            cut_name(&state.name, WIDTH - BARLESS - 2),
            layout::progress_line(state, BARLESS)
        ),
    ];
    let standings = layout::standings(state, WIDTH - INDENT.len(), MAX_STANDINGS);
    lines.extend(standings.iter().map(|(_, line)| indented(line)));
    if let Some((first, others)) = state.matches.split_first() {
        lines.push(layout::in_a_line(first, WIDTH));
        lines.extend(first.board.lines().map(indented));
        if !others.is_empty() {
            lines.push(format!(
                "and {} more",
                counted(others.len() as u64, "match")
            ));
        }
    }
    lines.extend(faults(state));
    lines.iter().map(|line| cut(line, WIDTH)).collect()
}

/// The faults that have not been told yet.
pub(super) fn faults(state: &mut WatchState) -> Vec<String> {
    let mut lines = std::mem::take(&mut state.untold);
    let more = std::mem::take(&mut state.untold_more);
    if more > 0 {
        lines.push(format!("and {} more", counted(more, "fault")));
    }
    lines.iter().map(|line| cut(line, WIDTH)).collect()
}

/// A width at which the progress has no bar.
const BARLESS: usize = 60;

const INDENT: &str = "  ";

fn indented(line: &str) -> String {
    format!("{INDENT}{line}")
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::{HOSTILE, running, state};
    use super::*;

    #[test]
    fn a_block_has_what_the_screen_has_and_faults_once() {
        let bots = ["a@1", "b@1", "c@1", "d@1", "e@1", "f@1", "g@1"];
        let matches = || vec![running("cup-20", &["a@1", "b@1"], "x .\n. o\n"); 2];
        let mut state = state(&bots, matches());
        state.untold = vec!["b@1 late: too late (cup-3)".into()];
        state.untold_more = 2;
        insta::assert_snapshot!(block(&mut state).join("\n"), @r"

        cup: 20/90  2.0/s  35 s left  1 void
             bot  rating  95 %  games  won-drawn-lost  score  faults
          1  a@1    1650   ±78     20          12-1-7   12.5       0
          2  b@1    1600   ±78     20          12-1-7   12.5       1
          3  c@1    1550   ±78     20          12-1-7   12.5       2
          4  d@1    1500   ±78     20          12-1-7   12.5       3
          5  e@1    1450   ±78     20          12-1-7   12.5       4
          and 2 more
        cup-20, ply 12: >a@1 1.23 s, b@1 2.47 s
          x .
          . o
        and 1 match more
        b@1 late: too late (cup-3)
        and 2 faults more
        ");
        let again = block(&mut state).join("\n");
        assert!(!again.contains("late"), "{again}");
    }

    #[test]
    fn a_line_is_bounded_and_steers_nothing() {
        let names = [HOSTILE; 6];
        let mut state = state(&names, vec![running(HOSTILE, &names, &HOSTILE.repeat(50))]);
        for line in block(&mut state) {
            assert!(flipside_report::width::width(&line) <= WIDTH, "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}
