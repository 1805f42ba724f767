//! What a tournament would play, as it is shown.

use std::io::Write as _;

use flipside_operations::{Plan, Result};
use flipside_report::words::about;
use flipside_report::{grid, plain_json};
use flipside_tournament::{Pairing, Total};

use crate::output::{OutputFormat, print, writing};

/// How many matches are shown to people.
const SHOWN: usize = 20;

/// Prints what would be played.
pub(crate) fn show(
    plan: &Plan,
    matches: &mut dyn Iterator<Item = Pairing>,
    format: OutputFormat,
) -> Result<()> {
    if !format.for_people() {
        return as_json(plan, matches);
    }
    let seed = match plan.seed {
        Some(seed) => format!("seed {seed}"),
        None => "a seed that is drawn when it begins".into(),
    };
    let text = format!(
        "{}, {seed}: {} matches{}\n",
        about(&plan.settings, plan.bots.len()),
        plan.total,
        progress(plan),
    );
    print(&(text + &listed(plan, matches)))
}

/// The first matches, under the time that all take.
fn listed(plan: &Plan, matches: &mut dyn Iterator<Item = Pairing>) -> String {
    let first: Vec<Pairing> = Iterator::take(&mut *matches, SHOWN).collect();
    if first.is_empty() {
        return "nothing is left to be played\n".into();
    }
    let seats = (0..plan.settings.seats).map(|seat| format!("seat {seat}"));
    let headings = ["match", "round", "block"].map(String::from).into_iter();
    let headings: Vec<String> = headings.chain(seats).collect();
    let rows = first.iter().map(|pairing| {
        let numbers =
            [pairing.index, pairing.round.into(), pairing.block].map(|number| number.to_string());
        let seats = pairing.seats.iter().map(|&bot| plan.bots[bot].clone());
        numbers.into_iter().chain(seats).collect()
    });
    let all_known = plan.played + plan.left_out + first.len() as u64;
    let end = match (matches.next(), plan.total) {
        (Some(_), _) => "and so on; --json has all that are known now\n",
        (None, Total::Exactly(all)) if all == all_known => "",
        (None, _) => "what comes after these depends on their results\n",
    };
    format!("{}\n\n{}\n{end}", in_words(plan), grid(&headings, rows))
}

/// How much of it has been done.
fn progress(plan: &Plan) -> String {
    let left_out = match plan.left_out {
        0 => String::new(),
        left_out => format!(", {left_out} left out"),
    };
    if plan.goes_on {
        format!(", {} of them played{left_out}", plan.played)
    } else {
        String::new()
    }
}

fn as_json(plan: &Plan, matches: &mut dyn Iterator<Item = Pairing>) -> Result<()> {
    let bots = &plan.bots;
    // There may be more matches than fit into memory.
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut head = serde_json::json!({
        "settings": plan.settings, "bots": bots, "total": plan.total, "played": plan.played,
        "left_out": plan.left_out, "estimate": plan.estimate
    });
    head["settings"]["seed"] = plan.seed.into();
    // The object stays open for the matches.
    let head = plain_json(&head.to_string());
    let open = head.strip_suffix('}').expect("it is an object");
    write!(out, "{open},\"matches\":[").map_err(writing)?;
    for (at, pairing) in matches.enumerate() {
        let seats: Vec<&String> = pairing.seats.iter().map(|&bot| &bots[bot]).collect();
        let line = serde_json::json!({
            "index": pairing.index, "round": pairing.round, "block": pairing.block, "seats": seats
        });
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", plain_json(&line.to_string())).map_err(writing)?;
    }
    writeln!(out, "]}}").map_err(writing)?;
    out.flush().map_err(writing)
}

/// The shortest time that is told, in seconds.
const SHORTEST_S: f64 = 0.1;

/// How long it takes.
fn in_words(plan: &Plan) -> String {
    let estimate = plan.estimate;
    let at_once = match plan.concurrency.get() {
        1 => "one match at a time".into(),
        number => format!("{number} matches at a time"),
    };
    let by_clock = format!(
        "{} if every bot uses all of its time, with {:.0} plies a match as in random play",
        span(estimate.by_clock_s),
        estimate.plies
    );
    match estimate.by_journal_s {
        Some(seconds) => format!(
            "time, {at_once}: about {} by the {} latest matches of this kind here; {by_clock}",
            span(seconds),
            estimate.journaled
        ),
        None => format!(
            "time, {at_once}: about {} if every bot answers at once; {by_clock}",
            span(estimate.instant_s.max(SHORTEST_S))
        ),
    }
}

/// A time as people say it.
fn span(seconds: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(60.0, "s"), (60.0, "min"), (24.0, "h"), (365.0, "days")];
    let mut number = seconds;
    for (most, unit) in STEPS {
        if number < most {
            return format!("{number:.1} {unit}");
        }
        number /= most;
    }
    format!("{number:.0} years")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_said_in_a_fitting_unit() {
        let told = [0.0, 59.0, 90.0, 7200.0, 172_800.0, 1e9].map(span);
        assert_eq!(
            told,
            [
                "0.0 s", "59.0 s", "1.5 min", "2.0 h", "2.0 days", "32 years"
            ]
        );
    }
}
