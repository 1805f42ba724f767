//! A table of the crate `report` as a page shows it: cells that link to what they name, headings that sort, rows in
//! pages. What a column says is the report's; only where its cells lead is said here.

use std::borrow::Cow;

use askama::Template;
use flipside_games::{find, without_version};
use flipside_report::{ReportTable, words};
use flipside_tournament::{BotRef, Name};
use serde::Deserialize;

use super::times::When;

/// Rows of a page of a table.
pub(crate) const PAGE_ROWS: usize = 100;

/// The same where a page has several tables.
const FEW_ROWS: usize = 25;

/// How many rows people look through without a filter.
const MOST_UNFILTERED: usize = 12;

/// The longest text that rows are filtered by, in characters.
const MAX_FILTER: usize = 100;

/// Columns that are dropped at this order or a later one, where there is no room, are shown when somebody asks for more.
const MORE: u16 = 2;

/// How many colours bots have.
const TINTS: u32 = 12;

/// What is asked of the tables of a page, in its address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct TableQuery {
    /// `TABLE.COLUMN`, or `-TABLE.COLUMN` for the highest first.
    pub(crate) sort: Option<String>,
    /// Only rows with this text.
    pub(crate) filter: Option<String>,
    /// Which page of the rows, from 1.
    pub(crate) page: Option<usize>,
}

/// A table of a page.
#[derive(Template)]
#[template(path = "table.html")]
pub(crate) struct Grid {
    /// Its id in the page.
    pub(crate) id: Cow<'static, str>,
    pub(crate) caption: String,
    pub(crate) columns: Vec<ColumnHeading>,
    pub(crate) rows: Vec<Vec<TableCell>>,
    /// What stands below.
    pub(crate) notes: Vec<String>,
    /// What is said in place of no rows.
    pub(crate) nothing: String,
    pub(crate) pager: Option<Pager>,
    /// What rows are filtered by, where they can be.
    pub(crate) filter: Option<String>,
    /// Whether all columns are shown at once.
    pub(crate) shows_all: bool,
}

/// A column's heading.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnHeading {
    pub(crate) text: String,
    pub(crate) class: &'static str,
    /// Where the table is sorted by it, if it can be.
    pub(crate) sort: Option<String>,
    /// `ascending` or `descending`, if it is sorted by it now.
    pub(crate) sorted: Option<&'static str>,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableCell {
    pub(crate) text: String,
    pub(crate) href: Option<String>,
    pub(crate) class: &'static str,
    /// A drawing in place of the text, which then describes it.
    pub(crate) drawing: Option<String>,
    /// Several texts in place of the one, which says the same.
    pub(crate) parts: Vec<CellPart>,
    /// The moment that the text is, if it is one.
    pub(crate) when: Option<When>,
    /// What rows are ordered by, if not by the text.
    pub(crate) measure: Option<String>,
    /// The colour of the bot that it links to.
    pub(crate) tint: Option<u32>,
    /// What is heard beside the text of its link.
    pub(crate) unseen: Option<String>,
    /// How one of the first ranks looks.
    pub(crate) medal: Option<&'static str>,
}

/// A text in a cell with several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellPart {
    pub(crate) text: String,
    pub(crate) href: Option<String>,
    /// The colour of the bot that it links to.
    pub(crate) tint: Option<u32>,
    /// Whether it is what matters.
    pub(crate) is_strong: bool,
}

impl CellPart {
    /// Words without a link.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        CellPart {
            text: text.into(),
            ..CellPart::default()
        }
    }

    /// A bot, with a link to its page.
    pub(crate) fn bot(label: &str, is_strong: bool) -> Self {
        CellPart {
            text: label.to_owned(),
            href: bot_address(label),
            tint: Some(tint(label)),
            is_strong,
        }
    }
}

impl TableCell {
    /// A text in a column of words.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        TableCell {
            text: text.into(),
            ..TableCell::default()
        }
    }

    /// Texts that are read one after the other.
    pub(crate) fn of_parts(parts: Vec<CellPart>) -> Self {
        TableCell {
            text: parts.iter().map(|part| part.text.as_str()).collect(),
            parts,
            ..TableCell::default()
        }
    }

    /// A moment in milliseconds since 1970.
    pub(crate) fn moment(unix_ms: u64) -> Self {
        let when = When::at(unix_ms);
        TableCell {
            text: when.rfc().to_owned(),
            measure: Some(when.rfc().to_owned()),
            when: Some(when),
            ..TableCell::default()
        }
    }

    /// A game, by its title.
    pub(crate) fn game(id: &str) -> Self {
        TableCell {
            text: game_title(id),
            href: game_address(id),
            ..TableCell::default()
        }
    }
}

