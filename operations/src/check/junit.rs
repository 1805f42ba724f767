//! The result of a check as JUnit XML, which servers for continuous integration read.

use std::fmt::Write;

use crate::check::outcome::{CheckStatus, Checked, CheckedStep, count};
use crate::game_check::CheckedGame;

/// Writes the check of a bot as JUnit XML. A warning is a passed test with an output.
pub fn junit(checked: &Checked) -> String {
    suites(
        &format!("flipside check {}", checked.bot),
        &checked.steps,
        checked.ms,
    )
}

/// Writes the check of a game as JUnit XML. A warning is a passed test with an output.
pub fn junit_of_game(checked: &CheckedGame) -> String {
    suites(
        &format!("flipside game check {}", checked.program),
        &checked.steps,
        checked.ms,
    )
}

fn suites(name: &str, steps: &[CheckedStep], ms: u64) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{}\">",
        escaped(name),
        steps.len(),
        count(steps, CheckStatus::Failed),
        count(steps, CheckStatus::Skipped),
        seconds(ms)
    );
    let groups = steps.chunk_by(|one, other| one.group == other.group);
    for steps in groups {
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"0\" time=\"{}\">",
            steps[0].group,
            steps.len(),
            count(steps, CheckStatus::Failed),
            count(steps, CheckStatus::Skipped),
            seconds(steps.iter().map(|step| step.ms).sum())
        );
        for step in steps {
            test_case(&mut text, step);
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

fn test_case(text: &mut String, step: &CheckedStep) {
    let outcome = &step.outcome;
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\">",
        step.group,
        step.name,
        seconds(step.ms)
    );
    let found = escaped(&outcome.found);
    let mut more = String::new();
    if let Some(advice) = &outcome.advice {
        let _ = writeln!(more, "{advice}");
    }
    if outcome.status > CheckStatus::Skipped {
        for said in &outcome.said {
            let way = if said.from_bot { '<' } else { '>' };
            let _ = writeln!(more, "{way} {}", said.line);
        }
        for line in outcome.stderr.lines() {
            let _ = writeln!(more, "| {line}");
        }
    }
    let more = escaped(&more);
    let _ = match outcome.status {
        CheckStatus::Ok => write!(text, "<system-out>{found}</system-out>"),
        CheckStatus::Skipped => write!(text, "<skipped message=\"{found}\"/>"),
        CheckStatus::Warning => {
            write!(text, "<system-out>warning: {found}\n{more}</system-out>")
        }
        CheckStatus::Failed => write!(text, "<failure message=\"{found}\">{more}</failure>"),
    };
    *text += "</testcase>\n";
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// A text for an attribute or between tags. Characters that XML does not have are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            '\n' | '\t' => out.push(c),
            c if c < ' ' || ('\u{fffe}'..='\u{ffff}').contains(&c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bots_write_cannot_break_the_file() {
        assert_eq!(
            escaped("a<b>&\"'\u{0}\u{1b}\r\n"),
            "a&lt;b&gt;&amp;&quot;&apos;\u{fffd}\u{fffd}\u{fffd}\n"
        );
    }
}
