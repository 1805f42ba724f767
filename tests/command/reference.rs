//! The reference that the command prints: examples of messages, the protocol, and the fields of every view.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use flipside_games::{AnyGame, GAMES};
use flipside_operations::{example, view_in_lines};
use flipside_protocol::{FromBot, FromReferee};
use flipside_tournament::TournamentSpec;
use insta::assert_snapshot;
use regex_lite::Regex;
use serde_json::Value;

use crate::commands::commands;
use crate::common::{games, run};
use crate::shown::session;

/// Set to anything, this writes the examples into the pages instead of comparing them.
const WRITE: &str = "FLIPSIDE_WRITE_EXAMPLES";

#[test]
fn an_example_has_real_messages_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    for game in games() {
        let told = run(folder.path(), &["schema", game, "--example"]).ok();
        let mut kinds = Vec::new();
        for line in told.lines() {
            if let Some(line) = line.strip_prefix("→ ") {
                kinds.push(match FromReferee::read(line).unwrap() {
                    FromReferee::Hello(_) => "hello",
                    FromReferee::Turn(_) => "turn",
                    FromReferee::Over(_) => "over",
                });
            } else if let Some(line) = line.strip_prefix("← ") {
                kinds.push(match FromBot::read(line).unwrap() {
                    FromBot::Ready(_) => "ready",
                    FromBot::Act(_) => "act",
                    FromBot::Pause(_) => "pause",
                });
            } else {
                assert!(line.ends_with("of this seat not shown"), "{line}");
            }
        }
        assert_eq!(kinds[..4], ["hello", "ready", "turn", "act"], "{game}");
        assert_eq!(kinds.last(), Some(&"over"), "{game}");
        assert!(kinds.len() <= 9, "{game}: {kinds:?}");
    }
    let flipfour = run(folder.path(), &["schema", "flipflop-3x3", "--example"]).ok();
    assert_snapshot!(flipfour);
    assert_snapshot!(session(folder.path(), "
        schema --example
        schema chess --example
    "), @r#"
    $ flipside schema --example
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      <GAME>

    Usage: flipside schema --example <GAME>

    For more information, try '--help'.

    $ flipside schema chess --example
    -- exit status 2, stderr:
    error: there is no game "chess"
    hint: `flipside games` lists them all
    "#);
}

#[test]
fn the_protocol_is_printed_as_it_is_written_or_set_for_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/PROTOCOL.md");
    let markdown = run(folder.path(), &["protocol", "--markdown"]).ok();
    assert_eq!(markdown, std::fs::read_to_string(page).unwrap());
    let told = run(folder.path(), &["protocol"]).ok();
    for line in markdown
        .lines()
        .filter(|line| line.starts_with("→ ") || line.starts_with("← "))
    {
        assert!(told.contains(line), "{line}");
    }
}

/// The pages about games, each with its games in the order of its heading.
fn pages() -> Vec<(PathBuf, String, Vec<&'static dyn AnyGame>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let heading = text.lines().next().unwrap();
        let named = heading.split('`').skip(1).step_by(2);
        let games: Vec<_> = named.filter_map(flipside_games::find).collect();
        if !games.is_empty() {
            pages.push((path, text, games));
        }
    }
    pages
}

/// The names of all fields of a view, wherever they are.
fn fields(game: &dyn AnyGame) -> BTreeSet<String> {
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                if let Some(Value::Object(fields)) = map.get("properties") {
                    names.extend(fields.keys().cloned());
                }
                map.values().for_each(|value| collect(value, names));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
            _ => {}
        }
    }
    let view = serde_json::to_value(game.schemas().view).unwrap();
    let mut names = BTreeSet::new();
    collect(&view, &mut names);
    names
}

#[test]
fn the_page_of_a_game_explains_every_field_of_its_view() {
    let pages = pages();
    let explained: usize = pages.iter().map(|(_, _, games)| games.len()).sum();
    assert_eq!(explained, GAMES.len());
    for (path, page, games) in pages {
        let sections = page.split("\n## ");
        let is_of_view = |title: &str| title.contains("view") || title.contains("seen");
        let section = sections
            .skip(1)
            .find(|text| is_of_view(text.lines().next().unwrap()));
        let section =
            section.unwrap_or_else(|| panic!("{} has no section of views", path.display()));
        for game in games {
            for field in fields(game) {
                assert!(
                    section.contains(&format!("`{field}`")),
                    "{}: the view of {} has {field}",
                    path.display(),
                    game.info().id
                );
            }
        }
    }
}

#[test]
fn the_examples_of_views_in_the_pages_are_real() {
    const BEGIN: &str = "```json\n";
    const END: &str = "```\n";
    for (path, page, games) in pages() {
        // One for each kind of view: games with the same fields share one, of the last of them.
        let mut shown: Vec<&dyn AnyGame> = Vec::new();
        for game in games {
            shown.retain(|earlier| fields(*earlier) != fields(game));
            shown.push(game);
        }
        let mut written = String::new();
        let mut blocks = page.split(BEGIN);
        written += blocks.next().unwrap();
        for game in shown {
            let block = blocks
                .next()
                .unwrap_or_else(|| panic!("{} lacks an example", path.display()));
            let rest = block.split_once(END).unwrap().1;
            let view = view_in_lines(&example(game).unwrap().view);
            written += &format!("{BEGIN}{view}{END}{rest}");
        }
        assert_eq!(
            blocks.next(),
            None,
            "{} has another block of JSON",
            path.display()
        );
        if std::env::var_os(WRITE).is_some() {
            std::fs::write(&path, written).unwrap();
        } else {
            assert!(
                written == page,
                "the examples of {} are not those of the game: run `{WRITE}=1 cargo test --test command examples`",
                path.display()
            );
        }
    }
}

/// All pages in Markdown below a folder.
fn markdown(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            markdown(&path, text);
        } else if name.ends_with(".md") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_flag_stands_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let flag = Regex::new("--[a-z][a-z0-9-]+").unwrap();
    let mut pages = String::new();
    markdown(Path::new(env!("CARGO_MANIFEST_DIR")), &mut pages);
    let on_pages: BTreeSet<&str> = flag.find_iter(&pages).map(|found| found.as_str()).collect();
    let names = commands(folder.path());
    assert!(names.len() > 30, "{names:?}");
    let mut missing = BTreeSet::new();
    // What no help lists is found there alone.
    let hidden = TournamentSpec::keys().iter().filter(|key| key.hidden);
    let hidden = hidden.map(|key| format!("--{}", key.name));
    let hidden: Vec<String> = hidden.chain(["--most-disk".to_owned()]).collect();
    assert!(hidden.len() > 2, "{hidden:?}");
    missing.extend(
        hidden
            .into_iter()
            .filter(|flag| !on_pages.contains(&**flag)),
    );
    let commands = ["perft", "rerate"].map(|name| format!("`flipside {name}"));
    missing.extend(
        commands
            .into_iter()
            .filter(|command| !pages.contains(command)),
    );
    for name in &names {
        let help = run(folder.path(), &["help", name]).ok();
        let own = help.lines().map(str::trim_start);
        let own = own.filter(|line| line.starts_with('-'));
        for line in own {
            let of_command = flag.find_iter(line).map(|found| found.as_str());
            let absent = of_command.filter(|flag| !on_pages.contains(flag));
            missing.extend(absent.map(|flag| format!("{name} {flag}")));
        }
    }
    assert!(missing.is_empty(), "on no page: {missing:?}");
}
