//! Bots that fail match after match: they are paused, their matches are forfeits, and what they did stays for their
//! authors.

use std::path::Path;

use insta::assert_snapshot;

use crate::common::{TestRun, run, sample, script};
use crate::shown::{session, shown, words};

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

fn tournament(folder: &Path, arena: &str, game: &str, bots: &[String], more: &[&str]) -> TestRun {
    let mut args = vec!["tournament", game];
    args.extend(bots.iter().map(String::as_str));
    args.extend([
        "--name",
        "cup",
        "--seed",
        seed!(3),
        "--clock",
        "move=30s,start=30s",
    ]);
    // Tables are compared as they are printed.
    args.extend(["--arena", arena, "--no-affinity"]);
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
        row.remove("duration_ms");
        for seat in row["seats"].as_array_mut().unwrap() {
            seat.as_object_mut().unwrap().remove("used_ms");
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
        let rounds = ["--rounds", "4", "--pause-after", "3"];
        let at_once = ["--force-concurrency", "--concurrency", concurrency];
        [&rounds[..], &at_once].concat()
    };
    let told = tournament(folder, "one", "flipflop-3x3", &bots, &args("1"));
    assert_snapshot!(shown(&told), @r#"
    cup - flipflop-3x3, 3 bots, round-robin, 4 rounds, clock move=30s,start=30s, seed 3: 24 of 24 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  instant@1     1660   ±236     16   13      0     3   13.0  81.2  53.8 to 94.2            8       0      0
       2  first@1       1575   ±241     16   11      0     5   11.0  68.8  45.0 to 85.5            8       0      0
       3  bad@1         1266   ±381     16    0      0    16    0.0   0.0   0.0 to 22.5           16      16      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1      2      3
    1 instant@1      -  5.0/8  8.0/8
    2 first@1    3.0/8      -  8.0/8
    3 bad@1      0.0/8  0.0/8      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    bad@1 is paused after match 4, at fault in 3 matches in a row (malformed 3); the last: not a message: the line begins with "resign", not with {; at ply 0 (question 1); its remaining matches are forfeits
    -- stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    a whole seed was passed: anyone who knows it can predict the random events
    cup: 24 of 24 matches to play
    bad@1 is paused after match 4, at fault in 3 matches in a row (malformed 3); the last: not a message: the line begins with "resign", not with {; at ply 0 (question 1); its remaining matches are forfeits

    cup
    flipflop-3x3, 3 bots, round-robin, 4 rounds, clock move=30s,start=30s
    24 matches in TIME
    seed 3, 16 faults, 0 voids, 1 bot paused

    more: flipside table --arena one cup --full

    to repeat the random events:
    --seed 3-HASH
    "#);
    let table = told.stdout;
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
    assert_snapshot!(session(folder, &format!("matches {id} --arena one")), @"
    $ flipside matches cup-5 --arena one
    -- exit status 1, stderr:
    error: match cup-5 was not played: it is the forfeit of a bot that is paused
    hint: `flipside table --arena one` tells which bots are paused, and why; `flipside matches --arena one --faults` lists the matches that led to it
    ");
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
    // Once more, with nothing said of pauses: they are as it began.
    let again = |more: &[&str]| tournament(folder, "one", "flipflop-3x3", &bots, more);
    assert_eq!(again(&["--rounds", "4"]).ok(), table);
    let other = words("--rounds 4 --pause-after 4");
    assert_snapshot!(shown(&again(&other)), @"
    -- exit status 2, stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: tournament cup was begun with other settings (pause-after: 3, not 4)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");
}

#[test]
fn matches_to_which_nobody_comes_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        failing(folder, "bad", "true"),
        failing(folder, "worse", "true"),
        sample("wat/first.wat"),
    ];
    let more = words("--rounds 3 --pause-after 2");
    let table = tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    let again = tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    assert_eq!(again, table);
    let shown = run(folder, &["table", "--json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    // Both fail against `first`, and are paused before they meet.
    let left_out = &shown["left_out"];
    assert_eq!((left_out, &shown["over"]), (&6.into(), &true.into()));
    assert!(table.contains("12 of 18 matches, 6 left out"), "{table}");
    let told = "12 of 18, 6 left out; it is over";
    for file in ["cup.md", "cup.html"] {
        run(folder, &["export", "cup", file]).ok();
        let page = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(page.contains(told), "{page}");
        assert!(page.contains("bad@1 is paused after match"), "{page}");
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
    let more = words("--rounds 6 --pause-after 3 --concurrency 2 --force-concurrency");
    assert_snapshot!(tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok(), @"
    cup - flipflop-3x3, 2 bots, round-robin, 6 rounds, clock move=30s,start=30s, seed 3: 12 of 12 matches

    rank  bot             ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  first@1            1630   ±118     12   10      0     2   10.0  83.3  53.4 to 95.6            8       0      0
       2  now-and-then@1     1370   ±118     12    2      0    10    2.0  16.7   4.4 to 46.6            8       8      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against                1        2
    1 first@1              -  10.0/12
    2 now-and-then@1  2.0/12        -
    score of the bot on the left against the bot above

    now-and-then@1 against first@1: 12 matches, won 2, drawn 0, lost 10
    Elo: -279.59, nElo: -347.44 +/- 196.58, 95 % interval -535.47 to -23.71
    LOS: 1.47 %, score: 16.67 % (4.38 to 46.59 %)
    Ptnml(0-2): [4, 0, 2, 0, 0]
    ");
    let all = rows(folder, "arena");
    let fell: Vec<bool> = faults(&all)
        .into_iter()
        .map(|seats| seats.contains(&"malformed"))
        .collect();
    let expected: Vec<bool> = (0..12).map(|index| index % 3 != 0).collect();
    assert_eq!(fell, expected);
    let never = ["--rounds", "6", "--pause-after", "0"];
    let bots = [failing(folder, "always", "true"), sample("wat/first.wat")];
    assert_snapshot!(tournament(folder, "never", "flipflop-3x3", &bots, &never).ok(), @"
    cup - flipflop-3x3, 2 bots, round-robin, 6 rounds, clock move=30s,start=30s, seed 3: 12 of 12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to  not by play  faults  voids
       1  first@1      1790   ±236     12   12      0     0   12.0  100.0  71.7 to 100.0           12       0      0
       2  always@1     1210   ±236     12    0      0    12    0.0    0.0    0.0 to 28.3           12      12      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1        2
    1 first@1        -  12.0/12
    2 always@1  0.0/12        -
    score of the bot on the left against the bot above

    always@1 against first@1: 12 matches, won 0, drawn 0, lost 12
    no Elo: all points went to one bot, 95 % interval at most -161.10
    LOS: 0.09 %, score: 0.00 % (0.00 to 28.35 %)
    Ptnml(0-2): [6, 0, 0, 0, 0]
    ");
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
    let more = words(r#"--seats 3 --rounds 1 --pause-after 2 --options {"max_turns":60}"#);
    assert_snapshot!(tournament(folder, "arena", "flip4", &bots, &more).ok(), @r#"
    cup - flip4, max_turns=60 of 3 seats, 3 bots, round-robin, 1 round, clock move=30s,start=30s, seed 3: 6 of 6 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  first@1       1652   ±313      6    1      5     0    4.8  79.2  32.4 to 96.8            6       0      0
       2  instant@1     1578   ±306      6    0      5     1    4.2  70.8  27.9 to 93.8            6       0      0
       3  bad@1         1270   ±423      6    0      0     6    0.0   0.0   0.0 to 50.5            6       6      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1      2      3
    1 first@1        -  3.5/6  6.0/6
    2 instant@1  2.5/6      -  6.0/6
    3 bad@1      0.0/6  0.0/6      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    bad@1 is paused after match 1, at fault in 2 matches in a row (malformed 2); the last: not a message: the line begins with "resign", not with {; at ply 2 (question 1); its remaining matches are forfeits
    "#);
    let all = rows(folder, "arena");
    for (at, row) in all.iter().enumerate() {
        let name = if at < 2 { "malformed" } else { "forfeit" };
        assert!(faults(&all)[at].contains(&name), "{row}");
        let last = row["seats"]
            .as_array()
            .unwrap()
            .iter()
            .find(|seat| seat["bot"] == "bad@1")
            .unwrap();
        assert_eq!(last["place"], 3, "{row}");
    }
    assert_snapshot!(session(folder, "verify cup-0 cup-1 cup-2 cup-3 cup-4 cup-5"), @"
    $ flipside verify cup-0 cup-1 cup-2 cup-3 cup-4 cup-5
    cup-0: ok: flip4 cup-0, 38 plies, 63 random events, 1 fault shown by evidence, limit
    cup-1: ok: flip4 cup-1, 43 plies, 62 random events, 1 fault shown by evidence, limit
    cup-2: ok: flip4 cup-2, 41 plies, 62 random events, 1 fault without evidence, line
    cup-3: ok: flip4 cup-3, 38 plies, 62 random events, 1 fault without evidence, limit
    cup-4: ok: flip4 cup-4, 40 plies, 62 random events, 1 fault without evidence, limit
    cup-5: ok: flip4 cup-5, 37 plies, 62 random events, 1 fault without evidence, limit
    ");
}

#[test]
fn a_failing_match_keeps_what_was_said_and_the_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let when = r#"[ $((match % 2)) = 1 ]"#;
    let bots = [failing(folder, "odd", when), sample("wat/first.wat")];
    let more = ["--rounds", "1"];
    tournament(folder, "arena", "flipflop-3x3", &bots, &more).ok();
    assert_snapshot!(session(folder, "
        matches --show cup-1
        matches --show cup-9
    "), @r#"
    $ flipside matches --show cup-1
    cup-1 - flipflop-3x3: fault after 1 ply

    seat 0: first@1, points 1, place 1

    seat 1: odd@1, points 0, place 2
      malformed: not a message: the line begins with "resign", not with {; at ply 1 (question 1)
      hint: print messages to standard output and nothing else; debug output belongs on standard error
      the last lines to it (>) and from it (<):
      > {"type":"hello","protocol":1,"match":"cup-1","game":"flipflop-3x3","options":{"max_plies":200},"seat":1,"seats":2,"clock":"move=30s,start=30s","limits":{"line":65536,"memory":268435456},"commitment":"HASH","seed":ID}
      < {"type":"ready","actions":true}
      > {"type":"turn","id":1,"actions":["b3-b2","b3xb1","c3-c2"],"clocks":[CLOCKS],"view":{"board":["rrr","B..",".RR"],"to_move":1,"ply":1,"repetitions":1}}
      < resign
      the end of its standard error:
      | I do not know what to do\u{1b}[2J in match 1

    $ flipside matches --show cup-9
    -- exit status 1, stderr:
    error: there is no match cup-9
    hint: `flipside matches` lists them
    "#);
    let evidence = |id: &str| {
        let json = run(folder, &["matches", "--show", id, "--json"]).ok();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["evidence"].clone()
    };
    let kept = evidence("cup-1");
    assert_eq!(
        kept.as_array().unwrap().len(),
        1,
        "only of the seat that fell"
    );
    assert_eq!(
        kept[0]["traffic"].as_array().unwrap().last().unwrap()["line"],
        "resign"
    );
    assert_eq!(
        kept[0]["stderr"],
        "I do not know what to do\u{1b}[2J in match 1\n"
    );
    assert_eq!(evidence("cup-0"), serde_json::json!([]));
}

#[test]
fn a_tournament_stops_before_the_arena_is_larger_than_it_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [sample("wat/first.wat"), sample("wat/instant.wat")];
    let play = |disk| {
        let more = ["--rounds", "300", "--pause-after", "0", "--most-disk", disk];
        tournament(folder, "arena", "flipfour", &bots, &more)
    };
    let stopped = play("1M");
    let (_, error) = stopped.stderr.split_once("\nerror: ").unwrap();
    assert_eq!((&*stopped.stdout, stopped.code), ("", Some(1)));
    assert_snapshot!(error, @"
    the arena has grown to 1M; what has been played is kept
    hint: give it more with --most-disk SIZE, and it goes on
    ");
    let journal = folder.join("arena/journal.sqlite").metadata().unwrap();
    let there = rows(folder, "arena").len();
    assert!((1..600).contains(&there), "{there}");
    assert!(journal.len() < 2 << 20);
    let table = play("1G").ok();
    assert_snapshot!(table, @"
    cup - flipfour, 2 bots, round-robin, 300 rounds, clock move=30s,start=30s, seed 3: 600 of 600 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  first@1       1736    ±27    600  558     10    32  563.0  93.8  91.8 to 95.4       0      0
       2  instant@1     1264    ±27    600   32     10   558   37.0   6.2    4.6 to 8.2       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against             1          2
    1 first@1           -  563.0/600
    2 instant@1  37.0/600          -
    score of the bot on the left against the bot above

    first@1 against instant@1: 600 matches, won 558, drawn 10, lost 32
    Elo: 472.92 +/- 55.14, nElo: 681.79 +/- 27.80, 95 % interval 419.26 to 526.58
    LOS: 100.00 %, score: 93.83 % (91.78 to 95.40 %)
    Ptnml(0-2): [0, 0, 32, 10, 258]
    ");
    // Nothing is left to play: it is no failure.
    assert_eq!(play("1M").ok(), table);
    assert_snapshot!(session(folder, "tournament flipfour a b --most-disk much"), @"
    $ flipside tournament flipfour a b --most-disk much
    -- exit status 2, stderr:
    error: invalid value 'much' for '--most-disk <SIZE>': a size is a whole number, with K, M, G or T behind it: 500M

    For more information, try '--help'.
    ");
}
