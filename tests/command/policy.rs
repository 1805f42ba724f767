//! Bots that fail match after match: they are paused, their matches are forfeits or left out, and what
//! they did stays for their authors.

use std::path::Path;

use crate::common::{Run, SALT, run, sample, script};

/// Plays the first legal action; falls as `$fails` says, which may ask for `$match`, the number at the
/// end of the match's id.
const BOT: &str = r##"#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*)
      match=${line#*'"match":"'}; match=${match%%'"'*}; match=${match##*-}
      echo '{"type":"ready","actions":true}' ;;
    *'"type":"turn"'*)
      FAILS && { printf 'I do not know what to do\033[2J in match %s\n' "$match" >&2; echo "resign"; exit; }
      id=${line#*'"id":'}; id=${id%%,*}
      action=${line#*'"actions":["'}; action=${action%%'"'*}
      echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}" ;;
  esac
done
"##;

fn failing(folder: &Path, name: &str, when: &str) -> String {
    script(folder, name, &BOT.replace("FAILS", when))
}

fn tournament(folder: &Path, arena: &str, game: &str, bots: &[String], more: &[&str]) -> Run {
    let mut args = vec!["tournament", game];
    args.extend(bots.iter().map(String::as_str));
    args.extend([
        "--name",
        "cup",
        "--seed",
        "3",
        "--clock",
        "move=30s,start=30s",
    ]);
    // Tables are compared as they are printed.
    args.extend(["--arena", arena, "--no-affinity"]);
    args.extend(SALT);
    args.extend(more);
    run(folder, &args)
}

fn rows(folder: &Path, arena: &str) -> Vec<serde_json::Value> {
    let args = ["matches", "--json", "--limit", "100000", "--arena", arena];
    let mut rows: Vec<serde_json::Value> = serde_json::from_str(&run(folder, &args).ok()).unwrap();
    rows.reverse();
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.remove("started_at");
        row.remove("duration_us");
        for seat in row["seats"].as_array_mut().unwrap() {
            seat.as_object_mut().unwrap().remove("used_us");
        }
    }
    rows
}

/// By match, the names of the faults by seat.
fn faults(rows: &[serde_json::Value]) -> Vec<Vec<&str>> {
    let seats = |row: &'static str, value: &'_ serde_json::Value| -> usize {
        value[row].as_array().unwrap().len()
    };
    let of = |row: &serde_json::Value, seat: usize| match &row["seats"][seat]["fault"] {
        serde_json::Value::Null => "",
        fault if fault["name"] == "malformed" => "malformed",
        fault if fault["name"] == "forfeit" => "forfeit",
        other => panic!("{other}"),
    };
    rows.iter()
        .map(|row| (0..seats("seats", row)).map(|seat| of(row, seat)).collect())
        .collect()
}