/// The way from page to page.
#[derive(Clone, Debug)]
pub(crate) struct Pager {
    pub(crate) text: String,
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
}

impl TableQuery {
    /// The same in one form, for the key of a page.
    pub(crate) fn key(&self) -> String {
        format!(
            "{:?} {:?} {}",
            self.sort,
            self.filter(),
            self.page.unwrap_or(1)
        )
    }

    /// The first row of the page, of so many rows in all, with at most so many on a page.
    pub(crate) fn from(&self, total: usize, most: usize) -> usize {
        let pages = total.div_ceil(most).max(1);
        (self.page.unwrap_or(1).clamp(1, pages) - 1) * most
    }

    /// The text that rows are filtered by, if there is one.
    pub(crate) fn filter(&self) -> Option<String> {
        let text = self.filter.as_deref()?.trim();
        let cut: String = text.chars().take(MAX_FILTER).collect();
        (!cut.is_empty()).then_some(cut)
    }

    /// By which column of a table, and whether the highest come first.
    pub(crate) fn sort_of(&self, table: &str) -> Option<(&str, bool)> {
        let sort = self.sort.as_deref()?;
        let (sort, descending) = match sort.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (sort, false),
        };
        let (of, column) = sort.split_once('.')?;
        (of == table).then_some((column, descending))
    }

    /// An address of this page with one thing changed.
    fn address(&self, sort: Option<&str>, page: usize) -> String {
        let (filter, page) = (self.filter(), (page > 1).then(|| page.to_string()));
        query([
            ("sort", sort.or(self.sort.as_deref())),
            ("filter", filter.as_deref()),
            ("page", page.as_deref()),
        ])
    }
}

impl Grid {
    /// A table with links, sorted and filtered as is asked, a page of it.
    pub(crate) fn of(id: &'static str, table: ReportTable, asked: &TableQuery) -> Self {
        Grid::of_rows(id.into(), table, asked, PAGE_ROWS)
    }

    /// The same in pages of fewer rows, for a page with several tables.
    pub(crate) fn beside_others(
        id: impl Into<Cow<'static, str>>,
        table: ReportTable,
        asked: &TableQuery,
    ) -> Self {
        Grid::of_rows(id.into(), table, asked, FEW_ROWS)
    }

    fn of_rows(
        id: Cow<'static, str>,
        mut table: ReportTable,
        asked: &TableQuery,
        most: usize,
    ) -> Self {
        if let Some(text) = asked.filter() {
            table.filter(&text);
        }
        if let Some((column, descending)) = asked.sort_of(&id) {
            table.sort(column, descending);
        }
        let total = table.rows();
        let from = asked.from(total, most);
        let shown: Vec<usize> = (from..total.min(from + most)).collect();
        table.pick(&shown);
        Grid::shown(id, &table, asked, [total, most], |_| true)
    }

    /// A page of a table whose other rows are not there: it was sorted and filtered where it comes from, by these
    /// columns, and has so many rows in all.
    pub(crate) fn of_page(
        id: &'static str,
        table: &ReportTable,
        asked: &TableQuery,
        total: usize,
        sorts: &[&str],
    ) -> Self {
        let sorts = |column: &str| sorts.contains(&column);
        Grid::shown(id.into(), table, asked, [total, PAGE_ROWS], sorts)
    }

