//! A page in Markdown, set for a terminal: paragraphs and tables no wider than it, headings that
//! stand out, and rulings that are reconstructions marked.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::terminal::Style;

/// Under so many columns a table is set as a list: its columns would be too narrow to read.
const NARROW: usize = 56;

/// The heading of the column that says on what ground a ruling stands, and the ground of a
/// reconstruction.
const GROUND: (&str, &str) = ("ground", "chosen");

/// What stands between two columns.
const GAP: &str = "  ";

/// What stands in front of a reconstruction, and of a ruling that is one in part; and what that means.
const MARKS: [(&str, &str); 2] = [
    (
        "* ",
        "* a reconstruction: the rulebook is silent, and this was chosen",
    ),
    (
        "+ ",
        "+ a reconstruction in part: the ground names what was chosen, the rest is the rulebook's or follows from it",
    ),
];

/// A blank within code, where no line is broken. It is set as a blank.
const TIED: char = '\u{a0}';

/// Part of code that is JSON. It is never broken, as nobody could copy it then.
const JSON: char = '{';

/// The page, for so many columns.
pub(crate) fn set(markdown: &str, width: usize, style: Style) -> String {
    let mut page = Page {
        width,
        style,
        text: String::new(),
        words: String::new(),
        rows: Vec::new(),
        lists: Vec::new(),
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.text.replace(TIED, " ")
}

/// A page that is being set.
struct Page {
    width: usize,
    style: Style,
    text: String,
    /// The words of the paragraph, item, heading or cell that is being read.
    words: String,
    rows: Vec<Vec<String>>,
    /// The lists that are open, each with the number of its next item if it has numbers.
    lists: Vec<Option<u64>>,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(first)) => {
                self.set_item();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.text.push('\n');
                }
            }
            Event::End(TagEnd::Item) => self.set_item(),
            Event::End(TagEnd::CodeBlock) => self.set_code(),
            Event::End(TagEnd::Heading(level)) => self.set_heading(level),
            Event::End(TagEnd::Paragraph) if self.lists.is_empty() => {
                let words = std::mem::take(&mut self.words);
                self.text += &filled(&words, self.width);
                self.text.push_str("\n\n");
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => self.rows.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            Event::End(TagEnd::Table) => self.set_table(),
            Event::Text(text) => self.words.push_str(&text),
            Event::Code(code) => self.words += &code.replace(' ', &TIED.to_string()),
            Event::SoftBreak | Event::HardBreak => self.words.push(' '),
            _ => {}
        }
    }

    fn set_heading(&mut self, level: HeadingLevel) {
        let words = std::mem::take(&mut self.words);
        self.text += &match self.style {
            Style::Terminal => self.style.bold(&words),
            Style::Plain => {
                let line = if level == HeadingLevel::H1 { "=" } else { "-" };
                let lines = textwrap::wrap(&words, whole_words(self.width));
                let widths = lines.iter().map(|line| textwrap::core::display_width(line));
                let under = line.repeat(widths.max().unwrap_or(0));
                format!("{}\n{under}", lines.join("\n"))
            }
        };
        self.text.push_str("\n\n");
    }

    /// What is drawn in letters stays as it is.
    fn set_code(&mut self) {
        for line in std::mem::take(&mut self.words).lines() {
            self.text += &format!("    {line}\n");
        }
        self.text.push('\n');
    }

    fn set_item(&mut self) {
        let words = std::mem::take(&mut self.words);
        let depth = self.lists.len();
        let Some(list) = self.lists.last_mut().filter(|_| !words.is_empty()) else {
            return;
        };
        let point = match list {
            Some(number) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            None => "- ".to_owned(),
        };
        let indent = "  ".repeat(depth - 1);
        self.text += &hanging(&words, &format!("{indent}{point}"), self.width);
    }

    fn set_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let marked = mark(&mut rows);
        let Some((head, rows)) = rows.split_first() else {
            return;
        };
        let columns = (self.width >= NARROW).then(|| widths(head, rows, self.width));
        match columns.flatten() {
            Some(widths) => self.set_columns(head, rows, &widths),
            None => rows.iter().for_each(|row| self.set_row(head, row)),
        }
        let meanings = MARKS.iter().zip(marked).filter(|(_, is_there)| *is_there);
        for ((_, meaning), _) in meanings.clone() {
            self.text += &hanging(meaning, "", self.width);
        }
        if meanings.count() > 0 {
            self.text.push('\n');
        }
    }

    /// A table as columns, with air between rows of several lines.
    fn set_columns(&mut self, head: &[String], rows: &[Vec<String>], widths: &[usize]) {
        let set: Vec<Vec<String>> = rows.iter().map(|row| lines(row, widths)).collect();
        for line in lines(head, widths) {
            self.text += &self.style.bold(&line);
            self.text.push('\n');
        }
        let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        self.text += &rules.join(GAP);
        self.text.push('\n');
        let air = set.iter().any(|row| row.len() > 1);
        for (at, row) in set.iter().enumerate() {
            if air && at > 0 {
                self.text.push('\n');
            }
            for line in row {
                self.text += line;
                self.text.push('\n');
            }
        }
        self.text.push('\n');
    }

    /// A row of a table as a paragraph: what it is about, and under it what the columns say.
    fn set_row(&mut self, head: &[String], row: &[String]) {
        let Some((about, cells)) = row.split_first() else {
            return;
        };
        if about.contains(JSON) && textwrap::core::display_width(about) > self.width {
            // As other code that is wider than the terminal.
            self.text += &format!("    {about}\n");
        } else {
            for line in wrapped(about, self.width) {
                self.text += &self.style.bold(&line);
                self.text.push('\n');
            }
        }
        let head = head.iter().skip(1);
        for (name, cell) in head.zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            // The longest column says what it is by itself.
            let words = match name.as_str() {
                "ruling" | "what" | "meaning" | "means" | "" => cell.clone(),
                name => format!("{name}: {cell}"),
            };
            self.text += &hanging(&words, "  ", self.width);
        }
        self.text.push('\n');
    }
}

