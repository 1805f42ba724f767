use flipside_ratings::{Model, SprtDecision};
use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::limits::MAX_ENTRANTS;

fn list(text: &str) -> ResultList {
    ResultList::read(text).unwrap()
}

/// Each bot with its rating, the deviation of this, and what it won, drew and lost.
fn lines(list: &ResultList) -> Vec<String> {
    let rows = list.table().standings.rows;
    let line = |row: &crate::standings::StandingsRow| {
        let outcomes = format!("{}-{}-{}", row.wins, row.draws, row.losses);
        format!(
            "{} {} {:.2} {:.2} {outcomes}",
            row.rank, row.bot, row.rating, row.deviation
        )
    };
    rows.iter().map(line).collect()
}

fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
}

const COUNTS: &str =
    "bot,opponent,wins,draws,losses\nada,bob,5,2,3\nbob,eve,4,4,2\neve,ada,1,3,6\n";

#[test]
fn what_a_file_says_is_the_same_however_it_says_it() {
    let by_counts = lines(&list(COUNTS));
    assert_eq!(by_counts[0].split(' ').nth(1), Some("ada"));
    let mut matches = String::from("Score;Opponent;Bot;comment\n");
    for (one, other, scores) in [
        ("ada", "bob", "1 1 1 1 1 0.5 1/2 0 0 0"),
        ("bob", "eve", "1-0 1-0 1 1.0 0,5 ½ .5 1/2-1/2 0-1 0.0"),
        ("eve", "ada", "1 0.5 0.5 0.5 0 0 0 0 0 0"),
    ] {
        for score in scores.split(' ') {
            matches += &format!("{score};{other} ; {one};\n");
        }
    }
    assert_eq!(lines(&list(&matches)), by_counts);
    // Tabs, a mark of the byte order and lines of Windows.
    let other = format!(
        "\u{feff}{}",
        COUNTS.replace(',', "\t").replace('\n', "\r\n")
    );
    assert_eq!(lines(&list(&other)), by_counts);
}

#[test]
fn pairs_of_matches_count_as_blocks() {
    // The same points, in pairs that all gave one: nothing is left to chance.
    let pairs = list("bot,opponent,0,0.5,1,1.5,2\nada,bob,2,3,9,4,5\n");
    let table = pairs.table();
    let pair = table.statistics.pair.unwrap();
    assert_eq!(pair.blocks, [2, 3, 9, 4, 5]);
    assert_eq!(
        pair.elo,
        BlockScores::pentanomial([2, 3, 9, 4, 5]).elo().unwrap()
    );
    assert_eq!(table.standings.played, 46);
    let alike = list("bot,opponent,0,0.5,1,1.5,2\nada,bob,0,0,200,0,0\nbob,eve,1,2,3,4,5\n");
    assert!(alike.is_of_pairs());
    // Single matches of the same results are less sure.
    let singles = list("bot,opponent,wins,draws,losses\nada,bob,200,0,200\nbob,eve,17,6,7\n");
    let deviation = |list: &ResultList| list.against("ada").unwrap()[0].deviation;
    assert!(deviation(&alike) < 0.8 * deviation(&singles));
}

#[test]
fn matches_of_one_block_hang_together() {
    // Whoever has the good opening wins, and each pair gives one point.
    let mut csv = String::from("bot,opponent,score,block\n");
    for block in 0..50 {
        csv += &format!("ada,bob,1,{block}\nada,bob,0,{block}\n");
    }
    let blocks = list(&csv);
    assert_eq!(blocks.table().statistics.matches_of_block, 2);
    let singles = list(
        &csv.lines()
            .map(|line| {
                let (line, _) = line.rsplit_once(',').unwrap();
                format!("{line}\n")
            })
            .collect::<String>(),
    );
    let deviation = |list: &ResultList| list.table().standings.rows[0].deviation;
    assert!(deviation(&blocks) < 0.5 * deviation(&singles));
    // One that misses a match is told, and counts in the ratings.
    let broken = list(&(csv + "bob,ada,1,last\n")).table();
    assert_eq!(
        (broken.statistics.blocks, broken.statistics.broken),
        (50, 1)
    );
    assert_eq!(broken.standings.played, 101);
}