#[test]
fn a_bot_that_always_fails_is_paused_and_its_matches_are_forfeits_at_any_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        failing(folder, "bad", "true"),
        sample("wat/first.wat"),
        sample("wat/instant.wat"),
    ];
    let args = |concurrency| {
        [
            "--rounds",
            "4",
            "--pause-after",
            "3",
            "--force-concurrency",
            "--concurrency",
            concurrency,
        ]
    };
    let mut told = tournament(folder, "one", "flipflop-3x3", &bots, &args("1"));
    assert!(
        told.stderr.contains("bad@1 is paused after match"),
        "{}",
        told.stderr
    );
    let table = std::mem::take(&mut told.stdout);
    assert_eq!(told.code, Some(0));
    assert!(table.contains("24 of 24 matches"), "{table}");
    assert!(
        table.contains("malformed 3; the last: ") && table.contains("matches are forfeits"),
        "{table}"
    );
    let first = rows(folder, "one");
    let bad: Vec<&str> = faults(&first)
        .into_iter()
        .flatten()
        .filter(|fault| !fault.is_empty())
        .collect();
    assert_eq!(bad[..3], ["malformed"; 3]);
    assert_eq!(bad[3..], ["forfeit"; 13]);
    let forfeit = first.iter().find(|row| row["reason"] == "forfeit").unwrap();
    let id = forfeit["id"].as_str().unwrap();
    let refused = run(folder, &["matches", id, "--arena", "one"]).refused(1);
    assert!(
        refused.contains("not played") && refused.contains("hint: "),
        "{refused}"
    );
    // The standings count them as lost.
    let json = run(folder, &["table", "--json", "--arena", "one"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = |name: &str| {
        let rows = json["rows"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["bot"] == name).unwrap()
    };
    assert_eq!(row("bad@1")["losses"], 16);
    assert_eq!(row("bad@1")["fault_names"]["forfeit"], 13);
    assert_eq!(json["pauses"][0]["bot"], "bad@1");
    for concurrency in ["2", "5"] {
        let same = tournament(
            folder,
            concurrency,
            "flipflop-3x3",
            &bots,
            &args(concurrency),
        )
        .ok();
        assert_eq!(same, table);
        assert_eq!(rows(folder, concurrency), first);
    }
    // Once more, with nothing said of the policy: it is the one that it began with.
    let again = tournament(folder, "one", "flipflop-3x3", &bots, &["--rounds", "4"]).ok();
    assert_eq!(again, table);
    let other = tournament(
        folder,
        "one",
        "flipflop-3x3",
        &bots,
        &[
            "--rounds",
            "4",
            "--pause-after",
            "4",
            "--paused",
            "leave-out",
        ],
    );
    let refused = other.refused(2);
    assert!(
        refused.contains("pause-after: 3, not 4")
            && refused.contains("paused: forfeit, not leave-out"),
        "{refused}"
    );
}

#[test]
fn matches_of_a_paused_bot_are_left_out_if_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        failing(folder, "bad", "true"),
        sample("wat/first.wat"),
        sample("wat/instant.wat"),
    ];
    let more = [
        "--rounds",
        "3",
        "--pause-after",
        "2",
        "--paused",
        "leave-out",
    ];
    let table = tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    assert!(
        table.contains("8 of 18 matches") && table.contains("matches are left out"),
        "{table}"
    );
    let again = tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    assert_eq!(again, table);
    // Nobody waits for the others.
    assert!(table.contains("8 of 18 matches, 10 left out"), "{table}");
    let shown = run(folder, &["table", "--json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["left_out"], &shown["over"]),
        (&10.into(), &true.into())
    );
    for file in ["cup.html", "cup.md"] {
        run(folder, &["export", "cup", file]).ok();
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains("8 of 18, 10 left out; it is over"), "{text}");
        assert!(text.contains("bad@1 is paused after match"), "{text}");
    }
}

#[test]
fn a_bot_that_fails_only_now_and_then_is_not_paused_and_0_pauses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        failing(folder, "now-and-then", r#"[ $((match % 3)) != 0 ]"#),
        sample("wat/first.wat"),
    ];
    let table = tournament(
        folder,
        "arena",
        "flipflop-3x3",
        &bots,
        &[
            "--rounds",
            "6",
            "--pause-after",
            "3",
            "--concurrency",
            "2",
            "--force-concurrency",
        ],
    )
    .ok();
    assert!(!table.contains("paused"), "{table}");
    let all = rows(folder, "arena");
    let fell: Vec<bool> = faults(&all)
        .into_iter()
        .map(|seats| seats.contains(&"malformed"))
        .collect();
    let expected: Vec<bool> = (0..12).map(|index| index % 3 != 0).collect();
    assert_eq!(fell, expected);
    let never = ["--rounds", "6", "--pause-after", "0"];
    let bots = [failing(folder, "always", "true"), sample("wat/first.wat")];
    let table = tournament(folder, "never", "flipflop-3x3", &bots, &never).ok();
    assert!(!table.contains("paused"), "{table}");
    assert_eq!(
        faults(&rows(folder, "never")).concat().concat(),
        "malformed".repeat(12)
    );
}