    /// The rows of a page, out of so many, with links to the other pages.
    fn shown(
        id: Cow<'static, str>,
        table: &ReportTable,
        asked: &TableQuery,
        [total, most]: [usize; 2],
        sorts: impl Fn(&str) -> bool,
    ) -> Self {
        let (filter, sorted) = (asked.filter(), asked.sort_of(&id));
        let (pages, from) = (total.div_ceil(most), asked.from(total, most));
        let page = from / most + 1;
        let pager = (pages > 1).then(|| Pager {
            text: format!("{} to {} of {total}", from + 1, from + table.rows()),
            previous: (page > 1).then(|| asked.address(None, page - 1)),
            next: (page < pages).then(|| asked.address(None, page + 1)),
        });
        let columns: Vec<_> = table.shown_columns().collect();
        let headings = columns.iter().map(|column| {
            let column_id = column.id();
            let now = sorted.filter(|(by, _)| *by == column_id);
            // Numbers are read from the highest, but for ranks.
            let first = column.is_number() && column_id != "rank";
            let descending = now.map_or(first, |(_, descending)| !descending);
            let sort = format!("{}{id}.{column_id}", if descending { "-" } else { "" });
            ColumnHeading {
                text: column.heading(),
                class: class(column.is_number(), column.spare()),
                sort: sorts(&column_id).then(|| format!("{}#{id}", asked.address(Some(&sort), 1))),
                sorted: now.map(|(_, is)| if is { "descending" } else { "ascending" }),
            }
        });
        let headings: Vec<ColumnHeading> = headings.collect();
        let row = |row: usize| {
            let cells = columns.iter().map(|column| {
                let text = column.cell(row);
                let id = column.id();
                let when = column.is_moment().then(|| When::of(&text)).flatten();
                let href = address(&id, column.is_name(), &text);
                let is_of_bot = href.as_ref().is_some_and(|to| to.starts_with("/bots/"));
                let rank = (id == "rank").then(|| text.parse().ok()).flatten();
                TableCell {
                    class: class(column.is_number(), column.spare()),
                    medal: rank.and_then(medal),
                    measure: match &when {
                        Some(when) => Some(when.rfc().to_owned()),
                        None => column.measure(row),
                    },
                    when,
                    tint: is_of_bot.then(|| tint(&text)),
                    text: match &*id {
                        "game" => game_title(&text),
                        "format" => words::format_title(&text),
                        "plays" => titles(text),
                        _ => text,
                    },
                    href,
                    ..TableCell::default()
                }
            });
            cells.collect()
        };
        Grid {
            id,
            caption: table.title.to_string(),
            columns: headings,
            rows: (0..table.rows()).map(row).collect(),
            notes: table.captions.clone(),
            nothing: match filter {
                Some(text) => format!("no row has {text:?}"),
                None => "nothing yet".into(),
            },
            pager,
            filter: None,
            shows_all: false,
        }
    }

