//! A person sits down at a game: with what a pipe types, to the end and not to the end; and the
//! rules that a person reads before.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::common::{TestRun, flipside, games, run, sample, script, whole_seed};
use crate::shown::{session, shown, unvarying, words};

/// Runs the command with these lines as its standard input.
fn typing(folder: &Path, args: &[&str], lines: &str) -> TestRun {
    let mut child = flipside(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        // While it is read what the command says; and a match may end before all is typed.
        scope.spawn(move || stdin.write_all(lines.as_bytes()));
        child.wait_with_output().expect("it ends").into()
    })
}

const PATIENT: &str = "move=20s,start=20s";

#[test]
fn whoever_always_picks_the_first_move_finishes_a_match_of_every_game_and_the_record_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "#1\n".repeat(100_000);
    for game in flipside_games::GAMES {
        let (game, options) = (game.info().id, game.brief());
        let record = format!("{game}.jsonl");
        let play = [
            "play",
            game,
            "sample:random",
            "--clock",
            PATIENT,
            "--seed",
            "3",
            "--record",
            &record,
            "--name",
            "Ada",
            "--options",
            &options,
        ];
        let told = typing(folder.path(), &play, &lines).ok();
        let results = [
            "You have won",
            "You have lost",
            "A draw",
            "You share",
            "You have place",
        ];
        assert!(results.iter().any(|result| told.contains(result)), "{told}");
        assert!(!told.contains("Not taken"), "{told}");
        assert!(told.contains(&record), "{told}");
        assert!(!told.contains('\u{1b}'), "a pipe gets no colours");
        let verified = run(folder.path(), &["verify", &record]).ok();
        assert!(verified.contains(": ok: "), "{verified}");
        let replayed = run(folder.path(), &["replay", &record]).ok();
        assert!(replayed.contains("seat 0: Ada (person)"), "{replayed}");
    }
}

#[test]
fn a_person_may_take_any_seat_and_bots_fill_the_others_with_copies() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(4);
    let table = |seat: &str| {
        let play = "play flip4 sample:random sample:greedy --seats 4 --clock move=20s,start=20s";
        let more = ["--seat", seat, "--seed", &seed];
        let told = typing(folder.path(), &[&words(play)[..], &more].concat(), "quit\n").ok();
        let (seats, _) = told.split_once("\nThe bots' clock").unwrap();
        seats.to_owned()
    };
    assert_snapshot!(["0", "2", "3"].map(table).join("\n"), @"
    FLIP 4: Dice say which squares you may use; flip your way to four in a line.
      seat 0  you
      seat 1  sample:random
      seat 2  sample:greedy
      seat 3  sample:random
    FLIP 4: Dice say which squares you may use; flip your way to four in a line.
      seat 0  sample:random
      seat 1  sample:greedy
      seat 2  you
      seat 3  sample:random
    FLIP 4: Dice say which squares you may use; flip your way to four in a line.
      seat 0  sample:random
      seat 1  sample:greedy
      seat 2  sample:random
      seat 3  you
    ");
}

