use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn game(players: [usize; 2], results: [TrfResult; 2], round: u32, block: u64) -> TrfGame {
    TrfGame {
        players,
        results,
        round,
        block,
        day: format!("2026-12-{:02}", round + 1),
    }
}

const WON: [TrfResult; 2] = [TrfResult::Won, TrfResult::Lost];
const LOST: [TrfResult; 2] = [TrfResult::Lost, TrfResult::Won];
const DRAWN: [TrfResult; 2] = [TrfResult::Drawn; 2];
const AWAY: [TrfResult; 2] = [TrfResult::WonByForfeit, TrfResult::LostByForfeit];

fn swiss() -> TrfTournament {
    let long = "a-bot-whose-name-needs-more-than-33-columns@12";
    TrfTournament {
        name: "spring".into(),
        format: "swiss of flipfour".into(),
        clock: "move=1s".into(),
        players: vec![("ada@1".into(), 2), (long.into(), 1), ("eve@3".into(), 3)],
        games: vec![
            game([0, 1], WON, 0, 0),
            game([1, 0], WON, 0, 0),
            game([1, 2], AWAY, 1, 1),
            game([2, 1], DRAWN, 1, 1),
        ],
        byes: vec![(2, 0), (0, 1)],
        rounds: 6,
    }
}

