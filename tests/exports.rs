//! What is taken out of an arena: pages, pictures, results, ratings over time.

mod common;

use std::fs;

use common::{SALT, run};

/// An arena with a tournament of six matches.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:greedy", "sample:random", "sample:mcts"];
    let mut args = vec!["tournament", "flipflop-3x3"];
    args.extend(bots);
    args.extend(["--rounds", "2", "--name", "cup", "--seed", "7"]);
    args.extend(SALT);
    run(folder.path(), &args).ok();
    folder
}

#[test]
fn a_tournament_is_written_as_the_ending_says() {
    let arena = arena();
    let folder = arena.path();
    for ending in ["html", "md", "svg", "csv", "json", "jsonl"] {
        let file = format!("cup.{ending}");
        run(folder, &["export", "cup", &file]).ok();
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        assert!(text.contains("greedy@1"), "{file}: {text}");
        // Once written, it is not lost by a slip.
        let refused = run(folder, &["export", "cup", &file]).refused(1);
        assert!(refused.contains("--force"), "{refused}");
        run(folder, &["export", "cup", &file, "--force"]).ok();
        assert_eq!(fs::read_to_string(folder.join(&file)).unwrap(), text);
    }
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let page = read("cup.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    for outside in ["http://", "https://", "src=", "href=", "url("] {
        let found = page
            .replace("http://www.w3.org/2000/svg", "")
            .contains(outside);
        assert!(!found, "the page needs something from elsewhere: {outside}");
    }
    // 2 rounds of 3 pairs, a match for each seating, a line for each seat.
    assert_eq!(read("cup.csv").lines().count(), 1 + 12 * 2);
    let matches: Vec<serde_json::Value> = read("cup.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(matches.len(), 12);
    assert!(
        (0..)
            .zip(&matches)
            .all(|(index, one)| one["index"] == index)
    );

    let array: Vec<serde_json::Value> = serde_json::from_str(&read("cup.json")).unwrap();
    assert_eq!(array, matches);

    let refused = run(folder, &["export", "cup", "new/cup.md"]).refused(1);
    let hint = "hint: `mkdir -p new` makes it";
    assert!(
        refused.contains("no folder new") && refused.contains(hint),
        "{refused}"
    );

    let refused = run(folder, &["export", "cup", "cup.pdf"]).refused(2);
    assert!(refused.contains(".html, .md, .svg"), "{refused}");
    run(folder, &["export", "cop", "cop.md"]).refused(1);
    let refused = run(folder, &["export", "evening", "cop.md"]).refused(1);
    assert!(refused.contains("the latest: cup"), "{refused}");
    run(folder, &["export", "cup", "nowhere/cup.md"]).refused(1);
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_the_ranks_come_from_is_in_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = fs::read_to_string(common::sample("wat/first.wat")).unwrap();
    let bots: Vec<String> = (1..=5)
        .map(|number| {
            let text = format!("{first}\n;; {number}\n");
            common::script(folder, &format!("b{number}.wat"), &text)
        })
        .collect();
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    let play = |name: &str, bots: &[&str], flags: &[&str]| {
        let options = r#"{"max_plies":40}"#;
        let settings = ["--options", options, "--opening-plies", "2", "--seed", "3"];
        let command = ["tournament", "flipfour", "--name", name];
        run(folder, &[&command[..], &settings, flags, bots].concat()).ok();
    };
    play("swiss", &bots, &["--format", "swiss", "--rounds", "3"]);
    let test = ["--format", "sprt", "--elo1", "40", "--rounds", "4"];
    play("test", &bots[..2], &test);
    let out = ["--format", "knockout", "--tie-breaks", "1"];
    play(
        "out",
        &bots[..3],
        &[&out[..], &["--seeding", "entry"]].concat(),
    );
    let exported = |name: &str, ending: &str| {
        let file = format!("{name}.{ending}");
        run(folder, &["export", name, &file]).ok();
        fs::read_to_string(folder.join(file)).unwrap()
    };
    for ending in ["md", "html"] {
        let text = exported("swiss", ending).replace('\\', "");
        for part in [
            "Buchholz",
            "swiss seeded by entry",
            "3 rounds",
            "max_plies=40",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("2 opening plies"), "{text}");
    }
    let csv = run(folder, &["table", "swiss", "--csv"]).ok();
    let mut lines = csv.lines();
    let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(
        csv.contains(",voids,points,buchholz,sonneborn_berger,byes\n"),
        "{csv}"
    );
    let points = headings
        .iter()
        .position(|heading| *heading == "points")
        .unwrap();
    let points: Vec<f64> = lines
        .map(|line| line.split(',').nth(points).unwrap().parse().unwrap())
        .collect();
    assert!(points.len() == 5 && points.is_sorted_by(|one, other| one >= other));
    let brief = run(folder, &["table", "swiss", "--brief"]).ok();
    assert!(brief.contains("points  won-drawn-lost\n"), "{brief}");
    let best = format!("{:.1}", points[0]);
    assert!(
        brief
            .lines()
            .any(|line| line.starts_with(" 1. ") && line.contains(&best)),
        "{brief}"
    );
    let full = run(folder, &["table", "swiss", "--full", "--csv"]).ok();
    assert!(full.contains("\nranking,b1@1,,Buchholz,"), "{full}");

    for (how, flags) in [("text", &[][..]), ("csv", &["--full", "--csv"])] {
        let told = run(folder, &[&["table", "out"], flags].concat()).ok();
        let bye = match how {
            "text" => told.lines().any(|line| line.ends_with("b1@1     bye")),
            _ => told.contains("\nencounter,b1@1,,decided_by,bye\n"),
        };
        assert!(bye, "{told}");
    }
    for ending in ["md", "html"] {
        let text = exported("out", ending);
        assert!(
            text.contains("decided by") && text.contains("bye"),
            "{text}"
        );
    }
    let json = run(folder, &["table", "out", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let encounters = json["encounters"].as_array().unwrap();
    let stages: Vec<_> = encounters.iter().map(|one| &one["stage"]).collect();
    assert_eq!(stages, ["semi-final", "semi-final", "final"], "{json}");
    assert_eq!(encounters[0]["decided_by"], "bye");
    assert_eq!(encounters[2]["points"].as_array().unwrap().len(), 2);

    let line = "b1@1 against b2@1: LLR ";
    let people = run(folder, &["table", "test"]).ok();
    let told = people.lines().find(|told| told.starts_with(line)).unwrap();
    let brief = run(folder, &["table", "test", "--brief"]).ok();
    assert!(brief.replace('\n', " ").contains(told), "{told}: {brief}");
    for ending in ["md", "html"] {
        let text = exported("test", ending);
        assert!(text.contains(told), "{told}: {text}");
    }
    let full = run(folder, &["table", "test", "--full", "--csv"]).ok();
    assert!(full.contains("\nsprt,b1@1,b2@1,llr,"), "{full}");
}

#[test]
fn ratings_have_a_history_and_are_the_same_when_computed_again() {
    let arena = arena();
    let folder = arena.path();
    let history = run(folder, &["ratings", "--history", "greedy", "--json"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&history).unwrap();
    assert_eq!(rows.len(), 2);
    let now = run(folder, &["ratings", "flipflop-3x3", "--json"]).ok();
    let now: Vec<serde_json::Value> = serde_json::from_str(&now).unwrap();
    let greedy = now.iter().find(|row| row["bot"] == "greedy@1").unwrap();
    assert_eq!(rows[1]["rating"], greedy["rating"]);
    let refused = run(folder, &["ratings", "--history", "greedy@1"]).refused(2);
    assert!(
        refused.contains("leave the version out: greedy"),
        "{refused}"
    );
    let refused = run(folder, &["ratings", "--history", "nobody"]).refused(2);
    assert!(refused.contains("flipside bots"), "{refused}");

    let rerated = run(folder, &["rerate", "--json"]).ok();
    assert_eq!(rerated, run(folder, &["rerate", "--json"]).ok());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rerated).unwrap();
    assert_eq!(
        (&rows[0]["matches"], &rows[0]["bots"]),
        (&12.into(), &3.into())
    );
    // The same tournament in another arena has the same ratings, to the last bit.
    let other = self::arena();
    assert_eq!(run(other.path(), &["rerate", "--json"]).ok(), rerated);
}

#[test]
fn points_that_are_the_score_take_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // With three, one rests in each round, and a rest has points but no match.
    for (bots, headings) in [
        (&["greedy", "random", "mcts"][..], 2),
        (&["greedy", "random"], 1),
    ] {
        let bots: Vec<String> = bots.iter().map(|bot| format!("sample:{bot}")).collect();
        let name = format!("swiss-{}", bots.len());
        let mut args = vec!["tournament", "flipflop-3x3"];
        args.extend(bots.iter().map(String::as_str));
        args.extend(["--format", "swiss", "--rounds", "1", "--name", &name]);
        run(folder, &args).ok();
        let file = format!("{name}.md");
        run(folder, &["export", &name, &file]).ok();
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let columns: Vec<&str> = (text.lines())
            .find(|line| line.starts_with("| rank "))
            .unwrap()
            .split(" | ")
            .collect();
        let told = columns
            .iter()
            .filter(|&&column| column == "points" || column == "score");
        assert_eq!(told.count(), headings, "{text}");
        let rows = text.lines().filter(|line| line.contains(" to "));
        for row in rows {
            assert_eq!(row.split(" | ").count(), columns.len(), "{text}");
        }
    }
}