#[test]
fn in_a_team_game_the_partners_are_named_and_the_team_wins_or_loses() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(5);
    let play = "play puissance4-basic sample:random --seats 4 --seat 1 --clock move=20s,start=20s";
    let play = [&words(play)[..], &["--seed", &seed]].concat();
    let told = typing(folder.path(), &play, &"1\n".repeat(10_000)).ok();
    let paragraphs: Vec<&str> = told.split("\n\n").collect();
    assert_snapshot!(paragraphs[0], @"
    Puissance 4 Flip, basic: Flick tokens at two trays, all at once; the first four in a line win.
      seat 0  sample:random
      seat 1  you
      seat 2  sample:random
      seat 3  sample:random  (on your side)
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.
    ");
    assert_snapshot!(unvarying(paragraphs.last().unwrap()), @"
    Your team has won (line, 50 plies).
      place 1  points 1  seat 1  you
      place 1  points 1  seat 3  sample:random  (on your side)
      place 3  points 0  seat 0  sample:random
      place 3  points 0  seat 2  sample:random
    The seed was HASH. With --record FILE a match can be seen again.
    ");
}

#[test]
fn moves_are_typed_picked_found_and_begun_and_mistakes_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    let play = ["play", "flipfour", &first, "--clock", PATIENT];
    let lines = "\n+c9\nmoves E5\n+c3\nrules\n+c3\nc3-e4\n?\nboard\nC3-C5\nxe\n0\nXE1\n";
    let told = typing(folder.path(), &play, lines).ok();
    let rules = run(folder.path(), &["rules", "flipfour"]).ok();
    assert!(told.contains(&rules), "{told}");
    assert_snapshot!(unvarying(&told.replace(&rules, "(the rules)\n")), @r#"
    FlipFour: Four in a row with four pieces, which jump, and turn over with every move.
      seat 0  you
      seat 1  first
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.

    FlipFour, ply 0: White to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   .   .   .
      2   .   .   .   .   .
      1   .   .   .   .   .
          a   b   c   d   e

    in hand: White 4, Black 4
    White: R like a rook, B like a bishop; Black: r, b

    You are seat 0.
    Your 50 moves:
       1 +a1    2 +a2    3 +a3    4 +a4    5 +a5    6 +b1    7 +b2    8 +b3    9 +b4   10 +b5   11 +c1
      12 +c2   13 +c3   14 +c4   15 +c5   16 +d1   17 +d2   18 +d3   19 +d4   20 +d5   21 +e1   22 +e2
      23 +e3   24 +e4   25 +e5   26 xa1   27 xa2   28 xa3   29 xa4   30 xa5   31 xb1   32 xb2   33 xb3
      34 xb4   35 xb5   36 xc1   37 xc2   38 xc3   39 xc4   40 xc5   41 xd1   42 xd2   43 xd3   44 xd4
      45 xd5   46 xe1   47 xe2   48 xe3   49 xe4   50 xe5
    move>
    Type a move, or ? for help.
    move> +c9
    Not taken: "+c9" names no square: those are a1 to e5.
    `moves` lists what you can do, ? helps.
    move> moves E5
    2 of your 50 moves:
      25 +e5   50 xe5
    move> +c3
    seat 1 first: +a1

    FlipFour, ply 2: White to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   R   .   .
      2   .   .   .   .   .
      1   r   .   .   .   .
          a   b   c   d   e

    in hand: White 3, Black 3
    White: R like a rook, B like a bishop; Black: r, b

    You are seat 0.
    Your 54 moves:
       1 +a2      2 +a3      3 +a4      4 +a5      5 +b1      6 +b2      7 +b3      8 +b4      9 +b5
      10 +c1     11 +c2     12 +c4     13 +c5     14 +d1     15 +d2     16 +d3     17 +d4     18 +d5
      19 +e1     20 +e2     21 +e3     22 +e4     23 +e5     24 c3-a3   25 c3-b3   26 c3-c1   27 c3-c2
      28 c3-c4   29 c3-c5   30 c3-d3   31 c3-e3   32 xa2     33 xa3     34 xa4     35 xa5     36 xb1
      37 xb2     38 xb3     39 xb4     40 xb5     41 xc1     42 xc2     43 xc4     44 xc5     45 xd1
      46 xd2     47 xd3     48 xd4     49 xd5     50 xe1     51 xe2     52 xe3     53 xe4     54 xe5
    move> rules

    (the rules)
    move> +c3
    Not taken: c3 is not empty.
    `moves` lists what you can do, ? helps.
    move> c3-e4
    Not taken: the piece on c3 moves like a rook, and e4 is not on its file or rank.
    `moves` lists what you can do, ? helps.
    move> ?
    Type a move as the list writes it; its beginning is enough where only one begins so.
    1 is the first one of the list. Also:
      moves [WORD]  all your moves, or those that have WORD in them
      board         the board again
      rules         the rules of this game
      quit          leave the table
      help          this; ? does it too
    The Tab key completes. A move cannot be taken back.
    move> board

    FlipFour, ply 2: White to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   R   .   .
      2   .   .   .   .   .
      1   r   .   .   .   .
          a   b   c   d   e

    in hand: White 3, Black 3
    White: R like a rook, B like a bishop; Black: r, b

    move> C3-C5
    You play c3-c5.
    seat 1 first: +a2

    FlipFour, ply 4: White to move

      5   .   .   B   .   .
      4   .   .   .   .   .
      3   .   .   .   .   .
      2   r   .   .   .   .
      1   r   .   .   .   .
          a   b   c   d   e

    in hand: White 3, Black 2
    White: R like a rook, B like a bishop; Black: r, b

    You are seat 0.
    Your 48 moves:
       1 +a3      2 +a4      3 +a5      4 +b1      5 +b2      6 +b3      7 +b4      8 +b5      9 +c1
      10 +c2     11 +c3     12 +c4     13 +d1     14 +d2     15 +d3     16 +d4     17 +d5     18 +e1
      19 +e2     20 +e3     21 +e4     22 +e5     23 c5-a3   24 c5-b4   25 c5-d4   26 c5-e3   27 xa3
      28 xa4     29 xa5     30 xb1     31 xb2     32 xb3     33 xb4     34 xb5     35 xc1     36 xc2
      37 xc3     38 xc4     39 xd1     40 xd2     41 xd3     42 xd4     43 xd5     44 xe1     45 xe2
      46 xe3     47 xe4     48 xe5
    move> xe
    Not taken: "xe" is not like +c3, xc3 or c3-e5.
    What begins so: xe1, xe2, xe3, xe4, xe5
    move> 0
    There is no such number: your moves are 1 to 48.
    move> XE1
    You play xe1.
    seat 1 first: +a3

    FlipFour, ply 6: White to move

      5   .   .   B   .   .
      4   .   .   .   .   .
      3   r   .   .   .   .
      2   r   .   .   .   .
      1   r   .   .   .   B
          a   b   c   d   e

    in hand: White 2, Black 1
    White: R like a rook, B like a bishop; Black: r, b

    You are seat 0.
    Your 47 moves:
       1 +a4      2 +a5      3 +b1      4 +b2      5 +b3      6 +b4      7 +b5      8 +c1      9 +c2
      10 +c3     11 +c4     12 +d1     13 +d2     14 +d3     15 +d4     16 +d5     17 +e2     18 +e3
      19 +e4     20 +e5     21 c5-b4   22 c5-d4   23 c5-e3   24 e1-a5   25 e1-b4   26 e1-c3   27 e1-d2
      28 xa4     29 xa5     30 xb1     31 xb2     32 xb3     33 xb4     34 xb5     35 xc1     36 xc2
      37 xc3     38 xc4     39 xd1     40 xd2     41 xd3     42 xd4     43 xd5     44 xe2     45 xe3
      46 xe4     47 xe5
    move> (the input has ended)

    FlipFour, ply 6: White to move

      5   .   .   B   .   .
      4   .   .   .   .   .
      3   r   .   .   .   .
      2   r   .   .   .   .
      1   r   .   .   .   B
          a   b   c   d   e

    in hand: White 2, Black 1
    White: R like a rook, B like a bishop; Black: r, b

    You have left the table, and that loses the match (fault, 6 plies).
      place 1  points 1  seat 1  first
      place 2  points 0  seat 0  you
    The seed was HASH. With --record FILE a match can be seen again.
    "#);
}

#[test]
fn where_moves_are_numbers_a_number_is_a_move_and_a_sign_picks() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(4);
    let play = ["play", "flip4", "sample:random", "--seed", &seed];
    let told = typing(
        folder.path(),
        &[&play[..], &["--clock", PATIENT]].concat(),
        "1\n#1\n",
    );
    assert_snapshot!(shown(&told), @"
    FLIP 4: Dice say which squares you may use; flip your way to four in a line.
      seat 0  you
      seat 1  sample:random
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.
    chance: start 0
    chance: roll 2 2

    FLIP 4, turn 1: seat 0 to place on 0 or 4

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4* |   8  |  10  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1  |   3  |  36  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  30  |   2  |   5  |   0* |  20  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+

    dice: 2 and 2: 2+2=4, 2-2=0, 2x2=4
    > (0) seat 0, 4 in hand
      (1) seat 1, 4 in hand

    You are seat 0.
    Your 2 moves:
      #1 0   #2 4
    move> 1
    Not taken: 1 is no result of the dice.
    `moves` lists what you can do, ? helps.
    move> #1
    You play 0.
    chance: roll 6 1
    seat 1 sample:random: 5
    chance: roll 6 5

    FLIP 4, turn 3: seat 0 to place on 1 or 11 or 30

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1* |   3  |  36  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  30* |   2  |   5  |   0  |  20  |
      |      |      | (1)  | (0)  |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11* |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+

    dice: 6 and 5: 6+5=11, 6-5=1, 6x5=30
    last turn: seat 1 rolled 6 and 1, placed on 5
    > (0) seat 0, 3 in hand
      (1) seat 1, 3 in hand

    You are seat 0.
    Your 3 moves:
      #1 1    #2 11   #3 30
    move> (the input has ended)

    FLIP 4, turn 3: seat 0 to place on 1 or 11 or 30

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1* |   3  |  36  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  30* |   2  |   5  |   0  |  20  |
      |      |      | (1)  | (0)  |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11* |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+

    dice: 6 and 5: 6+5=11, 6-5=1, 6x5=30
    last turn: seat 1 rolled 6 and 1, placed on 5
    > (0) seat 0, 3 in hand
      (1) seat 1, 3 in hand

    You have left the table, and that loses the match (fault, 2 plies).
      place 1  points 1  seat 1  sample:random
      place 2  points 0  seat 0  you
    The seed was HASH. With --record FILE a match can be seen again.
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    ");
}

#[test]
fn who_quits_against_one_side_has_lost_and_the_record_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(4);
    let play = "play yonmoque sample:random --record quit.jsonl --clock move=20s,start=20s";
    let play = [&words(play)[..], &["--seed", &seed]].concat();
    assert_snapshot!(shown(&typing(folder.path(), &play, "1\nquit\n")), @"
    Yonmoque: Four in a row made by a move wins, five in a row loses; enclosed pieces change sides.
      seat 0  you
      seat 1  sample:random
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.

    Yonmoque, ply 0: Blue to move

      5   .  [ ] ( ) [ ]  .
      4  [ ] ( ) [ ] ( ) [ ]
      3  ( ) [ ]  .  [ ] ( )
      2  [ ] ( ) [ ] ( ) [ ]
      1   .  [ ] ( ) [ ]  .
          a   b   c   d   e

    in hand: Blue 6, White 6
    ( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white

    You are seat 0.
    Your 25 moves:
       1 a1    2 a2    3 a3    4 a4    5 a5    6 b1    7 b2    8 b3    9 b4   10 b5   11 c1   12 c2
      13 c3   14 c4   15 c5   16 d1   17 d2   18 d3   19 d4   20 d5   21 e1   22 e2   23 e3   24 e4
      25 e5
    move> 1
    You play a1.
    seat 1 sample:random: b4

    Yonmoque, ply 2: Blue to move

      5   .  [ ] ( ) [ ]  .
      4  [ ] (W) [ ] ( ) [ ]
      3  ( ) [ ]  .  [ ] ( )
      2  [ ] ( ) [ ] ( ) [ ]
      1   B  [ ] ( ) [ ]  .
          a   b   c   d   e

    in hand: Blue 5, White 5
    ( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white

    You are seat 0.
    Your 26 moves:
       1 a1-a2    2 a1-b1    3 a1-b2    4 a2       5 a3       6 a4       7 a5       8 b1       9 b2
      10 b3      11 b5      12 c1      13 c2      14 c3      15 c4      16 c5      17 d1      18 d2
      19 d3      20 d4      21 d5      22 e1      23 e2      24 e3      25 e4      26 e5
    move> quit

    Yonmoque, ply 2: Blue to move

      5   .  [ ] ( ) [ ]  .
      4  [ ] (W) [ ] ( ) [ ]
      3  ( ) [ ]  .  [ ] ( )
      2  [ ] ( ) [ ] ( ) [ ]
      1   B  [ ] ( ) [ ]  .
          a   b   c   d   e

    in hand: Blue 5, White 5
    ( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white

    You have left the table, and that loses the match (fault, 2 plies).
      place 1  points 1  seat 1  sample:random
      place 2  points 0  seat 0  you
    The record is quit.jsonl: `flipside replay quit.jsonl` shows the match again.
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    ");
    assert_snapshot!(session(folder.path(), "verify quit.jsonl"), @"
    $ flipside verify quit.jsonl
    quit.jsonl: ok: yonmoque yonmoque-ID, 2 plies, 1 fault without evidence, fault, not signed
    ");
    let text = std::fs::read_to_string(folder.path().join("quit.jsonl")).unwrap();
    assert!(text.contains(r#""seat":0,"fault":"closed""#), "{text}");
}

#[test]
fn who_quits_against_several_leaves_a_whole_record_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(1);
    let play = ["play", "flip4", "sample:random", "sample:random"];
    let play = [&play[..], &["--seed", &seed, "--clock", PATIENT]].concat();
    assert_snapshot!(shown(&typing(folder.path(), &play, "quit\n")), @"
    FLIP 4: Dice say which squares you may use; flip your way to four in a line.
      seat 0  you
      seat 1  sample:random
      seat 2  sample:random
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.
    chance: start 1
    chance: roll 1 2
    seat 1 sample:random: 3
    chance: roll 2 6
    seat 2 sample:random: 12
    chance: roll 6 1

    FLIP 4, turn 3: seat 0 to place on 5 or 6 or 7

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      |      | (2)  |  C   |
      +------+------+------+------+------+
      |   9  |   7* |   4  |   8  |  10  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  25  |   6* |   1  |   3  |  36  |
      |      |      |      | (1)  |      |
      +------+------+------+------+------+
      |  30  |   2  |   5* |   0  |  20  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+

    dice: 6 and 1: 6+1=7, 6-1=5, 6x1=6
    last turn: seat 2 rolled 2 and 6, placed on 12
    > (0) seat 0, 4 in hand
      (1) seat 1, 3 in hand
      (2) seat 2, 3 in hand
    order of play: ascending

    You are seat 0.
    Your 3 moves:
      #1 5   #2 6   #3 7
    move> quit
    You have left the table, and the match has no result.
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    ");
    let recorded = [&play[..], &["--record", "rest.jsonl"]].concat();
    let told = typing(folder.path(), &recorded, "quit\n").ok();
    let (_, after) = told.split_once("move> quit\n").unwrap();
    assert_snapshot!(after, @"
    The others play on for the record, legal moves being drawn for you. Ctrl-C stops that, and then there is no record.

    FLIP 4, turn 245: seat 1 wins: line

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      | (2)  |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      | (1)  | (1)  | (1)  | (1)  |      |
      +------+------+------+------+------+
      |  25  |   6  |   1  |   3  |  36  |
      |      |      | (0)  |      | (2)  |
      +------+------+------+------+------+
      |  30  |   2  |   5  |   0  |  20  |
      | (2)  |      | (0)  |      |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11  |      |
      |  C   | (0)  | (2)  | (0)  |  C   |
      +------+------+------+------+------+

    last turn: seat 1 rolled 1 and 2, moved 3-8
      (0) seat 0
      (1) seat 1
      (2) seat 2, lost 2 turns in a row
    order of play: descending

    You have left the table, and the others have played on (line, 148 plies).
      place 1  points 1  seat 1  sample:random
      place 2  points ½  seat 2  sample:random
      place 3  points 0  seat 0  you
    The record is rest.jsonl: `flipside replay rest.jsonl` shows the match again.
    ");
    assert_snapshot!(session(folder.path(), "verify rest.jsonl"), @"
    $ flipside verify rest.jsonl
    rest.jsonl: ok: flip4 flip4-ID, 148 plies, 248 random events, 1 fault without evidence, line, not signed
    ");
}

#[test]
fn the_end_of_the_input_is_leaving_and_nothing_stays_behind() {
    let folder = tempfile::tempdir().unwrap();
    let play = ["play", "flipfour", "sample:random", "--clock", PATIENT];
    let told = typing(folder.path(), &play, "").ok();
    let (_, after) = told.split_once("move> ").unwrap();
    assert_snapshot!(unvarying(after), @"
    (the input has ended)

    FlipFour, ply 0: White to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   .   .   .
      2   .   .   .   .   .
      1   .   .   .   .   .
          a   b   c   d   e

    in hand: White 4, Black 4
    White: R like a rook, B like a bishop; Black: r, b

    You have left the table, and that loses the match (fault, 0 plies).
      place 1  points 1  seat 1  sample:random
      place 2  points 0  seat 0  you
    The seed was HASH. With --record FILE a match can be seen again.
    ");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_bot_that_falls_is_told_with_what_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let bot = script(
        folder.path(),
        "bad",
        "#!/bin/sh\nread -r hello\necho '{\"type\":\"ready\"}'\nread -r turn\n\
        echo 'I am lost' >&2\necho '{\"type\":\"act\",\"id\":1,\"action\":\"z9\"}'\nread -r over\n",
    );
    let seed = whole_seed(2);
    let play = ["play", "flip4", &bot, "sample:random", "--seed", &seed];
    let play = [&play[..], &["--clock", PATIENT]].concat();
    let told = typing(folder.path(), &play, &"#1\n".repeat(3)).ok();
    let (_, fall) = told.split_once("\nleave.\n").unwrap();
    let (fall, after) = fall.split_once("\nFLIP 4, ").unwrap();
    assert_snapshot!(fall, @r#"
    chance: start 1
    chance: roll 2 5
    seat 1 bad falls: malformed: "z9" in "z9" is no number of the board; at ply 0 (question 1)
      hint: with "actions":true in `ready`, every turn lists the legal actions
      it wrote: {"type":"act","id":1,"action":"z9"}
      stderr: I am lost
    seat 1 bad: 7  (sampled for it, as it is disqualified)
    chance: roll 5 4
    seat 2 sample:random: 1
    chance: roll 1 5
    "#);
    let later = after.lines().filter(|line| line.starts_with("seat 1 "));
    assert_snapshot!(later.collect::<Vec<_>>().join("\n"), @"
    seat 1 bad: 6  (sampled for it, as it is disqualified)
    seat 1 bad: 30  (sampled for it, as it is disqualified)
    seat 1 bad: 15  (sampled for it, as it is disqualified)
    ");

    let play = ["play", "flipfour", &bot, "--clock", PATIENT];
    let told = typing(folder.path(), &play, "1\n").ok();
    let (_, after) = told.split_once("move> 1\n").unwrap();
    assert_snapshot!(unvarying(after), @r#"
    You play +a1.
    seat 1 bad falls: malformed: "z9" is not like +c3, xc3 or c3-e5; at ply 1 (question 1)
      hint: with "actions":true in `ready`, every turn lists the legal actions
      it wrote: {"type":"act","id":1,"action":"z9"}
      stderr: I am lost

    FlipFour, ply 1: Black to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   .   .   .
      2   .   .   .   .   .
      1   R   .   .   .   .
          a   b   c   d   e

    in hand: White 3, Black 4
    White: R like a rook, B like a bishop; Black: r, b

    You have won (fault, 1 ply).
      place 1  points 1  seat 0  you
      place 2  points 0  seat 1  bad
      disqualified: malformed: "z9" is not like +c3, xc3 or c3-e5; at ply 1 (question 1)
      hint: with "actions":true in `ready`, every turn lists the legal actions
      it wrote: {"type":"act","id":1,"action":"z9"}
      stderr: I am lost
    The seed was HASH. With --record FILE a match can be seen again.
    "#);
}

#[test]
fn what_is_hidden_from_a_seat_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(2);
    let play = "play phase10-flip sample:random --seats 3 --clock move=20s,start=20s";
    let play = [&words(play)[..], &["--seed", &seed]].concat();
    // What changed is shown, and of hands only the person's own.
    assert_snapshot!(shown(&typing(folder.path(), &play, "1\n1\n")), @"
    Phase 10 Flip: Ten phases of runs and sets, with cards that all turn over at once.
      seat 0  you
      seat 1  sample:random
      seat 2  sample:random
    The bots' clock is move=20s,start=20s; you have none. Type ? for help, rules for the rules, quit to
    leave.
    chance: dealer 2
      seat 2: 0 points, phase 1 AB+YZ, 0 cards, dealer
      chance deals the next round

    Phase 10 Flip, round 1, colour side in play, 0 turns ended
    seat 0: 0 points, phase 1 AB+YZ, 10 cards
    seat 1: 0 points, phase 1 AB+YZ, 10 cards
        backs w1 w2 w2 w4 w4 w6 w7 w8 w11 w12
    seat 2: 0 points, phase 1 AB+YZ, 10 cards, dealer
        backs w1 w2 w3 w3 w3^ w6 w7 w8 w9 w9
    draw pile: 73 cards, its back w*
    discard pile: 1 card, its top y10
    your hand: y1 b2 y3 b4 r5 g8 g8 b9 b10 b*
    seat 0 draws a card

    You are seat 0.
    Your 2 moves:
      1 draw discard   2 draw pile
    move> 1
    You play draw discard.

    Phase 10 Flip, round 1, colour side in play, 0 turns ended
    seat 0: 0 points, phase 1 AB+YZ, 11 cards
    seat 1: 0 points, phase 1 AB+YZ, 10 cards
        backs w1 w2 w2 w4 w4 w6 w7 w8 w11 w12
    seat 2: 0 points, phase 1 AB+YZ, 10 cards, dealer
        backs w1 w2 w3 w3 w3^ w6 w7 w8 w9 w9
    draw pile: 73 cards, its back w*
    discard pile: 0 cards
    your hand: y1 b2 y3 b4 r5 g8 g8 b9 y10 b10 b*
    seat 0 lays, hits or discards

    You are seat 0.
    Your 14 moves:
       1 discard b*     2 discard b10    3 discard b2     4 discard b4     5 discard b9
       6 discard g8     7 discard r5     8 discard y1     9 discard y10   10 discard y3
      11 lay b*=1 b2   12 lay b*=3 b4   13 lay b2 b*=3   14 lay b4 b*=5
    move> 1
    You play discard b*.
    seat 1 sample:random: draw pile
      seat 1: 0 points, phase 1 AB+YZ, 11 cards
          backs w1 w2 w2 w4 w4 w6 w7 w8 w11 w12 w*
      draw pile: 72 cards, its back w10
      seat 1 lays, hits or discards
    seat 1 sample:random: discard g12
      Phase 10 Flip, round 1, colour side in play, 2 turns ended
      seat 1: 0 points, phase 1 AB+YZ, 10 cards
          backs w1 w2 w2 w4 w4 w6 w7 w8 w12 w*
      discard pile: 2 cards, its top g12
      seat 2 draws a card
    seat 2 sample:random: draw discard
      seat 2: 0 points, phase 1 AB+YZ, 11 cards, dealer
          backs w1 w2 w3 w3 w3^ w6 w7 w8 w9 w9 w11
      discard pile: 1 card, its top b*
      seat 2 lays, hits or discards
    seat 2 sample:random: discard g10
      Phase 10 Flip, round 1, colour side in play, 3 turns ended
      seat 2: 0 points, phase 1 AB+YZ, 10 cards, dealer
          backs w1 w3 w3 w3^ w6 w7 w8 w9 w9 w11
      discard pile: 2 cards, its top g10
      seat 0 draws a card

    Phase 10 Flip, round 1, colour side in play, 3 turns ended
    seat 0: 0 points, phase 1 AB+YZ, 10 cards
    seat 1: 0 points, phase 1 AB+YZ, 10 cards
        backs w1 w2 w2 w4 w4 w6 w7 w8 w12 w*
    seat 2: 0 points, phase 1 AB+YZ, 10 cards, dealer
        backs w1 w3 w3 w3^ w6 w7 w8 w9 w9 w11
    draw pile: 72 cards, its back w10
    discard pile: 2 cards, its top g10
    your hand: y1 b2 y3 b4 r5 g8 g8 b9 y10 b10
    seat 0 draws a card

    You are seat 0.
    Your 2 moves:
      1 draw discard   2 draw pile
    move> (the input has ended)
    You have left the table, and the match has no result.
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    ");
    let told = typing(folder.path(), &play, &"1\n".repeat(9)).ok();
    // Who deals is seen by all, and what is dealt by nobody else.
    let mut draws = told.lines().filter(|line| line.starts_with("chance:"));
    assert!(
        draws.all(|line| line.starts_with("chance: dealer ")),
        "{told}"
    );
    assert_eq!(
        told.matches("your hand: ").count(),
        told.matches("move> ").count(),
        "own cards only, once a turn: {told}"
    );
}

#[test]
fn seats_that_are_not_there_are_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(session(folder.path(), r#"
        play flipfour sample:greedy --seat 2
        play flipfour sample:greedy sample:greedy
        play flipfour --seats 3
        play flip4 sample:greedy sample:greedy sample:greedy sample:greedy
        play flip4 sample:greedy sample:greedy --seats 2
        play flipfuor sample:greedy
        play flipfour sample:gredy
        play flipfour sample:greedy --options '{"max_plies":0}'
        play flipfour sample:greedy --record no/such/folder
        play flipfour sample:greedy --clock soon
    "#), @r#"
    $ flipside play flipfour sample:greedy --seat 2
    -- exit status 2, stderr:
    error: there is no seat 2 among 2
    hint: --seat takes 0 to 1

    $ flipside play flipfour sample:greedy sample:greedy
    -- exit status 2, stderr:
    error: flipfour is for 2 seats, not 3
    hint: you take one seat of 2, and each bot another: name as many bots as it takes, or say --seats N and the bots fill them all

    $ flipside play flipfour --seats 3
    -- exit status 2, stderr:
    error: flipfour is for 2 seats, not 3
    hint: you take one seat of 2, and each bot another: name as many bots as it takes, or say --seats N and the bots fill them all

    $ flipside play flip4 sample:greedy sample:greedy sample:greedy sample:greedy
    -- exit status 2, stderr:
    error: flip4 is for 2 to 4 seats, not 5
    hint: you take one seat of 2 to 4, and each bot another: name as many bots as it takes, or say --seats N and the bots fill them all

    $ flipside play flip4 sample:greedy sample:greedy --seats 2
    -- exit status 2, stderr:
    error: you and 2 bots are more than 2 seats hold
    hint: you take one seat of 2 to 4, and each bot another: name as many bots as it takes, or say --seats N and the bots fill them all

    $ flipside play flipfuor sample:greedy
    -- exit status 2, stderr:
    error: there is no game "flipfuor"
    hint: did you mean flipfour? `flipside games` lists them all

    $ flipside play flipfour sample:gredy
    -- exit status 2, stderr:
    error: there is no sample bot "gredy"
    hint: there are sample:random, sample:greedy, sample:mcts, sample:alphabeta, sample:perfect, sample:expectimax, sample:rollout, sample:strong, sample:first

    $ flipside play flipfour sample:greedy --options '{"max_plies":0}'
    -- exit status 2, stderr:
    error: option max_plies: a whole number from 1 to 1000000, not 0
    hint: for example --options '{"max_plies":1000}'; `flipside rules flipfour` lists the options

    $ flipside play flipfour sample:greedy --record no/such/folder
    -- exit status 2, stderr:
    error: cannot write no/such/folder: entity not found
    hint: its folder must be there and writable

    $ flipside play flipfour sample:greedy --clock soon
    -- exit status 2, stderr:
    error: invalid value 'soon' for '--clock <CLOCK>': "soon" is not a clock; write move=1s (for each move), 10s+100ms (bank and increment), or for modules fuel=10G or fuel=100G+1G; ,start=5s or ,start=50G behind it is for the start; times are 1ms to 24h in h, m, s or ms, fuel is 1M to 864000G in G or M

    For more information, try '--help'.
    "#);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_record_is_not_written_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kept"), "as it was").unwrap();
    let play = ["play", "flipfour", "sample:random", "--record", "kept"];
    assert_snapshot!(shown(&typing(folder.path(), &play, "1\n")), @"
    -- exit status 2, stderr:
    error: kept is there already
    hint: name another file, or remove this one first
    ");
    let kept = std::fs::read_to_string(folder.path().join("kept")).unwrap();
    assert_eq!(kept, "as it was");
}

/// The options of a schema and of the objects in it, without those objects themselves.
fn names(schema: &serde_json::Value) -> Vec<String> {
    let of_objects = ["rules", "model"];
    let mut all = Vec::new();
    match schema {
        serde_json::Value::Object(keys) => {
            for (key, value) in keys {
                let properties = value.as_object().filter(|_| key == "properties");
                all.extend(properties.into_iter().flat_map(|all| all.keys().cloned()));
                all.extend(names(value));
            }
        }
        serde_json::Value::Array(values) => all.extend(values.iter().flat_map(names)),
        _ => {}
    }
    all.retain(|name| !of_objects.contains(&&**name));
    all
}

#[test]
fn the_rules_of_every_game_are_told_with_every_option() {
    let folder = tempfile::tempdir().unwrap();
    for game in games() {
        let told = run(folder.path(), &["rules", game]).ok();
        assert!(told.contains("point ") && told.contains("ground"), "{told}");
        assert!(
            told.contains("\n* ") && told.contains("* a reconstruction"),
            "{told}"
        );
        assert!(!told.contains('\u{1b}'), "a pipe gets no colours");
        for line in told.lines().filter(|line| !line.starts_with("    ")) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        let schema = run(folder.path(), &["schema", game]).ok();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let options = names(&schema["options"]);
        assert!(!options.is_empty());
        for option in options {
            let is_told = told.lines().any(|line| {
                let mut words = line.split([' ', ',', '.']);
                words.any(|word| word == option)
            });
            assert!(is_told, "{option}: {told}");
        }
    }
}

#[test]
fn the_rules_are_set_for_the_terminal_or_printed_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let narrow = flipside(folder.path())
        .args(["rules", "flipfour"])
        .env("COLUMNS", "40")
        .output()
        .unwrap();
    let narrow = String::from_utf8(narrow.stdout).unwrap();
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 40),
        "{narrow}"
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules/flipfour.md");
    let markdown = run(folder.path(), &["rules", "flipfour", "--markdown"]).ok();
    assert_eq!(markdown, std::fs::read_to_string(page).unwrap());
}

#[test]
fn without_a_game_the_rules_are_those_that_all_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["rules"]).ok();
    for game in games() {
        assert!(told.contains(game), "{told}");
    }
    assert!(
        told.contains("- Seat 0 is the rulebook's first player"),
        "{told}"
    );
    assert_snapshot!(session(folder.path(), "rules yonmoqe"), @r#"
    $ flipside rules yonmoqe
    -- exit status 2, stderr:
    error: there is no game "yonmoqe"
    hint: did you mean yonmoque? `flipside games` lists them all
    "#);
}