    /// A table of other cells than a report's.
    pub(crate) fn of_cells(
        id: &'static str,
        caption: impl Into<String>,
        headings: &[(&str, &'static str)],
        rows: Vec<Vec<TableCell>>,
    ) -> Self {
        let heading = |(text, class): &(&str, &'static str)| ColumnHeading {
            text: (*text).to_owned(),
            class,
            ..ColumnHeading::default()
        };
        Grid {
            id: id.into(),
            caption: caption.into(),
            columns: headings.iter().map(heading).collect(),
            rows,
            notes: Vec::new(),
            nothing: "nothing yet".into(),
            pager: None,
            filter: None,
            shows_all: false,
        }
    }

    /// Whether there are columns that are shown when somebody asks for more.
    fn has_more(&self) -> bool {
        let is_more = |column: &ColumnHeading| column.class.ends_with("more");
        !self.shows_all && self.columns.iter().any(is_more)
    }

    /// A table without links that sort: a short one, or one in an order that matters.
    pub(crate) fn plain(id: &'static str, table: ReportTable) -> Self {
        Grid::of(id, table, &TableQuery::default()).unsorted()
    }

    /// The same without links that sort.
    #[must_use]
    pub(crate) fn unsorted(mut self) -> Self {
        for column in &mut self.columns {
            column.sort = None;
        }
        self
    }

    fn sorts(&self) -> bool {
        self.columns.iter().any(|column| column.sort.is_some())
    }

    /// What it is called.
    #[must_use]
    pub(crate) fn titled(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// What is said in place of no rows, unless they were filtered out.
    #[must_use]
    pub(crate) fn or(mut self, nothing: &str) -> Self {
        if self.nothing == "nothing yet" {
            self.nothing = nothing.to_owned();
        }
        self
    }

    /// Lets its rows be filtered, where they are too many to be looked through.
    #[must_use]
    pub(crate) fn filtered(mut self, asked: &TableQuery) -> Self {
        let is_long = self.rows.len() > MOST_UNFILTERED || self.pager.is_some();
        if is_long || asked.filter().is_some() {
            self.filter = Some(asked.filter().unwrap_or_default());
        }
        self
    }

    /// Adds a column of drawings: for each row a drawing and what it says, from the text of the cells before.
    pub(crate) fn draw(&mut self, heading: &str, drawing: impl Fn(usize) -> (String, String)) {
        self.columns.push(ColumnHeading {
            text: heading.to_owned(),
            class: "drawn",
            ..ColumnHeading::default()
        });
        for (at, row) in self.rows.iter_mut().enumerate() {
            let (drawing, text) = drawing(at);
            row.push(TableCell {
                text,
                drawing: Some(drawing),
                class: "drawn",
                ..TableCell::default()
            });
        }
    }

    /// The text of a cell, by the heading of its column.
    pub(crate) fn text(&self, row: usize, heading: &str) -> &str {
        let at = self
            .columns
            .iter()
            .position(|column| column.text == heading);
        at.map_or("", |at| &self.rows[row][at].text)
    }
}

/// How the first ranks look.
pub(crate) fn medal(rank: usize) -> Option<&'static str> {
    match rank {
        1 => Some("gold"),
        2 => Some("silver"),
        3 => Some("bronze"),
        _ => None,
    }
}

fn class(is_number: bool, spare: u16) -> &'static str {
    match (is_number, spare >= MORE) {
        (true, true) => "n more",
        (true, false) => "n",
        (false, true) => "more",
        (false, false) => "",
    }
}

/// The colour of a bot: all versions of a name have the same.
pub(crate) fn tint(label: &str) -> u32 {
    let name = label.split('@').next().unwrap_or(label);
    let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    // FNV-1a, of whose middle bits those of short names differ most.
    (name.bytes().fold(0x811c_9dc5, add) >> 14) % TINTS
}

/// A list of games by what they are called, if it is one.
fn titles(ids: String) -> String {
    let titles = ids.split(' ').map(|id| find(id).map(|_| game_title(id)));
    let titles: Option<Vec<String>> = titles.collect();
    titles.map_or(ids, |titles| titles.join(", "))
}

/// What a game is called; its id, where it is not known.
pub(crate) fn game_title(id: &str) -> String {
    match find(id) {
        Some(game) if without_version(id) == id => game.info().title.to_owned(),
        // Games of an arena have versions, which their titles do not tell.
        Some(game) => format!("{} ({id})", game.info().title),
        None => id.to_owned(),
    }
}

/// Where a cell of a column leads.
fn address(column: &str, is_name: bool, text: &str) -> Option<String> {
    match column {
        "bot" => bot_address(text),
        "of" | "opponent" | "against" | "winner" if is_name => bot_address(text),
        "tournament" => tournament_address(text),
        "match" => match_address(text),
        "game" => game_address(text),
        _ => None,
    }
}

/// The page of a bot, by its name with or without a version.
pub(crate) fn bot_address(label: &str) -> Option<String> {
    let bot: BotRef = label.parse().ok()?;
    Some(match bot.version {
        Some(version) => format!("/bots/{}@{version}", bot.name),
        None => format!("/bots/{}", bot.name),
    })
}

/// The page of a tournament.
pub(crate) fn tournament_address(name: &str) -> Option<String> {
    let name: Name = name.parse().ok()?;
    Some(format!("/tournaments/{name}"))
}

/// The page of a match. Its id is a tournament's name and a number.
pub(crate) fn match_address(id: &str) -> Option<String> {
    let (tournament, index) = id.rsplit_once('-')?;
    let (tournament, index): (Name, u64) = (tournament.parse().ok()?, index.parse().ok()?);
    Some(format!("/matches/{tournament}-{index}"))
}

/// The page of a game.
pub(crate) fn game_address(id: &str) -> Option<String> {
    find(id).map(|game| format!("/games/{}", game.info().id))
}

/// The query of an address, of what has a value.
pub(crate) fn query<'a>(parts: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> String {
    let part = |(name, value): (_, Option<_>)| Some(format!("{name}={}", encoded(value?)));
    let parts: Vec<String> = parts.into_iter().filter_map(part).collect();
    format!("?{}", parts.join("&"))
}

/// A text in the query of an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}
