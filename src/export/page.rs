//! Standings and cross table as one HTML file that needs no other.

use std::fmt::Write;

use super::{ENCOUNTERS, Heading, Summary, encounter_cells, escaped, picture};

/// How it looks, by day and by night.
const STYLE: &str = "\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.4; }
body { box-sizing: border-box; margin: 2rem auto; width: fit-content; min-width: min(84rem, 100%); max-width: 100%; padding: 0 1rem; }
dl { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0 0 1.5rem; }
dl div { display: flex; gap: .4rem; }
dt { opacity: .7; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .4rem; text-align: left; }
td { white-space: nowrap; }
th { border-bottom: 2px solid; font-weight: 600; vertical-align: bottom; }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
h1 { overflow-wrap: anywhere; }
dd, li { overflow-wrap: anywhere; min-width: 0; }
svg { max-width: 100%; height: auto; border-radius: 4px; }
footer { margin-top: 2rem; opacity: .7; font-size: .9rem; }
";

/// The page.
pub(crate) fn page(summary: &Summary<'_>) -> String {
    let name = escaped(summary.tournament.name.as_str());
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: standings</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<dl>\n"
    );
    for (term, fact) in summary.facts() {
        let _ = writeln!(
            html,
            "<div><dt>{term}</dt><dd>{}</dd></div>",
            escaped(&fact)
        );
    }
    html.push_str("</dl>\n");
    section(&mut html, "Standings", &summary.headings(), summary.cells());
    let encounters = &summary.standings.encounters;
    if !encounters.is_empty() {
        let cells = encounters.iter().map(|one| encounter_cells(one).to_vec());
        section(&mut html, "Encounters", &ENCOUNTERS, cells);
    }
    let pauses: Vec<String> = (summary.pauses())
        .map(|pause| format!("<li>{}</li>\n", escaped(&pause)))
        .collect();
    if !pauses.is_empty() {
        let _ = write!(html, "<h2>Paused</h2>\n<ul>\n{}</ul>\n", pauses.concat());
    }
    html.push_str("<h2>Cross table</h2>\n<div class=\"wide\">\n");
    html.push_str(&picture(&summary.standings.cross));
    let _ = write!(
        html,
        "</div>\n<p>The share of the points of the bot on the left against the bot above.</p>\n\
         <footer>Flipside {}. Ratings are Glicko-2.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    html
}

/// A table under a heading.
fn section(
    html: &mut String,
    title: &str,
    headings: &[Heading],
    rows: impl Iterator<Item = Vec<String>>,
) {
    let _ = write!(
        html,
        "<h2>{title}</h2>\n<div class=\"wide\">\n<table>\n<thead><tr>"
    );
    for &(heading, number) in headings {
        let _ = write!(html, "<th scope=\"col\"{}>{heading}</th>", class(number));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for cells in rows {
        html.push_str("<tr>");
        for (cell, &(_, number)) in cells.iter().zip(headings) {
            let _ = write!(html, "<td{}>{}</td>", class(number), escaped(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
}

fn class(number: bool) -> &'static str {
    if number { " class=\"number\"" } else { "" }
}
