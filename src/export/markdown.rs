//! Standings and cross table as Markdown, for a message or a page of somebody's.

use std::fmt::Write;

use super::{ENCOUNTERS, MOST_CROSSED, Summary, against, encounter_cells, left_out};

/// Standings and cross table.
pub(crate) fn markdown(summary: &Summary<'_>) -> String {
    let mut text = format!("# {}\n\n", escaped(summary.tournament.name.as_str()));
    let facts: Vec<String> = summary
        .facts()
        .into_iter()
        .map(|(name, fact)| format!("{name} {}", escaped(&fact)))
        .collect();
    let _ = writeln!(text, "{}\n", facts.join(", "));
    let headings = summary.headings();
    line(
        &mut text,
        headings.iter().map(|(heading, _)| (*heading).to_owned()),
    );
    line(&mut text, headings.iter().map(rule));
    for cells in summary.cells() {
        line(&mut text, cells.iter().map(|cell| escaped(cell)));
    }
    for (at, pause) in summary.pauses().enumerate() {
        let before = if at == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{before}- {}", escaped(&pause));
    }
    let encounters = &summary.standings.encounters;
    if !encounters.is_empty() {
        text.push('\n');
        let headings = ENCOUNTERS.iter().map(|(heading, _)| (*heading).to_owned());
        line(&mut text, headings);
        line(&mut text, ENCOUNTERS.iter().map(rule));
    }
    for encounter in encounters {
        let cells = encounter_cells(encounter);
        line(&mut text, cells.iter().map(|cell| escaped(cell)));
    }
    let cross = &summary.standings.cross;
    let bots = cross.bots.len().min(MOST_CROSSED);
    text.push('\n');
    let numbers = (1..=bots).map(|number| number.to_string());
    line(
        &mut text,
        std::iter::once("against".to_owned()).chain(numbers),
    );
    let rules = std::iter::repeat_n("---:".to_owned(), bots);
    line(&mut text, std::iter::once("---".to_owned()).chain(rules));
    for (row, bot) in cross.bots.iter().take(bots).enumerate() {
        let cells = (0..bots).map(|column| match against(cross, row, column) {
            Some((score, matches)) => format!("{score:.1}/{matches}"),
            None => "-".into(),
        });
        let name = format!("{} {}", row + 1, escaped(bot));
        line(&mut text, std::iter::once(name).chain(cells));
    }
    if let Some(left_out) = left_out(cross, MOST_CROSSED) {
        let _ = writeln!(text, "\nThe cross table: {left_out}.");
    }
    text
}

/// What aligns a column.
fn rule(&(_, number): &(&str, bool)) -> String {
    if number { "---:" } else { "---" }.to_owned()
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    for cell in cells {
        let _ = write!(text, "| {cell} ");
    }
    text.push_str("|\n");
}

/// A text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(super::escaped("my_bot|*<b>"), "my\\_bot\\|\\*\\<b\\>");
    }
}
