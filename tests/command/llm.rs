//! Bots that ask a language model, in a whole tournament: `flipside new llm`, a service that is a script, the table
//! with tries and tokens, `kill -9`, and that tables say what the records say.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rusqlite::Connection;
use serde_json::Value;

use crate::common::run;
use crate::tournaments::{Talking, landed, until};

/// A service of the tests; it ends with its standard input.
struct FakeProvider {
    child: Child,
    address: String,
}

impl FakeProvider {
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("kits/llm/fake_provider.py");
        let mut child = Command::new("python3")
            .arg(program)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        FakeProvider {
            child,
            address: address.trim().to_owned(),
        }
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A folder with two bots that ask a service, and a tournament of them with two samples.
fn place(provider: &FakeProvider) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for name in ["sure", "unsure"] {
        run(place.path(), &["new", "llm", name]).ok();
    }
    let address = &provider.address;
    let settings = format!(
        "name = \"cup\"\ngame = \"flipflop-3x3\"\nbots = [\"./sure\", \"./unsure\", \"sample:random\", \"sample:greedy\"]\n\
         rounds = 2\nopening-plies = 2\nclock = \"move=10h,start=10h\"\n\
         [options]\nmax_plies = 20\n\
         [bot.sure]\nnetwork = true\noptions = {{ address = \"{address}\", model = \"good\" }}\n\
         [bot.unsure]\nnetwork = true\noptions = {{ address = \"{address}\", model = \"illegal-once\" }}\n"
    );
    fs::write(place.path().join("cup.toml"), settings).unwrap();
    place
}

/// By bot, what the notes of its records say: moves, tries, tokens of requests and of answers.
fn said_by_records(folder: &Path) -> BTreeMap<String, [u64; 4]> {
    let all = run(folder, &["matches", "--json", "--tournament", "cup"]).ok();
    let all: Vec<Value> = serde_json::from_str(&all).unwrap();
    let mut sums = BTreeMap::new();
    for row in &all {
        let record = run(folder, &["matches", row["id"].as_str().unwrap()]).ok();
        let lines: Vec<Value> = record
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for line in lines.iter().filter(|line| line["type"] == "acts") {
            for act in line["acts"].as_array().unwrap() {
                let Some(note) = act["note"].as_str() else {
                    continue;
                };
                let seat = act["seat"].as_u64().unwrap() as usize;
                let bot = lines[0]["seats"][seat]["bot"].as_str().unwrap();
                let number = |key: &str| {
                    let mut words = note.split(' ').filter_map(|word| word.split_once('='));
                    let found = words.find(|(is, _)| *is == key);
                    found.map_or(0, |(_, digits)| digits.parse::<u64>().unwrap())
                };
                if number("tries") == 0 {
                    continue;
                }
                let more = [1, number("tries"), number("in"), number("out")];
                let sum: &mut [u64; 4] = sums.entry(bot.to_owned()).or_default();
                sum.iter_mut()
                    .zip(more)
                    .for_each(|(sum, more)| *sum += more);
            }
        }
    }
    sums
}

#[test]
fn tables_say_of_language_models_what_the_records_say_also_after_a_kill() {
    let provider = FakeProvider::start();
    let place = place(&provider);
    let folder = place.path();
    let play = [
        "tournament",
        "cup.toml",
        "--concurrency",
        "1",
        "--force-concurrency",
    ];
    let mut talking = Talking::start(folder, &play);
    assert!(talking.plays(2));
    until("a match has landed", || landed(folder, "arena") > 0);
    talking.kill();
    let before = landed(folder, "arena");
    run(folder, &play).ok();
    let table = run(folder, &["table", "cup", "--json"]).ok();
    let table: Value = serde_json::from_str(&table).unwrap();
    let played = table["played"].as_u64().unwrap();
    assert!(0 < before && before < played, "{before} of {played}");

    let records = said_by_records(folder);
    assert_eq!(records.len(), 2, "{records:?}");
    for row in table["rows"].as_array().unwrap() {
        let (bot, model) = (row["bot"].as_str().unwrap(), &row["model"]);
        let Some(&[moves, tries, tokens_in, tokens_out]) = records.get(bot) else {
            assert!(model.is_null(), "{row}");
            continue;
        };
        let number = |key: &str| model[key].as_u64().unwrap();
        assert_eq!(
            ["moves", "tries", "tokens_in", "tokens_out"].map(number),
            [moves, tries, tokens_in, tokens_out],
            "{bot}"
        );
        // Who is unsure needs a second try at every move.
        let first = if bot == "sure@1" { moves } else { 0 };
        assert_eq!(number("first_try"), first, "{bot}");
        assert_eq!(tries, if bot == "sure@1" { moves } else { 2 * moves });
        assert_eq!([number("fallbacks"), number("provider_errors")], [0, 0]);
        assert_eq!(
            (row["faults"].as_u64(), row["games"].as_u64()),
            (Some(0), Some(12))
        );
    }
    let shown = run(folder, &["table", "cup"]).ok();
    assert!(
        shown.contains("legal at first try %  tries  tokens in"),
        "{shown}"
    );

    // The counts are compared with the records, as all of a result is: here, and where an archive is taken in.
    run(folder, &["verify", "--tournament", "cup"]).ok();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    let there = run(folder, &["table", "cup", "--json", "--arena", "other"]).ok();
    let there: Value = serde_json::from_str(&there).unwrap();
    let models = |table: &Value| -> Vec<Value> {
        let rows = table["rows"].as_array().unwrap().iter();
        rows.map(|row| row["model"].clone()).collect()
    };
    assert_eq!(models(&there), models(&table));
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    let forged = "UPDATE match_seats SET model = replace(model, '\"tries\":', '\"tries\":1') WHERE model IS NOT NULL
                  AND idx = (SELECT min(idx) FROM match_seats WHERE model IS NOT NULL)";
    assert!(journal.execute(forged, []).unwrap() > 0);
    let refused = run(folder, &["verify", "--tournament", "cup"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("language model"),
        "{}",
        refused.stdout
    );
}
