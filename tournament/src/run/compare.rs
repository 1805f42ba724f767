//! Two records of one match, by two workers: how many decisions of each seat are the same.

use flipside_referee::{Line, Record};

/// Decisions of a seat that were taken in the same position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// All of them.
    pub all: u64,
    /// Those that differ. The records part at the first, so there is one at most.
    pub different: u64,
}

/// Compares the decisions in two records of one match up to the first that differs, by seat. Behind it, the seats decide in
/// other positions. A fault is a decision, too.
pub(super) fn decisions(first: &Record, second: &Record) -> Vec<Decisions> {
    let mut all = vec![Decisions::default(); first.header.seats.len()];
    for ((seat, one), (other_seat, other)) in decided(first).zip(decided(second)) {
        let Some(decisions) = all.get_mut(seat) else {
            break;
        };
        // Of two seats that are asked at once, one may have failed.
        if seat != other_seat {
            break;
        }
        decisions.all += 1;
        if one != other {
            decisions.different += 1;
            break;
        }
    }
    all
}

/// What the seats have decided, in order: the action, or the fault.
fn decided(record: &Record) -> impl Iterator<Item = (usize, &str)> {
    record.lines.iter().flat_map(|(_, line)| match line {
        Line::Acts { acts } => {
            // What the referee does for a seat is no decision of it.
            let own = acts.iter().filter(|act| act.us.is_some());
            own.map(|act| (usize::from(act.seat), &*act.action))
                .collect()
        }
        Line::Fault(fault) => vec![(usize::from(fault.seat), fault.fault.name())],
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use flipside_referee::{FaultKind, FaultLine};

    use super::*;

    /// A match of eight plies, of seats 0 and 1 in turns, with these decisions by ply in place of its own.
    fn record(changed: &[(usize, &str)]) -> Record {
        let text = include_str!("../../../referee/tests/records/format-1.jsonl");
        let mut record = Record::read(text).unwrap();
        let acts = record.lines.iter_mut().filter_map(|(_, line)| match line {
            Line::Acts { acts } => Some(&mut acts[0]),
            _ => None,
        });
        for (ply, act) in acts.enumerate() {
            if let Some((_, action)) = changed.iter().find(|(at, _)| *at == ply) {
                act.action = (*action).into();
            }
        }
        record
    }

    fn counts(first: &Record, second: &Record) -> Vec<(u64, u64)> {
        let all = decisions(first, second);
        all.iter().map(|it| (it.all, it.different)).collect()
    }

    #[test]
    fn decisions_are_counted_up_to_the_first_that_differs() {
        let same = record(&[]);
        assert_eq!(counts(&same, &record(&[])), [(4, 0), (4, 0)]);
        assert_eq!(counts(&same, &record(&[(0, "x")])), [(1, 1), (0, 0)]);
        // Behind it, the seats decide in other positions.
        assert_eq!(
            counts(&same, &record(&[(3, "x"), (4, "y")])),
            [(2, 0), (2, 1)]
        );
    }

    #[test]
    fn a_fault_is_a_decision_and_what_the_referee_does_is_none() {
        let same = record(&[]);
        let mut failed = record(&[]);
        // The last ply, of seat 1, is a fault.
        let at = failed.lines.len() - 1;
        let fault = FaultLine {
            seat: 1,
            fault: FaultKind::Crashed,
            detail: "it ended".into(),
            us: 3,
            wall_us: None,
            cpu_us: None,
            fuel: None,
            evidence: None,
            stderr: String::new(),
        };
        failed.lines[at].1 = Line::Fault(fault);
        assert_eq!(counts(&same, &failed), [(4, 0), (4, 1)]);
        assert_eq!(counts(&failed, &failed), [(4, 0), (4, 0)]);
        let mut played_for = record(&[]);
        for (_, line) in &mut played_for.lines {
            if let Line::Acts { acts } = line {
                acts[0].us = acts[0].us.filter(|_| acts[0].seat == 0);
            }
        }
        assert_eq!(counts(&played_for, &played_for), [(4, 0), (0, 0)]);
    }
}