#[test]
fn a_tournament_has_a_line_for_each_player_and_a_game_in_each_round() {
    assert_snapshot!(swiss().text().unwrap(), @"
    012 spring
    042 2026/12/01
    052 2026/12/02
    062 3
    072 0
    082 0
    092 swiss of flipfour
    122 move=1s
    001    1      ada@1                                                              3.0    2     2 w 1     2 b 0  0000 - U  0000 - U
    001    2      a-bot-whose-name-needs-more-than~                                  2.5    1     1 b 0     1 w 1     3 w +     3 b =
    001    3      eve@3                                                              2.5    3  0000 - U  0000 - U     2 b -     2 w =
    XXR 6
    ### name 2: a-bot-whose-name-needs-more-than-33-columns@12
    ### block 1-2: 1 2
    ### block 2-3: 3 4
    ");
}

#[test]
fn what_is_written_is_read_in_the_order_of_the_blocks() {
    let spring = swiss();
    let (players, read) = read_trf(&spring.text().unwrap()).unwrap();
    let due = spring.players.iter().map(|(name, _)| name);
    assert!(players.iter().eq(due));
    let names = |players: [usize; 2]| players.map(|player| spring.players[player].0.clone());
    let due: Vec<_> = (spring.games.iter())
        .map(|game| {
            (
                names(game.players),
                Some(game.results),
                Some(game.block as usize),
            )
        })
        .collect();
    let read: Vec<_> = (read.into_iter())
        .map(|played| (played.players, played.results, played.block))
        .collect();
    assert_eq!(read, due);
}

#[test]
fn points_that_do_not_fit_are_refused() {
    let mut long = swiss();
    long.games = (0..100).map(|round| game([0, 1], WON, round, 0)).collect();
    long.byes.clear();
    let error = long.text().unwrap_err();
    assert_eq!(
        error.to_string(),
        "TRF has room for 99.5 points, and ada@1 has 100"
    );
    long.games[0].results = DRAWN;
    assert!(long.text().is_ok());
}

/// The example of the standard has other columns filled, and colours in capitals nowhere.
#[test]
fn files_of_other_programs_are_read() {
    let line = |number: u32, person: &str, name: &str, more: &str, end: &str| {
        format!("001 {number:4} {person:4} {name:33} {more:32}{end}\r\n")
    };
    let more = "2527 AZE    13400304 1978      ";
    let text = "012 Open\r\n".to_owned()
        + &line(
            1,
            "m GM",
            "Mirzoev, Azer",
            more,
            " 1.5    1     2 w 1     3 b =  0000 - H",
        )
        + &line(
            2,
            "f",
            "Őri, Ágnes",
            "",
            " 0.0    3     1 b 0  0000 - Z     3 w 0",
        )
        + &line(
            3,
            "",
            "",
            "",
            " 1.5    2  0000 - U     1 w =     2 b 0     1 w  ",
        );
    let text = &text;
    assert!(is_trf(text));
    let (_, games) = read_trf(text).unwrap();
    let told: Vec<String> = games
        .iter()
        .map(|game| format!("{} {:?}", game.players.join(" - "), game.results))
        .collect();
    assert_eq!(
        told,
        [
            "Mirzoev, Azer - Őri, Ágnes Some([Won, Lost])",
            "player 3 - Mirzoev, Azer Some([Drawn, Drawn])",
            "Őri, Ágnes - player 3 None"
        ]
    );
}

#[test]
fn what_players_do_not_say_alike_is_refused_with_its_line() {
    let lines = |rounds: [&str; 2]| {
        let line = |(number, round): (usize, &str)| {
            format!("001 {number:4}      {:66} 0.0    1  {round}\n", "x")
        };
        (1..).zip(rounds).map(line).collect::<String>()
    };
    let error = |text: &str| {
        let error = read_trf(text).unwrap_err();
        format!("line {}: {error}", error.line)
    };
    let all = [
        lines(["   2 w 1", "   1 b 1"]),
        lines(["   2 w 1", "   1 w 0"]),
        lines(["   2 w 1", "0000 - Z"]),
        lines(["   3 w 1", "0000 - Z"]),
        lines(["   1 w 1", "0000 - Z"]),
        lines(["   2 x 1", "   1 b 0"]),
        lines(["   2 w 7", "   1 b 0"]),
        "001    1 x\n".into(),
        lines(["0000 - Z", "0000 - Z"]).replace("001    2", "001    1"),
        lines(["0000 - Z", "0000 - Z"]).replace("001    2", "001    x"),
    ];
    let told: Vec<String> = all.iter().map(|text| error(text)).collect();
    assert_snapshot!(told.join("\n"), @r#"
    line 1: 1 has 1 against 2 in round 1, and 2 has 1
    line 1: 1 and 2 have the same colour in round 1
    line 1: 1 has a game against 2 in round 1, and 2 has none against 1
    line 1: there is no player 3, of round 1
    line 1: 1 has a game against 1 in round 1, and 1 has none against 1
    line 1: "   2 x 1" is no result of round 1
    line 1: "   2 w 7" is no result of round 1
    line 1: the line of a player has at least 84 columns, and this one 10
    line 2: the number 1 stands in another line, too
    line 2: the number of a player stands in columns 5 to 8
    "#);
}

fn tournaments() -> impl Strategy<Value = TrfTournament> {
    let results =
        proptest::sample::select(vec![WON, LOST, DRAWN, AWAY, [TrfResult::LostByForfeit; 2]]);
    let drawn = (0..6_usize, 1..6_usize, results, 0..3_u32);
    proptest::collection::vec(drawn, 0..40).prop_map(|drawn| {
        let mut games: Vec<TrfGame> = (drawn.into_iter().zip(0..))
            .map(|((one, step, results, round), block)| {
                game([one, (one + step) % 6], results, round, block / 2)
            })
            .collect();
        games.sort_by_key(|game| game.round);
        TrfTournament {
            players: (1..7)
                .map(|number| (format!("bot-{number}@1"), number))
                .collect(),
            games,
            ..TrfTournament::default()
        }
    })
}

proptest! {
    #[test]
    fn no_game_is_lost(tournament in tournaments()) {
        let text = tournament.text().unwrap();
        let mut read: Vec<_> = read_trf(&text).unwrap().1.into_iter()
            .map(|played| (played.players, format!("{:?}", played.results.unwrap())))
            .collect();
        let name = |player: usize| tournament.players[player].0.clone();
        let mut due: Vec<_> = tournament.games.iter()
            .map(|game| (game.players.map(name), format!("{:?}", game.results)))
            .collect();
        read.sort();
        due.sort();
        prop_assert_eq!(read, due);
    }

    #[test]
    fn no_text_is_too_strange(text in "(001 {1,4}[0-9]{1,2} {5}[a-z]{0,3} {60,70}[ 0-9wb=+-]{0,40}\n|###[ a-z0-9:-]{0,20}\n){0,6}") {
        let _ = read_trf(&text);
    }
}
