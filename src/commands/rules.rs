use flipside_games::AnyGame;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::commands::games;
use crate::failure::{Failure, Result};
use crate::output;

/// What all games have in common, and the list of pages.
const COMMON: &str = include_str!("../../docs/rules/README.md");

/// The pages. The heading of each names the games that it is about.
const PAGES: &[&str] = &[
    include_str!("../../docs/rules/flip4.md"),
    include_str!("../../docs/rules/flipflop.md"),
    include_str!("../../docs/rules/flipfour.md"),
    include_str!("../../docs/rules/phase10-flip.md"),
    include_str!("../../docs/rules/puissance4.md"),
    include_str!("../../docs/rules/yonmoque.md"),
];

/// The narrowest page.
const NARROWEST: usize = 40;

/// The widest page: longer lines are hard to read.
const WIDEST: usize = 100;

/// Show the rules of a game, its notation and its options
///
/// Each ruling says on what ground it stands; a reconstruction, where a rulebook is silent, is marked
/// as chosen. Without a game, what all games have in common.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game.
    game: Option<String>,
    /// Print the page as it is written, in Markdown.
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let Some(id) = &args.game else {
        return output::print(&match args.markdown {
            true => COMMON.to_owned(),
            false => rendered(COMMON, width()),
        });
    };
    let game = games::find(id)?;
    let written = page(game.info().id)?;
    let options = options(game);
    output::print(&match args.markdown {
        true => format!("{written}\n{options}"),
        false => format!(
            "{}\n`flipside rules` tells what all games have in common.\n",
            rendered(&format!("{written}\n{options}"), width())
        ),
    })
}

/// The page of a game, as it is written.
pub(crate) fn page(id: &str) -> Result<&'static str> {
    let about = |page: &&&str| {
        let heading = page.lines().next().unwrap_or_default();
        heading.contains(&format!("`{id}`"))
    };
    let page = PAGES.iter().find(about);
    page.copied()
        .ok_or_else(|| Failure::new(format!("there is no page about {id}")))
}

fn width() -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns
        .or_else(terminal)
        .unwrap_or(WIDEST)
        .clamp(NARROWEST, WIDEST)
}

/// The options of a game as a table: from their schema, so that it cannot be out of date.
fn options(game: &dyn AnyGame) -> String {
    let schema = game.schemas().options.to_value();
    let defaults: Value = game
        .presets()
        .first()
        .and_then(|(_, json)| serde_json::from_str(json).ok())
        .unwrap_or_default();
    let mut table =
        String::from("## Options\n\n| option | default | range | meaning |\n|---|---|---|---|\n");
    describe(&schema, &schema, &defaults, "", &mut table);
    table
}

/// Adds a line for each option of an object, and of the objects in it.
fn describe(root: &Value, schema: &Value, defaults: &Value, path: &str, table: &mut String) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, option) in properties {
        let target = resolved(root, option);
        let name = format!("{path}{name}");
        let default = &defaults[name.rsplit('.').next().unwrap_or(&name)];
        if target["properties"].is_object() {
            describe(root, target, default, &format!("{name}."), table);
            continue;
        }
        let meaning = [option, target]
            .into_iter()
            .find_map(|schema| schema["description"].as_str())
            .unwrap_or_default();
        let default = match default {
            Value::Null => "-".into(),
            default => default.to_string(),
        };
        let line = format!(
            "| `{name}` | `{default}` | {} | {} |\n",
            range(target),
            meaning.replace('\n', " ").replace('|', "\\|")
        );
        table.push_str(&line);
    }
}

/// What a reference points to, and the one thing that an option that may be missing can be.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(path) = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'))
    {
        return root.pointer(path).unwrap_or(schema);
    }
    let either = schema["anyOf"].as_array().or(schema["allOf"].as_array());
    let thing = either.and_then(|all| all.iter().find(|one| one["type"] != "null"));
    thing.map_or(schema, |thing| resolved(root, thing))
}

/// What an option may be.
fn range(schema: &Value) -> String {
    let bound = |key: &str| (!schema[key].is_null()).then(|| schema[key].to_string());
    let named = |all: &Value| {
        let names = all.as_array().into_iter().flatten();
        names.map(|one| format!("`{one}`")).collect::<Vec<_>>()
    };
    if let Some(all) = schema["oneOf"].as_array() {
        let constants = all.iter().map(|one| format!("`{}`", one["const"]));
        return constants.collect::<Vec<_>>().join(", ");
    }
    if schema["enum"].is_array() {
        return named(&schema["enum"]).join(", ");
    }
    match (bound("minimum"), bound("maximum"), schema["type"].as_str()) {
        (Some(least), Some(most), _) => format!("{least} to {most}"),
        (_, _, Some("boolean")) => "`true`, `false`".into(),
        (_, _, Some("array")) => match (bound("minItems"), bound("maxItems")) {
            (Some(least), Some(most)) if least == most => format!("a list of {least}"),
            _ => "a list".into(),
        },
        (_, _, Some(other)) => other.into(),
        _ => String::new(),
    }
}

