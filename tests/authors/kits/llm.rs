//! A bot that asks a language model, as `flipside new llm` makes it, in the jail and without a service: it plays its
//! fallback, and its notes say so.

use serde_json::Value;

use super::fresh::passes_its_check;
use super::{root, run_script};
use crate::common::games;

/// However busy the machine is, no bot is late.
const HOURS: &str = "--clock move=10h,start=10h";

fn new_bot() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    run_script(place.path(), "flipside new llm yon");
    place
}

#[test]
fn a_new_bot_plays_every_game_with_its_rules_in_the_jail() {
    let place = new_bot();
    let folder = place.path().join("yon");
    for game in games() {
        let options = flipside_games::find(game).unwrap().brief();
        let play = format!(
            "flipside match {game} . sample:random --strict --options '{options}' {HOURS} --show-stderr \
             --record ../{game}.jsonl"
        );
        let told = run_script(&folder, &play);
        assert!(!told.contains("warning: rules/"), "{told}");
        let record = std::fs::read_to_string(place.path().join(format!("{game}.jsonl"))).unwrap();
        let lines = record
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let acts = lines.filter(|line: &Value| line["type"] == "acts");
        let notes: Vec<Value> = acts
            .flat_map(|line| line["acts"].as_array().unwrap().clone())
            .filter(|act| act["seat"] == 0)
            .map(|act| act["note"].clone())
            .collect();
        assert!(!notes.is_empty(), "{game}");
        assert!(
            notes.iter().all(|note| note == "tries=0 fallback"),
            "{game}: {notes:?}"
        );
    }
}

#[test]
fn a_new_bot_passes_its_check() {
    let place = new_bot();
    passes_its_check(&place.path().join("yon"), ".");
}

#[test]
fn the_rules_in_the_folder_are_the_pages_that_flipside_rules_shows() {
    let place = new_bot();
    for page in std::fs::read_dir(root().join("docs/rules")).unwrap() {
        let page = page.unwrap();
        if page.file_name() != "README.md" {
            let copy = place.path().join("yon/rules").join(page.file_name());
            assert_eq!(
                std::fs::read(copy).unwrap(),
                std::fs::read(page.path()).unwrap()
            );
        }
    }
}