/// A block's name may be that of an opening, which all pairs play.
#[test]
fn a_block_is_of_the_same_bots() {
    let mut named = String::from("bot,opponent,score,block\n");
    let mut apart = named.clone();
    for opening in 0..20 {
        for (one, other) in [
            ("ada", "bob"),
            ("bob", "eve"),
            ("eve", "ada"),
            ("ada", "dan"),
        ] {
            for (first, second) in [(one, other), (other, one)] {
                named += &format!("{first},{second},1,{opening}\n");
                apart += &format!("{first},{second},1,{opening} {one} {other}\n");
            }
        }
    }
    assert_eq!(lines(&list(&named)), lines(&list(&apart)));
    let report = list(&named).table().statistics;
    assert_eq!(
        (report.blocks, report.broken, report.matches_of_block),
        (80, 0, 2)
    );
}

#[test]
fn the_test_is_of_the_bot_that_is_asked_for() {
    let test = sprt(0.0, 50.0, Model::Logistic);
    let results =
        list("bot,opponent,score,block\nada,bob,1,1\nbob,ada,1,1\nada,bob,1,\nada,bob,0.5,2\n");
    let tested = results.tested(&test, None).unwrap();
    assert_eq!(
        (tested.of_blocks, tested.broken, &tested.counts[..]),
        (1, 2, &[0, 0, 1, 0, 0][..])
    );
    let counts = list("bot,opponent,wins,draws,losses\nada,bob,9,2,4\n");
    let [ada, bob] = ["ada", "bob"].map(|bot| counts.tested(&test, Some(bot)).unwrap());
    assert_eq!((ada.counts, bob.counts), (vec![4, 2, 9], vec![9, 2, 4]));
    assert_eq!(bob.bots, ["bob", "ada"]);
    let error = counts.tested(&test, Some("eve")).unwrap_err();
    assert_eq!(error.to_string(), "\"eve\" is not in it");
}

#[test]
fn a_first_place_that_some_share_is_told() {
    let results = |places: [u8; 4]| {
        let seats = ["ada", "bob", "eve", "dan"].iter().zip(places);
        let seats = seats.map(|(bot, place)| format!("x,{bot},{place}\n"));
        list(&format!("match,bot,place\n{}", seats.collect::<String>()))
    };
    assert_eq!(results([1, 3, 1, 3]).shared(), 1);
    assert_eq!(results([1, 2, 2, 2]).shared(), 0);
    assert_eq!(results([1, 1, 1, 1]).shared(), 0);
}

#[test]
fn what_nobody_played_is_not_rated() {
    let seats = "match,bot,place,fault,reason\nx,ada,1,,\nx,bob,2,,\ny,ada,1,,forfeit\ny,bob,2,forfeit,forfeit\n";
    let forfeited = list(seats);
    let played = list("match,bot,place\nx,ada,1\nx,bob,2\n");
    let rating = |list: &ResultList| list.table().standings.rows[0].rating;
    assert_eq!(rating(&forfeited), rating(&played));
    let row = &forfeited.table().standings.rows[0];
    assert_eq!((row.games, row.by_play, row.score), (2, 1, 2.0));
}

#[test]
fn a_list_of_matches_is_tested_until_it_is_decided() {
    let mut csv = String::from("bot,opponent,score\n");
    (0..200).for_each(|_| csv += "ada,bob,1\n");
    (0..300).for_each(|_| csv += "bob,ada,1\n");
    let test = sprt(0.0, 50.0, Model::Logistic);
    let tested = list(&csv).tested(&test, None).unwrap();
    assert_eq!(tested.running.decision, Some(SprtDecision::Elo1));
    assert_eq!(tested.bots, ["ada", "bob"]);
    assert_eq!(tested.of_blocks, 500);
    assert!(tested.running.blocks < 200);
    assert_eq!(tested.counts, [0, 0, tested.running.blocks]);
    // The test was not decided one block earlier.
    let before = BlockScores::trinomial([0, 0, tested.running.blocks - 1]);
    assert_eq!(test.decision(test.llr(&before)), None);
    // Counts have no order.
    let counts = list("bot,opponent,wins,draws,losses\nada,bob,200,0,300\n");
    let counts = counts.tested(&test, None).unwrap();
    assert_eq!(counts.running.decision, Some(SprtDecision::Elo0));
    assert_eq!((counts.running.blocks, counts.of_blocks), (500, 500));
}

