//! The pages about the games, with the options of each as a table.

use flipside_games::AnyGame;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::guides::{Guide, guide, guides};

/// The folder of the pages, each with the name of a file. The heading of a page names its games.
const FOLDER: &str = "docs/rules/";

/// The page about what all games have in common, with the list of the others.
const COMMON: &str = "docs/rules/README.md";

/// The pages about games.
pub(crate) fn pages() -> impl Iterator<Item = &'static Guide> {
    let pages = guides().iter();
    pages.filter(|page| page.path.starts_with(FOLDER) && page.path != COMMON)
}

/// The file of such a page in a folder of its own: `rules/NAME.md`.
pub(crate) fn file_of(page: &Guide) -> &'static str {
    page.path.strip_prefix("docs/").unwrap_or(page.path)
}

/// The page of a game.
///
/// # Errors
/// When there is none.
pub fn rules_page(id: &str) -> Result<&'static Guide> {
    let named = format!("`{id}`");
    let page = pages().find(|page| page.head().contains(&named));
    page.ok_or_else(|| Failure::new(format!("there is no page about {id}")))
}

/// All that is to be known of a game, in Markdown: its page, its options where the page does not list
/// them itself, and where the rest is.
///
/// # Errors
/// When there is no page about it.
pub fn rules(game: &dyn AnyGame) -> Result<String> {
    let page = match game.program() {
        None => rules_page(game.info().id)?.text,
        Some(program) => program.rules.as_str(),
    };
    let rows = rows(game);
    let options = if rows.iter().all(|(name, _)| rows_about(page, name) > 0) {
        String::new()
    } else {
        format!("{}\n", options_table(game))
    };
    Ok(format!(
        "{page}\n{options}`flipside rules` tells what all games have in common.\n"
    ))
}

/// How many rows of a page's tables of options are about one, alone or with others.
fn rows_about(page: &str, option: &str) -> usize {
    let names = [format!("`{option}`"), format!(".{option}`")];
    let mut is_of_options = false;
    page.lines()
        .filter(|line| {
            let first = line.split('|').nth(1).unwrap_or_default();
            is_of_options = line.starts_with('|') && (is_of_options || first.trim() == "option");
            is_of_options && names.iter().any(|name| first.contains(name))
        })
        .count()
}

/// The game that is meant: also by the name of a page, which is about its first game then.
pub fn game_of(named: &str) -> &str {
    let file = format!("{FOLDER}{named}.md");
    let page = pages().find(|page| page.path == file);
    page.and_then(|page| page.head().split('`').nth(1))
        .unwrap_or(named)
}

/// What all games have in common, in Markdown.
///
/// # Errors
/// When there is no page about it.
pub fn common_rules() -> Result<&'static str> {
    let page = guide(COMMON);
    page.map(|page| page.text)
        .ok_or_else(|| Failure::new("there is no page about what the games have in common"))
}

/// The options of a game as a table in Markdown: from their schema, so that it cannot be out of date.
pub fn options_table(game: &dyn AnyGame) -> String {
    let mut table = format!(
        "## The options of `{}`\n\n| option | default | range | meaning |\n|---|---|---|---|\n",
        game.info().id
    );
    table.extend(rows(game).into_iter().map(|(_, row)| row));
    table
}

/// The options of a game: the name of each, without the objects that it is in, and its row in a table.
fn rows(game: &dyn AnyGame) -> Vec<(String, String)> {
    let schema = game.schemas().options.to_value();
    let presets = game.presets();
    let defaults = presets.first().map(|(_, json)| serde_json::from_str(json));
    let defaults: Value = defaults.and_then(Result::ok).unwrap_or_default();
    let mut rows = Vec::new();
    describe(&schema, &schema, &defaults, "", &mut rows);
    rows
}

/// Adds a row for each option of an object, and of the objects in it.
fn describe(
    root: &Value,
    schema: &Value,
    defaults: &Value,
    path: &str,
    rows: &mut Vec<(String, String)>,
) {
    for (name, option) in schema["properties"].as_object().into_iter().flatten() {
        let target = resolved(root, option);
        let default = &defaults[name];
        if target["properties"].is_object() {
            describe(root, target, default, &format!("{path}{name}."), rows);
            continue;
        }
        let mut schemas = [option, target].into_iter();
        let meaning = schemas.find_map(|schema| schema["description"].as_str());
        let meaning = meaning.unwrap_or_default().replace('\n', " ");
        let default = match default {
            Value::Null => "-".into(),
            default => default.to_string(),
        };
        let row = format!(
            "| `{path}{name}` | `{default}` | {} | {} |\n",
            range(target),
            meaning.replace('|', "\\|")
        );
        rows.push((name.clone(), row));
    }
}

/// What a reference points to, and the one thing that an option that may be missing can be.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str();
    if let Some(path) = reference.and_then(|path| path.strip_prefix('#')) {
        return root.pointer(path).unwrap_or(schema);
    }
    let either = schema["anyOf"].as_array().or(schema["allOf"].as_array());
    let thing = either.and_then(|all| all.iter().find(|one| one["type"] != "null"));
    thing.map_or(schema, |thing| resolved(root, thing))
}

