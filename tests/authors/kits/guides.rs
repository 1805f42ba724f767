//! The pages about the first bot and the first game: every command in them runs, in the order of the page and in an
//! empty folder, and prints what the page shows.
//!
//! A block `console` has commands after `$ `, and their output below. A line `...` stands for any lines, and `...` at
//! the end of a line for the rest of it. A block below a line with "File `NAME`" is saved as that file.

use super::{root, run_script};

/// A command of a page, and the lines that it shows.
struct ShownCommand {
    command: String,
    output: Vec<String>,
}

fn commands(page: &str) -> Vec<ShownCommand> {
    let mut found: Vec<ShownCommand> = Vec::new();
    let mut above = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if !line.is_empty() {
                above = line;
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if language == "console" {
            add_session(&block, &mut found);
        } else if let Some(name) = file_named(above) {
            let text = block.join("\n");
            found.push(ShownCommand {
                command: format!("cat >'{name}' <<'END OF FILE'\n{text}\nEND OF FILE"),
                output: Vec::new(),
            });
        }
    }
    found
}

/// Adds the commands of a block `console`.
fn add_session(block: &[&str], found: &mut Vec<ShownCommand>) {
    for line in block {
        match line.strip_prefix("$ ") {
            Some(command) => found.push(ShownCommand {
                command: command.into(),
                output: Vec::new(),
            }),
            None => {
                let last = found.last_mut().expect("a command first");
                last.output.push((*line).into());
            }
        }
    }
}

/// The name of the file as which a reader saves the block below a line.
fn file_named(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("File `")?;
    rest.split_once('`').map(|(name, _)| name)
}

/// Whether lines are those that a page shows.
fn fits(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((dots, rest)) if dots == "..." => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => match printed.split_first() {
            Some((line, others)) => {
                let is_same = match first.strip_suffix("...") {
                    Some(start) => line.starts_with(start),
                    None => line.trim_end() == first,
                };
                is_same && fits(rest, others)
            }
            None => false,
        },
    }
}

/// Runs a page in an empty folder. `before` comes before each command.
fn play(page: &str, before: &str) {
    let path = root().join("docs").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut folder = place.path().to_owned();
    let commands = commands(&text);
    assert!(!commands.is_empty());
    let state = tempfile::NamedTempFile::new().unwrap();
    let where_to = state.path().display();
    for ShownCommand { command, output } in commands {
        let printed = run_script(&folder, &format!("{before}\n{command}\npwd >'{where_to}'"));
        let lines: Vec<_> = printed.lines().collect();
        assert!(
            fits(&output, &lines),
            "{page}: {command}\nprinted:\n{printed}"
        );
        let after = std::fs::read_to_string(state.path()).unwrap();
        folder = after.trim_end().into();
    }
}

#[test]
fn the_commands_for_a_first_bot_run_and_print_what_the_page_shows() {
    play("authors/first-bot.md", "");
}

#[test]
fn the_commands_for_learning_run_and_print_what_the_page_shows() {
    // The wheel is made of the repository. What it needs is in target/python-env, because a test fetches nothing.
    let before = r#"
        python() { "$FLIPSIDE_REPOSITORY/target/python-env/bin/python3" "$@"; }
        pip() { python -m pip "$@"; }
        export PIP_NO_INDEX=1 PIP_NO_DEPS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 OPENBLAS_NUM_THREADS=1
        export PIP_TARGET="$PWD/packages" PYTHONPATH="$PWD/packages"
        [ -e kits ] || {
            ln -s "$FLIPSIDE_REPOSITORY/kits" kits
            "$FLIPSIDE_REPOSITORY/scripts/python-wheel" . >wheel.log 2>&1
        }
    "#;
    play("authors/learning.md", before);
}

#[test]
#[ignore = "long: more pages"]
fn the_commands_of_each_language_run_and_print_what_the_page_shows() {
    let tools =
        "tools=$(\"$FLIPSIDE_REPOSITORY/scripts/wasm-toolchain\" 2>/dev/null); eval \"$tools\"";
    play("authors/languages.md", tools);
}

#[test]
#[ignore = "long: more pages"]
fn the_commands_of_the_other_guides_run_and_print_what_the_page_shows() {
    for page in [
        "authors/without-a-kit.md",
        "authors/clocks.md",
        "authors/hidden-information.md",
        "authors/versions.md",
        "authors/second-bot.md",
        "authors/language-models.md",
        "games/your-own-game.md",
    ] {
        play(page, "");
    }
}
