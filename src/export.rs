//! A tournament's tables as files for others: a page, Markdown, a picture, results for programs.

mod cross;
mod markdown;
mod page;

use flipside_tournament::{CrossTable, Standings, Tournament};

pub(crate) use cross::picture;
pub(crate) use markdown::markdown;
pub(crate) use page::page;

/// What all of these say of a tournament.
pub(crate) struct Summary<'a> {
    pub(crate) tournament: &'a Tournament,
    pub(crate) standings: &'a Standings,
    /// How many matches there are to be, at most.
    pub(crate) total: u64,
}

/// The headings of the standings, and whether the column holds numbers.
const HEADINGS: [(&str, bool); 12] = [
    ("rank", true),
    ("bot", false),
    ("rating", true),
    ("95 % interval", true),
    ("games", true),
    ("wins", true),
    ("draws", true),
    ("losses", true),
    ("points", true),
    ("%", true),
    ("faults", true),
    ("voids", true),
];

impl Summary<'_> {
    /// The game, the clock and what else fixes the tournament, with how far it has come.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let settings = &self.tournament.settings;
        let mut facts = vec![
            ("game", settings.game.clone()),
            ("seats", settings.seats.to_string()),
            ("clock", settings.clock.to_string()),
            ("seed", settings.seed.to_string()),
            (
                "matches",
                format!("{} of {}", self.standings.played, self.total),
            ),
        ];
        if settings.trust {
            facts.push(("trust", "processes were started without a jail".to_owned()));
        }
        for import in &self.standings.imports {
            let matches = import.matches;
            facts.push((
                "import",
                format!(
                    "{matches} matches were played elsewhere, as {}",
                    import.name
                ),
            ));
        }
        facts
    }

    /// The standings, a list of cells for each row, in the order of [`HEADINGS`].
    fn cells(&self) -> impl Iterator<Item = [String; HEADINGS.len()]> {
        self.standings.rows.iter().map(|row| {
            [
                row.rank.to_string(),
                row.bot.clone(),
                format!("{:.0}", row.rating),
                format!("{:.0} to {:.0}", row.low, row.high),
                row.games.to_string(),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                format!("{:.1}", row.score),
                format!("{:.1}", row.percent),
                row.faults.to_string(),
                row.voids.to_string(),
            ]
        })
    }
}

/// The points of one bot against another, of how many matches; nothing where they have not met.
fn against(table: &CrossTable, row: usize, column: usize) -> Option<(f64, u32)> {
    let cell = table.cells[row][column];
    let matches = cell.wins + cell.draws + cell.losses;
    (row != column && matches > 0).then(|| (cell.score(), matches))
}

/// A text inside of HTML or SVG.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            super::escaped("<a b=\"c\" d='e'>&amp;"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;"
        );
    }
}
