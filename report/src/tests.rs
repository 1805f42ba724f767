use std::collections::BTreeMap;

use flipside_referee::ModelUse;
use flipside_store::{DescribedBot, HistoryRow, MatchRow, Rerated};
use flipside_tournament::{
    Cell, CrossTable, Ranked, Ranking, Runs, Standings, StandingsRow, Total,
};
use insta::assert_snapshot;

use crate::column::{ReportRow, ReportView};
use crate::document::{Document, Part};
use crate::lists::Rated;
use crate::markdown::markdown;
use crate::page::page;
use crate::standings::{cross_csv, cross_table, standings_table};
use crate::text::text;
use crate::value::fixed;
use crate::width::width as columns_of;

/// Two bots that met and one that has not played, the first with a hostile name.
fn standings() -> Standings {
    let row = |rank: usize, bot: &str, wins, losses| StandingsRow {
        rank,
        bot: bot.into(),
        left: None,
        left_because: None,
        is_void: false,
        rating: 1500.0 + 50.25 * (wins as f64 - losses as f64),
        deviation: 23.0,
        low: 1455.0,
        high: 1545.0,
        is_told_apart: None,
        link: None,
        glicko: Some(1490.0),
        glicko_deviation: Some(23.0),
        games: wins + losses,
        wins,
        draws: 0,
        losses,
        score: wins as f64,
        percent: 100.0 * wins as f64 / (wins + losses).max(1) as f64,
        percent_low: (wins > 0).then_some(55.0 / 3.0),
        percent_high: (wins > 0).then_some(99.0),
        by_play: wins,
        faults: losses,
        fault_names: BTreeMap::new(),
        voids: 0,
        often_void: false,
        model: None,
    };
    let cell = |wins, losses| Cell {
        wins,
        draws: 0,
        losses,
    };
    let bots = ["a|<b>\u{202e}@1", "greedy@12", "late@1"];
    Standings {
        played: 4,
        total: Total::Exactly(12),
        uncounted: 0,
        left_out: 0,
        over: false,
        voids: 0,
        pauses: Vec::new(),
        changes: Vec::new(),
        imports: Vec::new(),
        runs: Runs::default(),
        classes: Vec::new(),
        untrusted: 0,
        rows: vec![
            row(1, bots[0], 3, 1),
            row(2, bots[1], 1, 3),
            row(3, bots[2], 0, 0),
        ],
        cross: CrossTable {
            bots: bots.map(str::to_owned).into(),
            cells: vec![
                vec![cell(0, 0), cell(3, 1), cell(0, 0)],
                vec![cell(1, 3), cell(0, 0), cell(0, 0)],
                vec![cell(0, 0); 3],
            ],
        },
        ranking: None,
        encounters: Vec::new(),
        sprt: None,
    }
}

fn document() -> Document {
    let standings = standings();
    Document {
        headline: None,
        remark: None,
        title: "evening".into(),
        about: "flipfour, 3 bots: 4 of 12 matches".into(),
        facts: vec![("game", "flipfour".into()), ("seed", "7".into())],
        parts: vec![
            standings_table(&standings).part(),
            Part::Lines("a@1 against b@1: 4 matches\nElo: 0.00".into()),
            cross_table(&standings.cross, "flipside table NAME").part(),
        ],
        notes: vec!["trust: no jail".into()],
    }
}

