//! The notes for coding agents: every command in them is one of this Flipside, and the loop runs.

use flipside_operations::LANGUAGES;

use super::{run_script, shell};

/// The commands of Flipside in a page: in blocks of code, and between backticks.
fn commands(page: &str) -> Vec<String> {
    let block = page.split("```sh\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let code = page.split('`').skip(1).step_by(2);
    let all = block.lines().chain(code);
    let ours = all.filter(|command| command.starts_with("flipside "));
    ours.map(str::to_owned).collect()
}

#[test]
fn every_command_in_the_notes_of_every_kit_is_accepted() {
    let place = tempfile::tempdir().unwrap();
    for language in LANGUAGES {
        let id = language.id;
        run_script(place.path(), &format!("flipside new {id} yon-{id}"));
        let folder = place.path().join(format!("yon-{id}"));
        let page = std::fs::read_to_string(folder.join("AGENTS.md")).unwrap();
        assert!(page.lines().count() < 80, "{id}: more than a page");
        assert!(
            !page.contains(['{', '}']) && !page.contains("mybot"),
            "{page}"
        );
        let commands = commands(&page);
        assert!(commands.len() >= 11, "{id}: {commands:?}");
        for command in commands {
            // With an unknown flag, a value that does not fit or a word too many, nothing helps.
            let output = shell(&folder, &format!("{command} --help"))
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{id}: {command}\n{stderr}");
        }
        for file in page
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| word.contains(".py") || word.ends_with(".md"))
        {
            assert!(
                folder.join(file).is_file() || file.starts_with("flipside "),
                "{id}: {file}"
            );
        }
    }
}

#[test]
fn the_loop_of_the_notes_runs_in_a_new_folder() {
    let place = tempfile::tempdir().unwrap();
    run_script(place.path(), "flipside new python yon");
    let folder = place.path().join("yon");
    let page = std::fs::read_to_string(folder.join("AGENTS.md")).unwrap();
    let block = page.split("```sh\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    // The clock is no part of what is claimed: on a busy machine, a bot may be late.
    let block = block
        .replace(" --quick", " --quick --step one-answer")
        .replace("--strict", "--strict --clock move=10h,start=10h")
        .replace("--rounds", "--clock move=10h,start=10h --rounds")
        .replace(
            "submit .",
            "submit . --game flipfour --clock move=10h,start=10h",
        );
    // Twice: the second time, everything is there already.
    for _ in 0..2 {
        for command in block.lines() {
            let output = shell(&folder, command).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}\n{stderr}");
            if command.contains("--json") {
                let stdout = String::from_utf8_lossy(&output.stdout);
                let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
                let has = match command.split(' ').nth(1).unwrap() {
                    "check" => json["steps"][0]["status"].is_string(),
                    "match" => json["seats"][0].get("fault").is_some(),
                    "tournament" => json["rows"][0]["rank"].is_number(),
                    _ => json.is_array(),
                };
                assert!(has, "{command}: {stdout}");
            }
        }
    }
}
