use flipside_ratings::{Model, SprtDecision};
use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::limits::MAX_ENTRANTS;
use crate::report::lists::seats_csv;
use crate::report::results::{rated_document, tested_in_words};
use crate::report::standings::cross_csv;
use crate::report::text;
use crate::testing::{finished, new_journal, tournament};

fn list(text: &str) -> ResultList {
    ResultList::from_csv(text).unwrap()
}

/// Each bot with its rating, the deviation of this, and what it won, drew and lost.
fn lines(list: &ResultList) -> Vec<String> {
    let rows = list.table().standings.rows;
    let line = |row: &crate::standings::Row| {
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
    // Each pair may stand in both directions, as in a cross table.
    let table = list(COUNTS).table();
    let cross = cross_csv(&table.standings.cross);
    assert_eq!(cross.lines().count(), 7, "{cross}");
    assert_eq!(lines(&list(&cross)), by_counts);
    // Tabs, a mark of the byte order and lines of Windows.
    let other = format!(
        "\u{feff}{}",
        COUNTS.replace(',', "\t").replace('\n', "\r\n")
    );
    assert_eq!(lines(&list(&other)), by_counts);
}

#[test]
fn a_file_of_seats_is_rated_like_the_tournament_that_it_comes_from() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 4, 3);
    let mut csv = seats_csv(None);
    for pairing in evening.schedule().unwrap().iter() {
        let finished = finished(&evening, &pairing);
        journal.land(&finished).unwrap();
    }
    let shown = journal.for_each_match(evening.id, |row| {
        csv += &seats_csv(Some(&row));
        true
    });
    shown.unwrap();
    let list = list(&csv);
    assert_eq!((list.matches(), list.bots().len()), (36, 4));
    let ours = list.table();
    let theirs = crate::tables::full_table(&journal, &evening).unwrap();
    // A tournament's table is ordered by points.
    let by_name = |table: &FullTable| {
        let rows = table.standings.rows.iter().map(|row| {
            let outcomes = (row.wins, row.draws, row.losses, row.faults, row.by_play);
            let estimate = (row.rating, row.deviation, row.low, row.high);
            let share = (row.percent, row.percent_low, row.percent_high);
            (row.bot.clone(), outcomes, format!("{estimate:?} {share:?}"))
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort();
        rows
    };
    assert_eq!(by_name(&ours), by_name(&theirs));
    assert_eq!(ours.statistics.seats, theirs.statistics.seats);
    assert_eq!(ours.statistics.ends, theirs.statistics.ends);
    assert_eq!(ours.statistics.blocks, theirs.statistics.blocks);
    let against = list.against("bot1@1").unwrap();
    let bot = evening
        .entrants
        .iter()
        .position(|bot| bot.label() == "bot1@1");
    let mut expected = crate::tables::against(&journal, &evening, bot.unwrap()).unwrap();
    for own in &against {
        let at = expected.iter().position(|other| other.bot == own.bot);
        let other = expected.remove(at.unwrap());
        assert_eq!(
            (own.difference, own.low, own.high, own.met),
            (other.difference, other.low, other.high, other.met)
        );
    }
    assert!(expected.is_empty() && list.against("nobody").is_none());
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
fn the_test_is_of_the_bot_that_is_asked_for_and_tells_what_it_leaves_out() {
    let test = sprt(0.0, 50.0, Model::Logistic);
    let results =
        list("bot,opponent,score,block\nada,bob,1,1\nbob,ada,1,1\nada,bob,1,\nada,bob,0.5,2\n");
    let tested = results.tested(&test, None).unwrap();
    assert_eq!(
        (tested.of_blocks, tested.broken, &tested.counts[..]),
        (1, 2, &[0, 0, 1, 0, 0][..])
    );
    assert!(tested_in_words(&tested).contains("left out: 2 blocks that miss a match\n"));
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
fn a_test_is_told_in_words() {
    let test = sprt(0.0, 2.0, Model::Normalized);
    let bots = || ["first", "second"].map(str::to_owned);
    let told = |counts| {
        tested_in_words(&Tested::of(
            bots(),
            &test,
            &BlockScores::pentanomial(counts),
        ))
    };
    assert_snapshot!(told([379, 10_170, 21_828, 10_640, 343]), @"
    first against second: LLR 2.95 (-3.00, 3.00) in normalized Elo, 98 % of the bound of H1, 43360 blocks: not decided
    Elo: 1.59 +/- 1.21, nElo: 3.05 +/- 2.31, 95 % interval 0.39 to 2.80
    LOS: 99.51 %, score: 50.23 % (50.06 to 50.40 %)
    Ptnml(0-2): [379, 10170, 21828, 10640, 343]
    ");
    // All pairs gave one point: the difference is known, and nothing of what varies.
    assert_snapshot!(told([0, 0, 30, 0, 0]), @"
    first against second: LLR 0.00 (-3.00, 3.00) in normalized Elo, 0 % of the bound of H0, 30 blocks: not decided
    Elo: 0.00, 95 % interval -16.24 to 16.24
    LOS: 50.00 %, score: 50.00 % (47.66 to 52.34 %)
    Ptnml(0-2): [0, 0, 30, 0, 0]
    ");
    assert_snapshot!(told([0, 0, 0, 0, 1]), @"
    first against second: LLR 0.01 (-3.00, 3.00) in normalized Elo, 0 % of the bound of H1, 1 block: not decided
    no Elo: all points went to one bot, 95 % interval at least -383.98
    LOS: 74.18 %, score: 100.00 % (9.88 to 100.00 %)
    Ptnml(0-2): [0, 0, 0, 0, 1]
    ");
    let mut csv = String::from("bot,opponent,score\n");
    (0..99).for_each(|_| csv += "ada,bob,1\n");
    let test = sprt(0.0, 50.0, Model::Logistic);
    let tested = list(&csv).tested(&test, None).unwrap();
    assert_snapshot!(tested_in_words(&tested), @"
    ada against bob: LLR 3.07 (-3.00, 3.00) in logistic Elo, 103 % of the bound of H1, 23 blocks: H1 accepted: ada is stronger than bob
    left out: 76 blocks after the decision
    no Elo: all points went to one bot, 95 % interval at least 310.89
    LOS: 100.00 %, score: 100.00 % (85.69 to 100.00 %)
    Blocks by points (0-1): [0, 0, 23]
    ");
}

#[test]
fn ratings_are_told_in_words() {
    let counts = list(COUNTS);
    let document = rated_document("cup.csv", &counts, &counts.table(), false);
    assert_snapshot!(text(&document, Some(100)), @"
    cup.csv - 3 bots, 30 matches

    rank  bot  ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to
       1  ada     1583    ±90     20   11      5     4   13.5  67.5  48.6 to 82.0
       2  bob     1500    ±86     20    7      6     7   10.0  50.0  32.6 to 67.4
       3  eve     1417    ±90     20    3      7    10    6.5  32.5  18.8 to 50.1
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against       1       2       3
    1 ada         -  6.0/10  7.5/10
    2 bob    4.0/10       -  6.0/10
    3 eve    2.5/10  4.0/10       -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
    let pairs = list("bot,opponent,0,0.5,1,1.5,2\nada,bob,2,3,9,4,5\n");
    let document = rated_document("pairs.csv", &pairs, &pairs.table(), true);
    assert_snapshot!(text(&document, Some(100)), @"
    pairs.csv - 2 bots, 46 matches

    rank  bot  ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to
       1  ada     1526    ±44     46   23      7    16   26.5  57.6  44.8 to 69.5
       2  bob     1474    ±44     46   16      7    23   19.5  42.4  30.5 to 55.2
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against        1        2
    1 ada          -  26.5/46
    2 bob    19.5/46        -
    score of the bot on the left against the bot above

    23 blocks of 2 matches; a match in a block is worth 1.13 independent matches

    against     1     2
    1 ada       -  87.6
    2 bob    12.4     -
    in how many of a hundred cases the bot on the left is better than the bot above

    ada against bob: 46 matches, won 23, drawn 7, lost 16
    Elo: 53.28 +/- 88.91, nElo: 62.55 +/- 100.40, 95 % interval -36.61 to 143.18
    LOS: 87.56 %, score: 57.61 % (44.75 to 69.51 %)
    Ptnml(0-2): [2, 3, 9, 4, 5]

    bot  ~Elo against the field  ~+/-       Ptnml(0-2)  drawn %
    ada                    53.3  88.9  [2, 3, 9, 4, 5]     15.2
    bob                   -53.3  88.9  [5, 4, 9, 3, 2]     15.2

    bot  matches  blocks  faults
    ada       46      23       0
    bob       46      23       0

    not certain: the order of places 1 and 2; the results do not support it at 95 %
    won, drawn, lost: a pair that gave one point counts as a match won and a match lost
    ");
}

#[test]
fn what_is_no_list_is_refused_in_words() {
    let error = |text: &str| ResultList::from_csv(text).unwrap_err().to_string();
    let hint = |text: &str| ResultList::from_csv(text).unwrap_err().hint();
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
    it is empty; the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    its columns are no results: ada, bob, 1; the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    there are no results in it; the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
    line 2: 2 fields, where the first line has 3; every line has a field for each column; a name with a comma stands in quotes
    line 2: "2" is not a score; a score is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, for the bot that is named first
    line 2: "ada" plays against itself; a line has two different bots
    line 2: a bot has no name; every line names its bots
    line 2: "-1" is not a count; counts are whole numbers: how many matches, or pairs of matches, ended so
    there are no results in it; the first line names the columns: bot,opponent,wins,draws,losses, or bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place
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
    line 6: the lines of the match x do not stand together; give each match a name of its own, and write its seats one after the other
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

    /// Whatever a file holds, it is refused, or its figures can be printed.
    #[test]
    fn no_file_is_too_strange(form in 0usize..4, fields in proptest::collection::vec(
        proptest::collection::vec("[ab]|0|1|2|0\\.5|[-,\"\u{1f600}]|", 7), 0..12)
    ) {
        let headings = [
            "bot,opponent,wins,draws,losses",
            "bot,opponent,score,block",
            "bot,opponent,0,0.5,1,1.5,2",
            "match,bot,place,block,fault,reason",
        ];
        let width = headings[form].split(',').count();
        let mut text = headings[form].to_owned();
        for line in fields {
            text += &format!("\n{}", line[..width].join(","));
        }
        if let Ok(list) = ResultList::from_csv(&text) {
            let table = list.table();
            for row in &table.standings.rows {
                prop_assert!(row.rating.is_finite() && row.deviation > 0.0);
                if let (Some(low), Some(high)) = (row.percent_low, row.percent_high) {
                    prop_assert!(low <= row.percent + 1e-9 && row.percent <= high + 1e-9, "{row:?}");
                }
            }
            prop_assert!(!rated_document("x", &list, &table, true).parts.is_empty());
            if list.bots().len() == 2 {
                let tested = list.tested(&sprt(0.0, 5.0, Model::Normalized), None).unwrap();
                prop_assert!(tested.running.llr.is_finite());
            }
        }
    }

    /// Counts that have no Elo, or no error of it, have a ratio all the same.
    #[test]
    fn every_count_has_a_ratio(counts in proptest::array::uniform5(prop_oneof![Just(0u64), 1u64..5, Just(1_000_000_000)])) {
        for model in [Model::Logistic, Model::Normalized] {
            let llr = sprt(-1.0, 4.0, model).llr(&BlockScores::pentanomial(counts));
            prop_assert!(llr.is_finite(), "{llr}");
        }
    }
}