#[test]
fn a_document_as_text() {
    assert_snapshot!(text(&document(), None), @r"
    evening - flipfour, 3 bots: 4 of 12 matches

    rank  bot              ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  a|<b>\u{202e}@1     1600    ±45      4    3      0     1    3.0  75.0  18.3 to 99.0            1       1      0
       2  greedy@12           1400    ±45      4    1      0     3    1.0  25.0  18.3 to 99.0            3       3      0
       3  late@1              1500    ±45      0    0      0     0    0.0     -             -            0       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    a@1 against b@1: 4 matches
    Elo: 0.00

    against                1      2  3
    1 a|<b>\u{202e}@1      -  3.0/4  -
    2 greedy@12        1.0/4      -  -
    3 late@1               -      -  -
    score of the bot on the left against the bot above

    trust: no jail
    ");
}

#[test]
fn a_narrow_terminal_gets_fewer_columns_and_no_wrapped_row() {
    assert_snapshot!(text(&document(), Some(60)), @r"
    evening - flipfour, 3 bots: 4 of 12 matches

    rank  bot              ~rating  ~95 %  games  score  faults
       1  a|<b>\u{202e}@1     1600    ±45      4    3.0       1
       2  greedy@12           1400    ±45      4    1.0       3
       3  late@1              1500    ±45      0    0.0       0
    ~ is an estimate from the results so far; ± half the width
    of its 95 % interval
    columns won, drawn, lost, %, ~% from to, not by play, voids
    are left out: `COLUMNS=200` before the command, or --csv,
    shows all

    a@1 against b@1: 4 matches
    Elo: 0.00

    against                1      2  3
    1 a|<b>\u{202e}@1      -  3.0/4  -
    2 greedy@12        1.0/4      -  -
    3 late@1               -      -  -
    score of the bot on the left against the bot above

    trust: no jail
    ");
}

#[test]
fn a_document_as_markdown() {
    assert_snapshot!(markdown(&document()), @r"
    # evening

    game flipfour, seed 7

    | rank | bot | \~rating | \~95 % | games | won | drawn | lost | score | % | \~% from to | not by play | faults | voids |
    | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | 1 | a\|\<b\>\\u{202e}@1 | 1600 | ±45 | 4 | 3 | 0 | 1 | 3.0 | 75.0 | 18.3 to 99.0 | 1 | 1 | 0 |
    | 2 | greedy@12 | 1400 | ±45 | 4 | 1 | 0 | 3 | 1.0 | 25.0 | 18.3 to 99.0 | 3 | 3 | 0 |
    | 3 | late@1 | 1500 | ±45 | 0 | 0 | 0 | 0 | 0.0 | - | - | 0 | 0 | 0 |

    \~ is an estimate from the results so far; ± half the width of its 95 % interval

    a@1 against b@1: 4 matches  
    Elo: 0.00

    | against | 1 | 2 | 3 |
    | --- | ---: | ---: | ---: |
    | 1 a\|\<b\>\\u{202e}@1 | - | 3.0/4 | - |
    | 2 greedy@12 | 1.0/4 | - | - |
    | 3 late@1 | - | - | - |

    score of the bot on the left against the bot above

    - trust: no jail
    ");
}

#[test]
fn a_document_as_a_page() {
    let page = page(&document());
    let (_, body) = page.split_once("<body>").unwrap();
    let (start, drawing) = body.split_once("<svg").unwrap();
    let (_, end) = drawing.split_once("</svg>").unwrap();
    let end = end.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_snapshot!(format!("{start}<svg/>{end}"), @r#"
    <h1>evening</h1>
    <dl>
    <div><dt>game</dt><dd>flipfour</dd></div>
    <div><dt>seed</dt><dd>7</dd></div>
    </dl>
    <h2>Standings</h2>
    <div class="wide">
    <table>
    <thead><tr><th scope="col" class="number">rank</th><th scope="col">bot</th><th scope="col" class="number">~rating</th><th scope="col" class="number">~95 %</th><th scope="col" class="number">games</th><th scope="col" class="number">won</th><th scope="col" class="number">drawn</th><th scope="col" class="number">lost</th><th scope="col" class="number">score</th><th scope="col" class="number">%</th><th scope="col" class="number">~% from to</th><th scope="col" class="number">not by play</th><th scope="col" class="number">faults</th><th scope="col" class="number">voids</th></tr></thead>
    <tbody>
    <tr><td class="number">1</td><td>a|&lt;b&gt;\u{202e}@1</td><td class="number">1600</td><td class="number">±45</td><td class="number">4</td><td class="number">3</td><td class="number">0</td><td class="number">1</td><td class="number">3.0</td><td class="number">75.0</td><td class="number">18.3 to 99.0</td><td class="number">1</td><td class="number">1</td><td class="number">0</td></tr>
    <tr><td class="number">2</td><td>greedy@12</td><td class="number">1400</td><td class="number">±45</td><td class="number">4</td><td class="number">1</td><td class="number">0</td><td class="number">3</td><td class="number">1.0</td><td class="number">25.0</td><td class="number">18.3 to 99.0</td><td class="number">3</td><td class="number">3</td><td class="number">0</td></tr>
    <tr><td class="number">3</td><td>late@1</td><td class="number">1500</td><td class="number">±45</td><td class="number">0</td><td class="number">0</td><td class="number">0</td><td class="number">0</td><td class="number">0.0</td><td class="number">-</td><td class="number">-</td><td class="number">0</td><td class="number">0</td><td class="number">0</td></tr>
    </tbody>
    </table>
    </div>
    <p>~ is an estimate from the results so far; ± half the width of its 95 % interval</p>
    <p>a@1 against b@1: 4 matches<br>
    Elo: 0.00</p>
    <h2>Cross table</h2>
    <div class="wide">
    <svg/>
    </div>
    <p>the share of the points of the bot on the left against the bot above</p>
    <details>
    <summary>as a table</summary>
    <div class="wide">
    <table>
    <thead><tr><th scope="col">against</th><th scope="col" class="number">1</th><th scope="col" class="number">2</th><th scope="col" class="number">3</th></tr></thead>
    <tbody>
    <tr><td>1 a|&lt;b&gt;\u{202e}@1</td><td class="number">-</td><td class="number">3.0/4</td><td class="number">-</td></tr>
    <tr><td>2 greedy@12</td><td class="number">1.0/4</td><td class="number">-</td><td class="number">-</td></tr>
    <tr><td>3 late@1</td><td class="number">-</td><td class="number">-</td><td class="number">-</td></tr>
    </tbody>
    </table>
    </div>
    <p>score of the bot on the left against the bot above</p>
    </details>
    <h2>Notes</h2>
    <ul>
    <li>trust: no jail</li>
    </ul>
    <footer>Flipside VERSION. rating: by all results at once; ±: the 95 % interval against the average bot.</footer>
    </body>
    </html>
    "#);
}

#[test]
fn tables_as_comma_separated_values() {
    let standings = standings();
    let csv = standings_table(&standings).csv() + "\n" + &cross_csv(&standings.cross);
    assert_snapshot!(csv, @r"
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids
    1,a|<b>\u{202e}@1,,,,1600.50,23.00,1455.00,1545.00,,,1490.00,23.00,4,3,0,1,3.0,75.00,18.33,99.00,3,1,0
    2,greedy@12,,,,1399.50,23.00,1455.00,1545.00,,,1490.00,23.00,4,1,0,3,1.0,25.00,18.33,99.00,1,3,0
    3,late@1,,,,1500.00,23.00,1455.00,1545.00,,,1490.00,23.00,0,0,0,0,0.0,,,,0,0,0

    bot,opponent,games,wins,draws,losses,score
    a|<b>\u{202e}@1,greedy@12,4,3,0,1,3.0
    greedy@12,a|<b>\u{202e}@1,4,1,0,3,1.0
    ");
}

#[test]
fn columns_of_language_models_are_there_if_a_bot_tells_of_one() {
    let mut standings = standings();
    let headings = |standings: &Standings| {
        let csv = standings_table(standings).csv();
        csv.lines().next().unwrap().to_owned()
    };
    assert!(!headings(&standings).contains("model"), "{standings:?}");
    standings.rows[1].model = Some(ModelUse {
        moves: 20,
        answered: 19,
        first_try: 17,
        tries: 22,
        provider_errors: 0,
        tokens_in: 16_240,
        tokens_out: 680,
        fallbacks: 2,
    });
    let csv = standings_table(&standings).csv();
    let last = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        fields[fields.len() - 8..].join(" ")
    };
    let of_models: Vec<String> = csv.lines().map(last).collect();
    assert_eq!(
        of_models,
        [
            "model_moves model_answered model_first_try model_tries model_tokens_in model_tokens_out \
             model_fallbacks model_provider_errors",
            "       ",
            "20 19 17 22 16240 680 2 0",
            "       ",
        ]
    );
    let mut document = document();
    document.parts = vec![standings_table(&standings).part()];
    let text = text(&document, None);
    let heading = "legal at first try %  tries  tokens in  tokens out  fallbacks";
    assert!(text.contains(heading), "{text}");
    assert!(!text.contains("provider errors"), "{text}");
    assert!(
        text.contains("                89.5     22      16240         680          2"),
        "{text}"
    );
}

#[test]
fn the_tables_are_written_as_csv() {
    let row = |[wins, losses]: [u64; 2]| StandingsRow {
        wins,
        losses,
        draws: 1,
        games: 3,
        by_play: 3,
        faults: 0,
        score: wins as f64 + 0.5,
        percent: 100.0 * (wins as f64 + 0.5) / 3.0,
        percent_low: None,
        percent_high: None,
        deviation: 108.9,
        glicko: Some(1500.0),
        glicko_deviation: Some(350.0),
        ..standings().rows.swap_remove(0)
    };
    let cell = |wins, losses| Cell {
        wins,
        draws: 1,
        losses,
    };
    let bots = ["bot0@1", "bot1@1"];
    let table = Standings {
        rows: vec![
            StandingsRow {
                bot: bots[0].into(),
                rating: 1610.49,
                low: 1397.04,
                high: 1823.95,
                ..row([2, 0])
            },
            StandingsRow {
                rank: 2,
                bot: bots[1].into(),
                rating: 1389.51,
                low: 1176.05,
                high: 1602.96,
                ..row([0, 2])
            },
        ],
        cross: CrossTable {
            bots: bots.map(str::to_owned).into(),
            cells: vec![
                vec![Cell::default(), cell(2, 0)],
                vec![cell(0, 2), Cell::default()],
            ],
        },
        ..standings()
    };
    let csv = standings_table(&table).csv() + "\n" + &cross_csv(&table.cross);
    assert_snapshot!(csv, @"
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids
    1,bot0@1,,,,1610.49,108.90,1397.04,1823.95,,,1500.00,350.00,3,2,1,0,2.5,83.33,,,3,0,0
    2,bot1@1,,,,1389.51,108.90,1176.05,1602.96,,,1500.00,350.00,3,0,1,2,0.5,16.67,,,3,0,0

    bot,opponent,games,wins,draws,losses,score
    bot0@1,bot1@1,3,2,1,0,2.5
    bot1@1,bot0@1,3,0,1,2,0.5
    ");
}

/// 15 of 19 is 78.947... %: rounded to hundredths and then to tenths it would be 79.0.
#[test]
fn a_share_is_rounded_once_wherever_it_is_written() {
    let mut table = standings();
    let row = &mut table.rows[0];
    (row.score, row.percent) = (15.0, 1_500.0 / 19.0);
    (row.percent_low, row.percent_high) = (Some(200.0 / 3.0), None);
    assert!(
        standings_table(&table)
            .csv()
            .contains(",15.0,78.95,66.67,,"),
        "{}",
        standings_table(&table).csv()
    );
    assert!(
        standings_table(&table)
            .text(&[], None)
            .contains("  15.0  78.9  ")
    );
}

#[test]
fn what_the_ranks_come_from_stands_before_the_ratings_and_for_programs_behind() {
    let mut standings = standings();
    let ranked = |rank, points: &str| Ranked {
        rank,
        entrant: rank - 1,
        cells: vec![points.into(), "quarter-final".into()],
    };
    standings.ranking = Some(Ranking {
        by: vec!["points", "Sonneborn-Berger"],
        rows: vec![ranked(1, "3.0"), ranked(2, "1.0"), ranked(3, "0.0")],
    });
    let table = standings_table(&standings);
    let screen: Vec<String> = table
        .screen(80, 9)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    assert_snapshot!([table.text(&[], None), screen.join("\n"), table.csv()].join("\n"), @r"
    rank  bot              points  Sonneborn-Berger  ~rating  ~95 %  games  won  drawn  lost     %    ~% from to  not by play  faults  voids
       1  a|<b>\u{202e}@1     3.0  quarter-final        1600    ±45      4    3      0     1  75.0  18.3 to 99.0            1       1      0
       2  greedy@12           1.0  quarter-final        1400    ±45      4    1      0     3  25.0  18.3 to 99.0            3       3      0
       3  late@1              0.0  quarter-final        1500    ±45      0    0      0     0     -             -            0       0      0

       bot              rating  95 %  games  won-drawn-lost  points     %  faults
    1  a|<b>\u{202e}@1    1600   ±45      4           3-0-1     3.0  75.0       1
    2  greedy@12          1400   ±45      4           1-0-3     1.0  25.0       3
    3  late@1             1500   ±45      0           0-0-0     0.0     -       0
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids,points,sonneborn_berger
    1,a|<b>\u{202e}@1,,,,1600.50,23.00,1455.00,1545.00,,,1490.00,23.00,4,3,0,1,3.0,75.00,18.33,99.00,3,1,0,3.0,quarter-final
    2,greedy@12,,,,1399.50,23.00,1455.00,1545.00,,,1490.00,23.00,4,1,0,3,1.0,25.00,18.33,99.00,1,3,0,1.0,quarter-final
    3,late@1,,,,1500.00,23.00,1455.00,1545.00,,,1490.00,23.00,0,0,0,0,0.0,,,,0,0,0,0.0,quarter-final
    ");
}

#[test]
fn a_table_is_never_wider_than_its_terminal_while_columns_can_go() {
    let table = standings_table(&standings());
    for width in 36..140 {
        for view in [ReportView::Page, ReportView::Screen] {
            let (lines, dropped) = table.lines(view, Some(width));
            for (_, line) in &lines {
                assert!(columns_of(line) <= width, "{width}: {line}");
            }
            // A wider terminal never shows less.
            let (_, wider) = table.lines(view, Some(width + 1));
            assert!(wider.len() <= dropped.len());
        }
    }
    assert!(table.lines(ReportView::Page, None).1.is_empty());
}

/// The names of a CSV are those of the JSON, so that a script may read either.
#[test]
fn programs_find_the_same_keys_in_csv_and_json() {
    let standings = standings();
    let json = serde_json::to_value(&standings.rows[0]).unwrap();
    let csv = standings_table(&standings).csv();
    for key in csv.lines().next().unwrap().split(',') {
        assert!(json.get(key).is_some(), "{key}: {json}");
    }
}

#[test]
fn every_column_has_a_key_of_its_own_for_programs() {
    fn keys<R: ReportRow>() -> Vec<&'static str> {
        let columns = R::COLUMNS.iter();
        let seen = columns.filter(|column| column.style.views[ReportView::Data as usize]);
        seen.map(|column| column.key).collect()
    }
    for keys in [
        keys::<DescribedBot>(),
        keys::<MatchRow>(),
        keys::<Rated>(),
        keys::<HistoryRow>(),
        keys::<Rerated>(),
    ] {
        let mut unique = keys.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), keys.len(), "{keys:?}");
        assert!(keys.iter().all(|key| !key.is_empty()));
    }
}

#[test]
fn no_minus_stands_before_a_zero() {
    assert_eq!(
        [fixed(-0.04, 1), fixed(-0.06, 1), fixed(-0.4, 0)],
        ["0.0", "-0.1", "0"]
    );
    assert_eq!(fixed(f64::INFINITY, 2), "inf");
}