/// What an option may be.
fn range(schema: &Value) -> String {
    let bound = |key: &str| (!schema[key].is_null()).then(|| schema[key].to_string());
    let constants = schema["oneOf"].as_array().into_iter().flatten();
    let values = schema["enum"].as_array().into_iter().flatten();
    let named = constants.map(|one| &one["const"]).chain(values);
    let named: Vec<String> = named.map(|one| format!("`{one}`")).collect();
    if !named.is_empty() {
        return named.join(", ");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_one_page_and_a_row_in_the_list_of_pages() {
        let list = common_rules().expect("the list is a page too");
        for game in flipside_games::GAMES {
            let id = format!("`{}`", game.info().id);
            let heads = |page: &str| page.lines().next().is_some_and(|head| head.contains(&id));
            let pages: Vec<&str> = pages()
                .filter(|page| heads(page.text))
                .map(|page| &page.path[FOLDER.len()..])
                .collect();
            let [page] = pages[..] else {
                panic!("{id} has the pages {pages:?}");
            };
            let link = format!("| [{page}]({page}) |");
            assert!(
                list.lines()
                    .any(|row| row.starts_with(&link) && row.contains(&id)),
                "{list} has no row of {page} with {id}"
            );
        }
    }

    #[test]
    fn every_page_is_about_a_game() {
        for Guide { path, text } in pages() {
            let mut ids = flipside_games::GAMES.iter().map(|game| game.info().id);
            let head = text.lines().next().unwrap_or_default();
            assert!(
                ids.any(|id| head.contains(&format!("`{id}`"))),
                "{path}: {head}"
            );
        }
    }

    #[test]
    fn every_option_is_named_with_its_range() {
        for game in flipside_games::GAMES {
            let table = options_table(*game);
            for line in table.lines().skip(4) {
                let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
                assert!(
                    cells.len() >= 4 && cells.iter().all(|cell| !cell.is_empty()),
                    "{line}"
                );
            }
        }
        let table = options_table(flipside_games::find("flip4").expect("built in"));
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
    fn a_page_is_found_by_its_own_name_too() {
        assert_eq!(game_of("puissance4"), "puissance4-basic");
        assert_eq!(game_of("flip4"), "flip4");
        assert_eq!(game_of("README"), "README");
    }

    /// The ground of each row of a page that has one, with what the row is about.
    fn grounds(page: &str) -> Vec<(&str, &str)> {
        let mut column = None;
        let mut grounds = Vec::new();
        for line in page.lines() {
            let cells: Vec<&str> = line
                .split(" | ")
                .map(|cell| cell.trim_matches(['|', ' ']))
                .collect();
            match line.starts_with('|') {
                false => column = None,
                true if cells.contains(&"ground") => {
                    column = cells.iter().position(|cell| *cell == "ground");
                }
                true => {
                    let ground = column.and_then(|column| cells.get(column));
                    grounds.extend(ground.map(|ground| (cells[0], *ground)));
                }
            }
        }
        grounds.retain(|(_, ground)| !ground.starts_with("---"));
        grounds
    }

    #[test]
    fn each_ground_but_the_first_names_the_part_of_the_ruling_that_it_is_for() {
        let known = ["text", "derived", "known", "**chosen**"];
        let (mut rows, mut mixed) = (0, 0);
        for Guide { path: page, text } in pages().chain(guide(COMMON)) {
            for (point, ground) in grounds(text) {
                rows += 1;
                let parts: Vec<&str> = ground.split("; ").collect();
                mixed += usize::from(parts.len() > 1);
                for (place, part) in parts.iter().enumerate() {
                    let named = part.split_once(": ").map(|(_, ground)| ground);
                    let is_known =
                        |ground: &str| known.iter().any(|known| ground.starts_with(known));
                    let fits = match (place, named) {
                        (0, _) if is_known(part) => true,
                        (_, Some(ground)) => is_known(ground),
                        _ => false,
                    };
                    assert!(fits, "{page}, {point}: {ground}");
                    assert!(
                        !part.contains("chosen") || part.contains("**chosen**"),
                        "{page}, {point}"
                    );
                }
            }
        }
        assert!(
            rows > 100 && mixed > 30,
            "{rows} rows, {mixed} with several grounds"
        );
    }

    /// The grounds of rulings that the rulebooks' words do not give, or give only in part.
    #[test]
    fn what_the_rulebooks_do_not_say_is_not_called_text() {
        for (page, point, part) in [
            ("flip4.md", "part 1, none open", "compulsory: **chosen**"),
            (
                "flip4.md",
                "no match",
                "in that same turn, and the count: **chosen**",
            ),
            (
                "puissance4.md",
                "`bomb`",
                "the eight neighbours, and of that tray: **chosen**",
            ),
            (
                "puissance4.md",
                "`cell`",
                "the eight neighbours, and an empty one: **chosen**",
            ),
            ("puissance4.md", "powers and lines", "**chosen**"),
            (
                "phase10-flip.md",
                "after a round",
                "what becomes public, and what stays: **chosen**",
            ),
            ("flipflop.md", "goals", "the figures are missing"),
        ] {
            let text = guide(&format!("{FOLDER}{page}")).expect(page).text;
            let grounds = grounds(text);
            let row = grounds.iter().find(|(of, _)| *of == point).expect(point);
            assert!(row.1.contains(part), "{page}, {point}: {}", row.1);
        }
    }

    #[test]
    fn options_are_listed_once() {
        for game in flipside_games::GAMES {
            let page = rules(*game).expect("it has a page");
            for (name, _) in rows(*game) {
                assert_eq!(rows_about(&page, &name), 1, "{}: {name}", game.info().id);
            }
        }
    }
}
