//! A document as one HTML file that needs no other.

use std::fmt::Write;

use flipside_games::words::joined;

use crate::column::ReportView;
use crate::document::{Document, RenderedPart};
use crate::html::{DRAWING_STYLE, escaped};
use crate::table::ReportTable;

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
@media print {
@page { size: A4; margin: 1.5cm; }
:root { color-scheme: light; font-size: 8pt; }
body { margin: 0; min-width: 0; padding: 0; }
.wide { overflow: visible; }
th, td { padding: .15rem .25rem; white-space: normal; }
tr, svg { break-inside: avoid; }
}
";

/// The page.
pub fn page(document: &Document) -> String {
    let name = escaped(document.headline.as_ref().unwrap_or(&document.title));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: standings</title>\n<style>\n{STYLE}{DRAWING_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n"
    );
    if let Some(remark) = &document.remark {
        let _ = writeln!(html, "<p>{}</p>", broken(remark));
    }
    html.push_str("<dl>\n");
    for (term, fact) in &document.facts {
        let _ = writeln!(html, "<div><dt>{term}</dt><dd>{}</dd></div>", escaped(fact));
    }
    html.push_str("</dl>\n");
    for part in document.shown() {
        match part {
            RenderedPart::Lines(lines) => {
                let _ = writeln!(html, "<p>{}</p>", broken(lines));
            }
            RenderedPart::Table(table, captions) => add(&mut html, table, &captions),
        }
    }
    let notes = document.notes.iter();
    let notes: String = (notes.map(|note| format!("<li>{}</li>\n", escaped(note)))).collect();
    if !notes.is_empty() {
        let _ = write!(html, "<h2>Notes</h2>\n<ul>\n{notes}</ul>\n");
    }
    let _ = write!(
        html,
        "<footer>Flipside {}. rating: by all results at once; ±: the 95 % interval against the average bot.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    html
}

/// Lines of text inside of HTML.
fn broken(lines: &str) -> String {
    joined(lines.lines().map(escaped), "<br>\n")
}

/// A table under its title; below its drawing, if it has one, where a reader opens it.
fn add(html: &mut String, table: &ReportTable, captions: &[String]) {
    let _ = write!(
        html,
        "<h2>{}</h2>\n<div class=\"wide\">\n",
        escaped(&table.title)
    );
    if let Some((drawing, caption)) = &table.drawing {
        let _ = write!(
            html,
            "{drawing}</div>\n<p>{caption}</p>\n<details>\n<summary>as a table</summary>\n<div class=\"wide\">\n"
        );
    }
    let columns: Vec<_> = table.seen(ReportView::Page).collect();
    html.push_str("<table>\n<thead><tr>");
    for column in &columns {
        let class = class(column.style.is_number);
        let _ = write!(
            html,
            "<th scope=\"col\"{class}>{}</th>",
            escaped(&column.heading())
        );
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..table.rows {
        html.push_str("<tr>");
        for column in &columns {
            let class = class(column.style.is_number);
            let _ = write!(html, "<td{class}>{}</td>", escaped(&column.shown(row)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
    for caption in captions {
        let _ = writeln!(html, "<p>{}</p>", escaped(caption));
    }
    if table.drawing.is_some() {
        html.push_str("</details>\n");
    }
}

fn class(number: bool) -> &'static str {
    if number { " class=\"number\"" } else { "" }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            crate::html::escaped("<a b=\"c\" d='e'>&amp;"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;"
        );
    }
}