/// The widths of a table's columns: the one with the most to say gets what the others leave, and
/// they get what they need, if it is not too much. JSON is not broken: nothing, if there is no room beside it.
fn widths(head: &[String], rows: &[Vec<String>], width: usize) -> Option<Vec<usize>> {
    let longest = |column: usize, measure: &dyn Fn(&str) -> usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let all = cells.chain(head.get(column));
        all.map(|cell| measure(cell)).max().unwrap_or(0)
    };
    let word = |cell: &str| {
        let words = cell.split(' ').map(textwrap::core::display_width);
        words.max().unwrap_or(0)
    };
    let json = |cell: &str| {
        let json = cell.split(' ').filter(|word| word.contains(JSON));
        json.map(textwrap::core::display_width).max().unwrap_or(0)
    };
    let needed = |column| longest(column, &textwrap::core::display_width).max(1);
    let columns = head.len();
    let widest = (0..columns).max_by_key(|&column| needed(column))?;
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| {
            let enough = (width / 5).max(longest(column, &word).min(width / 4));
            needed(column).min(enough.max(longest(column, &json)))
        })
        .collect();
    let others: usize = widths.iter().sum::<usize>() - widths[widest];
    let gaps = GAP.len() * (columns - 1);
    let left = width.saturating_sub(others + gaps);
    widths[widest] = needed(widest).min(left.max(1));
    let has_json = (0..columns).any(|column| longest(column, &json) > 0);
    let is_narrow = left < needed(widest).min((width / 3).max(longest(widest, &json)));
    (!has_json || !is_narrow).then_some(widths)
}