/// A page for a terminal: paragraphs and tables as wide as it, headings underlined.
fn rendered(markdown: &str, width: usize) -> String {
    let mut page = Page::new(width);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.text
}

/// A page that is being set.
struct Page {
    width: usize,
    text: String,
    /// The words of the paragraph, heading or cell that is being read.
    words: String,
    rows: Vec<Vec<String>>,
    lists: usize,
    code: bool,
}

impl Page {
    fn new(width: usize) -> Self {
        Page {
            width,
            text: String::new(),
            words: String::new(),
            rows: Vec::new(),
            lists: 0,
            code: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(_)) => {
                self.set_item();
                self.lists += 1;
            }
            Event::End(TagEnd::List(_)) => {
                self.lists -= 1;
                self.text.push('\n');
            }
            Event::End(TagEnd::Item) => self.set_item(),
            Event::Start(Tag::CodeBlock(_)) => self.code = true,
            Event::End(TagEnd::CodeBlock) => {
                self.code = false;
                let block = std::mem::take(&mut self.words);
                for line in block.lines() {
                    self.text += &format!("    {line}\n");
                }
                self.text.push('\n');
            }
            Event::End(TagEnd::Heading(level)) => self.set_heading(level),
            Event::End(TagEnd::Paragraph) if self.lists == 0 => {
                let words = std::mem::take(&mut self.words);
                self.text += &textwrap::fill(&words, self.width);
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
            Event::Text(text) | Event::Code(text) => self.words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => self.words.push(' '),
            _ => {}
        }
    }

    fn set_heading(&mut self, level: HeadingLevel) {
        let words = std::mem::take(&mut self.words);
        let line = if level == HeadingLevel::H1 { "=" } else { "-" };
        let lines = textwrap::wrap(&words, self.width);
        let widths = lines.iter().map(|line| textwrap::core::display_width(line));
        let under = line.repeat(widths.max().unwrap_or(0));
        self.text += &format!("{}\n{under}\n\n", lines.join("\n"));
    }

    fn set_item(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.is_empty() || self.lists == 0 {
            return;
        }
        let indent = "  ".repeat(self.lists - 1);
        let (first, later) = (format!("{indent}- "), format!("{indent}  "));
        let wrap = textwrap::Options::new(self.width)
            .initial_indent(&first)
            .subsequent_indent(&later);
        self.text += &textwrap::fill(&words, wrap);
        self.text.push('\n');
    }

    fn set_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows).into_iter();
        let head = rows.next().unwrap_or_default();
        self.text += &output::wrapped(&head, rows, self.width);
        self.text.push_str("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_one_page_and_every_page_is_listed() {
        for game in flipside_games::GAMES {
            let id = game.info().id;
            let heading = |page: &&&str| {
                page.lines()
                    .next()
                    .is_some_and(|line| line.contains(&format!("`{id}`")))
            };
            assert_eq!(PAGES.iter().filter(heading).count(), 1, "{id}");
            assert!(
                COMMON.contains(&format!("`{id}`")),
                "{id} is not in the list"
            );
        }
    }

    #[test]
    fn every_option_is_named_with_its_range() {
        for game in flipside_games::GAMES {
            let table = options(*game);
            for line in table.lines().skip(4) {
                let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
                assert!(
                    cells.len() >= 4 && cells.iter().all(|cell| !cell.is_empty()),
                    "{line}"
                );
            }
        }
        let table = options(flipside_games::find("flip4").expect("built in"));
        assert!(
            table.contains("| `max_turns` | `3000` | 1 to 1000000 |"),
            "{table}"
        );
        assert!(
            table.contains("`mover`") || table.contains("\"mover\""),
            "{table}"
        );
    }

    #[test]
    fn a_page_is_as_wide_as_the_terminal() {
        for page in PAGES {
            let text = rendered(page, 60);
            let code: Vec<&str> = page.lines().filter(|line| !line.starts_with('|')).collect();
            for line in text.lines().filter(|line| !line.starts_with("    ")) {
                assert!(
                    textwrap::core::display_width(line) <= 60 || code.contains(&line),
                    "{line}"
                );
            }
        }
    }
}