#[test]
fn a_test_of_blocks_that_are_too_long_for_it_is_refused() {
    let mut csv = String::from("bot,opponent,score,block\n");
    (0..6).for_each(|_| csv += "ada,bob,1,1\n");
    let error = list(&csv).tested(&sprt(0.0, 150.0, Model::Normalized), None);
    assert_eq!(
        error.unwrap_err().to_string(),
        "elo1 is at most 127 in normalised Elo where a block has 6 matches, and 150 is more"
    );
    assert!(
        list(&csv)
            .tested(&sprt(0.0, 127.0, Model::Normalized), None)
            .is_ok()
    );
}

#[test]
fn what_is_no_list_is_refused_in_words() {
    let error = |text: &str| ResultList::read(text).unwrap_err().to_string();
    let hint = |text: &str| ResultList::read(text).unwrap_err().hint();
    let all = [
        "",
        "ada,bob,1",
        "bot,opponent,score",
        "bot,opponent,score\nada,bob",
        "bot,opponent,score\nada,bob,2",
        "bot,opponent,score\nada,ada,1",
        "bot,opponent,score\nada,,1",
        "bot,opponent,wins,draws,losses\nada,bob,1,-1,0",
        "bot,opponent,wins,draws,losses\nada,bob,0,0,0",
        "bot,opponent,wins,draws,losses\nada,bob,1,0,0\nada,bob,1,0,0",
        "bot,opponent,wins,draws,losses\nada,bob,1,0,0\nbob,ada,1,0,0",
        "bot,opponent,wins,draws,losses\nada,bob,10000001,0,0",
        "bot,opponent,wins,draws,losses\nada,bob,18446744073709551615,1,1",
        "bot,opponent,0,0.5,1,1.5,2\nada,bob,9223372036854775808,1,1,1,1",
        "match,bot,place\nx,ada,1",
        "match,bot,place\nx,ada,0\nx,bob,1",
        "match,bot,place\nx,ada,1\nx,bob,2\ny,ada,1\ny,bob,2\ny,eve,3",
        "match,bot,place\nx,ada,1\nx,ada,2",
        "match,bot,place\nx,ada,1\nx,ada,2\nx,bob,3",
        "match,bot,place\nx,ada,1\nx,ada,2\nx,bob,3\nx,bob,4\ny,ada,1\ny,bob,2\ny,eve,3\ny,eva,4",
        "match,bot,place\n,ada,1\n,bob,2",
        "match,bot,place\nx,ada,1\nx,bob,2\ny,ada,1\ny,bob,2\nx,ada,1\nx,bob,2",
        "match,bot,place,block\nx,ada,1,1\nx,bob,2,2",
        "bot,opponent,score\nada,bob,nan",
    ];
    let told: Vec<String> = all
        .iter()
        .map(|text| format!("{}; {}", error(text), hint(text)))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    it is empty; PGN begins with [, TRF with a number of three digits; of CSV, the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    its columns are no results: ada, bob, 1; PGN begins with [, TRF with a number of three digits; of CSV, the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    there are no results in it; PGN begins with [, TRF with a number of three digits; of CSV, the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    line 2: 2 fields, where the first line has 3; every line has a field for each column; a name with a comma stands in quotes
    line 2: "2" is not a score; a score is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, for the bot that is named first
    line 2: "ada" plays against itself; a match has two different bots
    line 2: a bot has no name; every line names its bots
    line 2: "-1" is not a count; counts are whole numbers: how many matches, or pairs of matches, ended so
    there are no results in it; PGN begins with [, TRF with a number of three digits; of CSV, the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    line 3: ada and bob stand in another line too; write all results of two bots into one line
    line 3: bob and ada stand in another line with other numbers; write all results of two bots into one line
    line 2: there are at most 10000000 matches in a list; rate a part of it, or write all results of two bots into one line: bot,opponent,wins,draws,losses
    line 2: there are at most 10000000 matches in a list; rate a part of it, or write all results of two bots into one line: bot,opponent,wins,draws,losses
    line 2: there are at most 10000000 matches in a list; rate a part of it, or write all results of two bots into one line: bot,opponent,wins,draws,losses
    the match x has one bot only; a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it
    line 2: a place is a number from 1 to 255, not "0"; a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it
    one match has 2 seats, 1 for each bot, and another 3, 1 for each; write a file for each kind of match, and rate them one by one
    the match x has one bot only; a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it
    the match x has more seats for some bots than for others; a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it
    one match has 4 seats, 2 for each bot, and another 4, 1 for each; write a file for each kind of match, and rate them one by one
    line 2: a match has no name; a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it
    line 6: the match x stands there already; give each match a name of its own, and write its seats one after the other
    line 3: the lines of the match x have different blocks or reasons; a match has one block and one reason, which all its lines repeat
    line 2: "nan" is not a score; a score is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, for the bot that is named first
    "#);
    let long = |line: &str| format!("bot,opponent,score,block\n{}", line.repeat(7));
    assert_eq!(
        error(&long("ada,bob,1,x\n")),
        "line 8: a block has at most 6 matches of the same bots"
    );
    let mut many = String::from("bot,opponent,score\n");
    (0..MAX_ENTRANTS).for_each(|bot| many += &format!("ada,{bot},1\n"));
    assert_eq!(
        error(&many),
        "line 1001: there are at most 1000 bots in a list"
    );
    // What is quoted is cut.
    let long = "x".repeat(100_000);
    for text in [
        long.clone(),
        format!("bot,opponent,score\nada,bob,{long}"),
        format!("bot,opponent,score\nada,{long},1"),
        format!("match,bot,place\n{long},ada,1\n{long},ada,1"),
    ] {
        assert!(error(&text).len() < 300, "{}", error(&text));
    }
    let seats: String = (1..8).map(|seat| format!("x,{seat},{seat}\n")).collect();
    let seats = error(&format!("match,bot,place\n{seats}"));
    assert_eq!(seats, "line 8: a match has at most 6 seats");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Counts that have no Elo, or no error of it, have a ratio all the same.
    #[test]
    fn every_count_has_a_ratio(counts in proptest::array::uniform5(prop_oneof![Just(0u64), 1u64..5, Just(1_000_000_000)])) {
        for model in [Model::Logistic, Model::Normalized] {
            let llr = sprt(-1.0, 4.0, model).llr(&BlockScores::pentanomial(counts));
            prop_assert!(llr.is_finite(), "{llr}");
        }
    }
}

#[test]
fn a_match_that_stands_in_two_files_is_refused_and_not_counted_twice() {
    let csv = |tournament: &str| {
        format!("tournament,match,bot,place\n{tournament},x,ada,1\n{tournament},x,bob,2\n")
    };
    let pgn = "[Event \"cup\"]\n[White \"ada\"]\n[Black \"bob\"]\n[Result \"1-0\"]\n[MatchId \"x\"]\n\n1-0\n";
    for again in [csv("cup"), pgn.to_owned()] {
        let mut reader = ResultsReader::default();
        reader.read(&csv("cup")).unwrap();
        let error = reader.read(&again).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("the match x of cup stands in another file, too"),
            "{error}"
        );
        assert_eq!(error.hint(), "give the results of each tournament once");
    }
    // Another tournament, and files that name none, have matches of the same name.
    for others in [[csv("cup"), csv("league")], [csv(""), csv("")]] {
        let mut reader = ResultsReader::default();
        others.iter().for_each(|text| reader.read(text).unwrap());
        assert_eq!(reader.list().unwrap().matches(), 2);
    }
}
