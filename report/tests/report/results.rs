//! Results that were played anywhere, as files write them and as people read them.

use flipside_ratings::{BlockScores, Model, Sprt};
use flipside_report::{ExportedMatch, cross_csv, rated_document, seats_csv, tested_in_words, text};
use flipside_store::full_table;
use flipside_store::testing::{finished, new_journal, tournament};
use flipside_tournament::{FullTable, ResultList, StandingsRow, Tested};
use insta::assert_snapshot;
use proptest::prelude::*;

fn list(text: &str) -> ResultList {
    ResultList::read(text).unwrap()
}

/// Each bot with its rating, the deviation of this, and what it won, drew and lost.
fn lines(list: &ResultList) -> Vec<String> {
    let rows = list.table().standings.rows;
    let line = |row: &StandingsRow| {
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

/// Each pair may stand in both directions.
#[test]
fn a_cross_table_says_the_same_as_the_counts_that_it_comes_from() {
    let by_counts = lines(&list(COUNTS));
    let table = list(COUNTS).table();
    let cross = cross_csv(&table.standings.cross);
    assert_eq!(cross.lines().count(), 7, "{cross}");
    assert_eq!(lines(&list(&cross)), by_counts);
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
        csv += &seats_csv(Some(&ExportedMatch { row, opening: None }));
        true
    });
    shown.unwrap();
    let list = list(&csv);
    assert_eq!((list.matches(), list.bots().len()), (36, 4));
    let ours = list.table();
    let theirs = full_table(&journal, &evening).unwrap();
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
    let mut expected = flipside_store::against(&journal, &evening, bot.unwrap()).unwrap();
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
fn a_test_tells_what_it_leaves_out() {
    let test = sprt(0.0, 50.0, Model::Logistic);
    let results =
        list("bot,opponent,score,block\nada,bob,1,1\nbob,ada,1,1\nada,bob,1,\nada,bob,0.5,2\n");
    let tested = results.tested(&test, None).unwrap();
    assert!(tested_in_words(&tested).contains("left out: 2 blocks that miss a match\n"));
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
    no records are behind these results: nothing here verifies them
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
    no records are behind these results: nothing here verifies them
    ");
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
        if let Ok(list) = ResultList::read(&text) {
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
}