#[test]
fn where_sides_are_left_they_play_without_the_paused_bot_and_the_record_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        failing(folder, "bad", "true"),
        sample("wat/first.wat"),
        sample("wat/instant.wat"),
    ];
    let more = [
        "--seats",
        "3",
        "--rounds",
        "1",
        "--pause-after",
        "2",
        "--options",
        r#"{"max_turns":60}"#,
    ];
    let told = tournament(folder, "arena", "flip4", &bots, &more);
    let table = told.ok();
    assert!(table.contains("6 of 6 matches"), "{table}");
    let all = rows(folder, "arena");
    for (at, row) in all.iter().enumerate() {
        let id = row["id"].as_str().unwrap();
        let name = if at < 2 { "malformed" } else { "forfeit" };
        assert!(faults(&all)[at].contains(&name), "{row}");
        let verified = run(folder, &["verify", id, "--arena", "arena"]).ok();
        assert!(verified.contains(": ok: "), "{verified}");
        let last = row["seats"]
            .as_array()
            .unwrap()
            .iter()
            .find(|seat| seat["bot"] == "bad@1")
            .unwrap();
        assert_eq!(last["place"], 3, "{row}");
    }
}

#[test]
fn a_failing_match_keeps_what_was_said_and_the_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let when = r#"[ $((match % 2)) = 1 ]"#;
    let bots = [failing(folder, "odd", when), sample("wat/first.wat")];
    let more = ["--rounds", "1"];
    tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    let shown = run(folder, &["matches", "--show", "cup-1", "--arena", "arena"]).ok();
    for words in [
        "cup-1 - flipflop-3x3: fault",
        "  malformed: ",
        "  > {\"type\":\"hello\"",
        "  < {\"type\":\"ready\",\"actions\":true}",
        "  > {\"type\":\"turn\"",
        "  < resign\n",
        "  | I do not know what to do\\u{1b}[2J in match 1\n",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains('\x1b'), "{shown:?}");
    let json = run(
        folder,
        &["matches", "--show", "cup-1", "--json", "--arena", "arena"],
    )
    .ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let kept = json["evidence"].as_array().unwrap();
    assert_eq!(kept.len(), 1, "only of the seat that fell");
    assert_eq!(
        kept[0]["traffic"].as_array().unwrap().last().unwrap()["line"],
        "resign"
    );
    assert_eq!(
        kept[0]["stderr"],
        "I do not know what to do\u{1b}[2J in match 1\n"
    );
    let json = run(
        folder,
        &["matches", "--show", "cup-0", "--json", "--arena", "arena"],
    )
    .ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["evidence"], serde_json::json!([]));
    let refused = run(folder, &["matches", "--show", "cup-9", "--arena", "arena"]).refused(1);
    assert!(refused.contains("no match cup-9"), "{refused}");
}

#[test]
fn a_tournament_stops_before_the_arena_is_larger_than_it_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [sample("wat/first.wat"), sample("wat/instant.wat")];
    let more = |disk| ["--rounds", "300", "--pause-after", "0", "--most-disk", disk];
    let told = tournament(folder, "arena", "flipfour", &bots, &more("1M")).refused(1);
    assert!(
        told.contains("grown to 1M") && told.contains("hint: give it more with --most-disk"),
        "{told}"
    );
    let size = |file: &str| {
        folder
            .join("arena")
            .join(file)
            .metadata()
            .map_or(0, |found| found.len())
    };
    let there = rows(folder, "arena").len();
    assert!((1..600).contains(&there), "{there}");
    assert!(size("journal.sqlite") < 2 << 20);
    let table = tournament(folder, "arena", "flipfour", &bots, &more("1G")).ok();
    assert!(table.contains("600 of 600 matches"), "{table}");
    // Nothing is left to play: it is no failure.
    let again = tournament(folder, "arena", "flipfour", &bots, &more("1M")).ok();
    assert_eq!(again, table);
    let refused = run(
        folder,
        &["tournament", "flipfour", "a", "b", "--most-disk", "much"],
    );
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("K, M, G or T"),
        "{}",
        refused.stderr
    );
}