/// A row of a table as lines.
fn lines(row: &[String], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| wrapped(cell, *width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let parts = cells.iter().zip(widths).map(|(cell, width)| {
            let part = cell.get(at).map_or("", String::as_str);
            let blanks = width.saturating_sub(textwrap::core::display_width(part));
            format!("{part}{}", " ".repeat(blanks))
        });
        let line = parts.collect::<Vec<_>>().join(GAP);
        line.trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// Marks the rulings that are reconstructions, as a whole and in part; whether there are any of each.
fn mark(rows: &mut [Vec<String>]) -> [bool; 2] {
    let mut any = [false; 2];
    let Some((head, rows)) = rows.split_first_mut() else {
        return any;
    };
    let Some(ground) = head.iter().position(|name| name == GROUND.0) else {
        return any;
    };
    for row in rows {
        let grounds = row.get(ground).into_iter().flat_map(|cell| cell.split(';'));
        let (chosen, others): (Vec<&str>, Vec<&str>) =
            grounds.partition(|part| part.contains(GROUND.1));
        if chosen.is_empty() {
            continue;
        }
        let in_part = usize::from(!others.is_empty());
        row[0].insert_str(0, MARKS[in_part].0);
        any[in_part] = true;
    }
    any
}

/// Words as lines of so many columns, without the last line's end.
pub(crate) fn filled(words: &str, width: usize) -> String {
    let words = loosened(words, width);
    textwrap::fill(&words, keeping_json(&words, width))
}

fn wrapped(words: &str, width: usize) -> Vec<String> {
    let words = loosened(words, width);
    let lines = textwrap::wrap(&words, keeping_json(&words, width)).into_iter();
    lines.map(std::borrow::Cow::into_owned).collect()
}

/// Words in which code that is wider than a line may be broken between its words, if it is no JSON.
fn loosened(words: &str, width: usize) -> String {
    let words = words.split(' ').map(|word| {
        let fits = textwrap::core::display_width(word) <= width;
        if fits || word.contains(JSON) {
            word.to_owned()
        } else {
            word.replace(TIED, " ")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// How lines are broken: only between words, as a hyphen may be part of a move.
fn whole_words<'a>(width: usize) -> textwrap::Options<'a> {
    textwrap::Options::new(width).word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// The same, and JSON that is wider than a line stays whole.
fn keeping_json<'a>(words: &str, width: usize) -> textwrap::Options<'a> {
    whole_words(width).break_words(!words.contains(JSON))
}

/// Words behind a point, or indented; each line ends.
fn hanging(words: &str, point: &str, width: usize) -> String {
    let later = " ".repeat(point.len());
    let words = loosened(words, width.saturating_sub(point.len()));
    let options = keeping_json(&words, width)
        .initial_indent(point)
        .subsequent_indent(&later);
    textwrap::fill(&words, options) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# A title\n\n| point | ruling | ground |\n|---|---|---|\n\
        | start | White | text |\n| limit | after `so many` plies | **chosen**, as elsewhere |\n\n\
        1. one\n2. two\n";

    #[test]
    fn reconstructions_are_marked_and_the_mark_is_explained() {
        for width in [40, 80] {
            let text = set(TABLE, width, Style::Plain);
            let marked = text.lines().filter(|line| line.contains("* limit")).count();
            assert_eq!(marked, 1, "{text}");
            assert!(!text.contains("* start"), "{text}");
            assert!(text.contains("* a reconstruction"), "{text}");
        }
        let silent = set(
            "| point | ground |\n|---|---|\n| a | text |\n",
            80,
            Style::Plain,
        );
        assert!(!silent.contains("reconstruction"), "{silent}");
    }

    #[test]
    fn a_ruling_that_is_a_reconstruction_in_part_has_a_mark_of_its_own() {
        let mixed = "| point | ground |\n|---|---|\n| one | text |\n| two | text; the limit: **chosen** |\n\
            | three | **chosen**; but d: derived |\n| four | text; f: derived |\n";
        for width in [40, 80] {
            let text = set(mixed, width, Style::Plain);
            for (row, marked) in [
                ("+ two", true),
                ("+ three", true),
                ("+ one", false),
                ("+ four", false),
            ] {
                assert_eq!(text.contains(row), marked, "{row}: {text}");
            }
            assert!(text.contains("+ a reconstruction in part"), "{text}");
            assert!(!text.contains('*'), "{text}");
        }
    }

    #[test]
    fn code_is_broken_only_between_its_words_and_json_never() {
        let json = r#"{"landings":[{"side":0,"place":"top c3"}]}"#;
        let page = format!("Long words `launch top c3 bomb` and `{json}` in a text.\n");
        for width in 20..80 {
            let text = set(&page, width, Style::Plain);
            assert!(text.contains(json), "{text}");
            assert!(width < 30 || text.contains("launch top c3 bomb"), "{text}");
        }
    }

    /// The chance events of Puissance 4 Flip, whose longest is wider than a column.
    fn chance_events(width: usize) -> String {
        let page = include_str!("../docs/rules/puissance4.md");
        let from = page.find("Chance events.").expect("the table is there");
        let to = page[from..].find("\n## ").expect("another part follows");
        set(&page[from..from + to], width, Style::Plain)
    }

    #[test]
    fn the_table_of_chance_events_is_a_list_at_60_columns() {
        insta::assert_snapshot!(chance_events(60), @r###"
    Chance events. A place is top c3, top rim or miss; a token
    is named by its side and, in the simultaneous games, the
    tick of its launch:

    {"delays":[{"side":0,"flight":3,"reload":5}]}
      flight and reload of each launch of this tick; reload is
      without hand_over

    {"landings":[{"side":0,"launched":12,"place":"top c3"}]}
      what comes down where, in order; drawn when it comes down,
      not before

    {"reactions":[{"side":1,"ticks":2}]}
      how long a side takes to claim its new lines

    {"claimant":1}
      who is heard first

    {"starter":0}
      who starts (extra pro)

    {"landings":[{"side":0,"kind":"bomb","place":"top rim"}]}
      where the token comes down (extra pro)
    "###);
    }

    #[test]
    fn the_table_of_chance_events_is_a_list_at_80_columns() {
        insta::assert_snapshot!(chance_events(80), @r###"
    Chance events. A place is top c3, top rim or miss; a token is named by its side
    and, in the simultaneous games, the tick of its launch:

    {"delays":[{"side":0,"flight":3,"reload":5}]}
      flight and reload of each launch of this tick; reload is without hand_over

    {"landings":[{"side":0,"launched":12,"place":"top c3"}]}
      what comes down where, in order; drawn when it comes down, not before

    {"reactions":[{"side":1,"ticks":2}]}
      how long a side takes to claim its new lines

    {"claimant":1}
      who is heard first

    {"starter":0}
      who starts (extra pro)

    {"landings":[{"side":0,"kind":"bomb","place":"top rim"}]}
      where the token comes down (extra pro)
    "###);
    }

    #[test]
    fn the_table_of_chance_events_has_columns_at_100() {
        insta::assert_snapshot!(chance_events(100), @r###"
    Chance events. A place is top c3, top rim or miss; a token is named by its side and, in the
    simultaneous games, the tick of its launch:

    event                                                      meaning
    ---------------------------------------------------------  -----------------------------------------
    {"delays":[{"side":0,"flight":3,"reload":5}]}              flight and reload of each launch of this
                                                               tick; reload is without hand_over

    {"landings":[{"side":0,"launched":12,"place":"top c3"}]}   what comes down where, in order; drawn
                                                               when it comes down, not before

    {"reactions":[{"side":1,"ticks":2}]}                       how long a side takes to claim its new
                                                               lines

    {"claimant":1}                                             who is heard first

    {"starter":0}                                              who starts (extra pro)

    {"landings":[{"side":0,"kind":"bomb","place":"top rim"}]}  where the token comes down (extra pro)
    "###);
    }

    #[test]
    fn a_heading_is_bold_on_a_terminal_and_underlined_elsewhere() {
        assert!(set(TABLE, 80, Style::Plain).starts_with("A title\n=======\n"));
        assert!(set(TABLE, 80, Style::Terminal).starts_with("\x1b[1mA title\x1b[0m\n"));
        assert!(!set(TABLE, 80, Style::Plain).contains('\x1b'));
    }

    #[test]
    fn a_numbered_list_keeps_its_numbers() {
        assert!(set(TABLE, 80, Style::Plain).contains("1. one\n2. two\n"));
    }

    #[test]
    fn a_page_of_rules_is_not_wider_than_the_terminal() {
        for game in flipside_games::GAMES {
            let page = flipside_operations::rules(*game).expect("it has a page");
            for width in [40, 60, 80, 100] {
                let text = set(&page, width, Style::Plain);
                for line in text.lines().filter(|line| !line.starts_with("    ")) {
                    let columns = textwrap::core::display_width(line);
                    assert!(columns <= width, "{columns} of {width}: {line}");
                }
            }
        }
    }
}
