//! A tournament's tables as files for others: a page, Markdown, a picture, results for programs.

mod cross;
mod markdown;
mod page;

use flipside_tournament::{CrossTable, DecidedBy, Encounter, Row, Standings, Tournament};

use crate::output::plain_line;
use crate::summary::counted;
use crate::words;

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

/// The most bots of a cross table in text; a wider one cannot be read.
pub(crate) const MOST_CROSSED: usize = 20;

/// A heading, and whether its column holds numbers.
type Heading = (&'static str, bool);

/// The first headings of the standings. What the ranks come from follows them, where a format has an order
/// of its own.
const FIRST: [Heading; 2] = [("rank", true), ("bot", false)];

/// The heading of the points of all matches.
const SCORE: &str = "score";

/// The headings behind that. There is no room for the deviation of a rating: its interval tells it.
const HEADINGS: [Heading; 11] = [
    ("rating", true),
    ("95 % interval", true),
    ("games", true),
    ("wins", true),
    ("draws", true),
    ("losses", true),
    (SCORE, true),
    ("%", true),
    ("% from to", true),
    ("faults", true),
    ("voids", true),
];

/// The headings of a knockout's encounters.
pub(crate) const ENCOUNTERS: [Heading; 7] = [
    ("encounter", false),
    ("better seed", false),
    ("against", false),
    ("score", true),
    ("blocks", true),
    ("goes on", false),
    ("decided by", false),
];

/// An encounter as a row under these.
pub(crate) fn encounter_cells(encounter: &Encounter) -> [String; 7] {
    let bot = |at: usize| encounter.bots.get(at).cloned().unwrap_or_default();
    let points: Vec<String> = (encounter.points.iter())
        .map(|points| format!("{points:.1}"))
        .collect();
    [
        encounter.stage.clone(),
        bot(0),
        bot(1),
        points.join(" : "),
        match encounter.bots.len() {
            1 => String::new(),
            _ => encounter.blocks.to_string(),
        },
        encounter.winner.clone().unwrap_or_default(),
        match encounter.decided_by {
            None => "not decided",
            Some(DecidedBy::Score) => "score",
            Some(DecidedBy::TieBreak) => "tie-break",
            Some(DecidedBy::Seed) => "seed",
            Some(DecidedBy::Bye) => "bye",
        }
        .into(),
    ]
}

impl Summary<'_> {
    /// The game, the clock and what else fixes the tournament, with how far it has come.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let settings = &self.tournament.settings;
        let mut facts = vec![
            ("game", settings.game.clone()),
            ("seats", settings.seats.to_string()),
            ("format", settings.format.to_string()),
            ("clock", settings.clock.to_string()),
            ("seed", settings.seed.to_string()),
            (
                "matches",
                format!(
                    "{} of {}{}{}",
                    self.standings.played,
                    self.total,
                    words::left_out(self.standings),
                    if self.standings.over {
                        "; it is over"
                    } else {
                        ""
                    },
                ),
            ),
        ];
        let more = [
            ("options", words::options(settings)),
            ("length", words::rounds(settings)),
            ("begins with", words::opening(settings)),
        ];
        let more = more.map(|(name, fact)| fact.map(|fact| (name, fact)));
        facts.splice(3..3, more.into_iter().flatten());
        if settings.copies > 1 {
            facts.push(("copies of each bot", settings.copies.to_string()));
        }
        if let Some(running) = &self.standings.sprt {
            facts.push(("test", words::sequential_test(self.tournament, running)));
        }
        if settings.trust {
            facts.push(("trust", "processes were started without a jail".to_owned()));
        }
        for import in &self.standings.imports {
            let matches = import.matches;
            let were = if matches == 1 { "was" } else { "were" };
            let matches = counted(matches, "match");
            let told = format!("{matches} {were} played elsewhere, as {}", import.name);
            let told = match import.finished {
                true => told,
                false => format!("{told}; {}", words::IN_PART),
            };
            facts.push(("import", told));
        }
        facts
    }

    /// Who is paused, and why; a line for each.
    fn pauses(&self) -> impl Iterator<Item = String> {
        let pauses = self.standings.pauses.iter();
        pauses.map(|pause| words::paused(self.tournament, pause))
    }

    /// The headings of the standings.
    fn headings(&self) -> Vec<Heading> {
        let ranking = self.standings.ranking.iter().flat_map(|ranking| {
            ranking.by.iter().enumerate().map(|(at, heading)| {
                let mut cells = ranking.rows.iter().filter_map(|row| row.cells.get(at));
                (*heading, cells.all(|cell| cell.parse::<f64>().is_ok()))
            })
        });
        let repeated = self.repeats_the_score();
        let more = HEADINGS.into_iter();
        let more = more.filter(|(heading, _)| !(repeated && *heading == SCORE));
        FIRST.into_iter().chain(ranking).chain(more).collect()
    }

    /// Whether what the ranks come from says all that the score says.
    fn repeats_the_score(&self) -> bool {
        let Standings { ranking, rows, .. } = self.standings;
        ranking.as_ref().is_some_and(|ranking| {
            (0..ranking.by.len()).any(|at| {
                let mut both = ranking.rows.iter().zip(rows);
                both.all(|(ranked, row)| ranked.cells.get(at) == Some(&score(row)))
            })
        })
    }

    /// The standings, a list of cells for each row, in the order of [`Summary::headings`].
    fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let repeated = self.repeats_the_score();
        self.standings
            .rows
            .iter()
            .enumerate()
            .map(move |(at, row)| {
                let ranking = self.standings.ranking.as_ref();
                let ranked = ranking.and_then(|ranking| ranking.rows.get(at));
                let mut cells = vec![row.rank.to_string(), row.bot.clone()];
                cells.extend(
                    ranked
                        .iter()
                        .flat_map(|ranked| ranked.cells.iter().cloned()),
                );
                cells.extend([
                    format!("{:.0}", row.rating),
                    format!("{:.0} to {:.0}", row.low, row.high),
                    row.games.to_string(),
                    row.wins.to_string(),
                    row.draws.to_string(),
                    row.losses.to_string(),
                ]);
                cells.extend((!repeated).then(|| score(row)));
                cells.extend([
                    share(row),
                    share_interval(row),
                    row.faults.to_string(),
                    row.voids.to_string(),
                ]);
                cells
            })
    }
}

/// Its points in a hundred games, as they are shown; a dash where it has played none.
pub(crate) fn share(row: &Row) -> String {
    match row.games {
        0 => "-".to_owned(),
        _ => format!("{:.1}", row.percent),
    }
}

/// The 95 % interval of that share, if it has one.
pub(crate) fn share_interval(row: &Row) -> String {
    match (row.percent_low, row.percent_high) {
        (Some(low), Some(high)) => format!("{low:.1} to {high:.1}"),
        _ => String::new(),
    }
}

/// The points of a bot, as they are shown.
fn score(row: &Row) -> String {
    format!("{:.1}", row.score)
}

/// What is said where a cross table is of the first bots alone, in plain text; nothing where all are in it.
pub(crate) fn left_out(table: &CrossTable, most: usize) -> Option<String> {
    let bots = table.bots.len();
    (bots > most).then(|| format!("the first {most} of {bots} bots"))
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
    for c in plain_line(text).chars() {
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
