//! What an organiser does with tournaments that have begun.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::{run, sample};
use crate::shown::{session, unvarying};

/// An arena with three modules that choose alike.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(sample("wat/first.wat")).unwrap();
    for name in ["ada", "bob", "eve"] {
        let file = format!("{name}.wat");
        fs::write(folder.path().join(&file), format!("{text}\n;; {name}\n")).unwrap();
        let file = format!("./{file}");
        run(folder.path(), &["submit", &file, "--game", "flipflop-3x3"]).ok();
    }
    folder
}

/// The same tournament each time.
const CUP: &str = "tournament flipflop-3x3 ada bob eve --name cup --rounds 1 --seed 3 --no-affinity --concurrency 1";

/// A session in which `CUP` stands for the tournament's command.
fn told(folder: &Path, commands: &str) -> String {
    session(folder, &commands.replace("CUP", CUP))
}

#[test]
fn a_tournament_is_extended_a_bot_is_disqualified_and_the_end_comes_early() {
    let folder = arena();
    let folder = folder.path();
    run(folder, &crate::shown::words(CUP)).ok();
    assert_snapshot!(told(folder, "
        extend cup --rounds 1 --reason 'A second leg'
        tournaments
        withdraw eve --from cup --disqualify --reason 'It reads the clock of others'
        withdraw eve --from cup
        withdraw bob --disqualify
    "), @r##"
    $ flipside extend cup --rounds 1 --reason 'A second leg'
    cup: extended by 1 round before match 6: A second leg
    -- stderr:
    hint: the command that began cup plays the rest

    $ flipside tournaments
    tournament  game          format       bots  played  of  state    begun
    cup         flipflop-3x3  round-robin     3       6  12  stopped  DATE

    $ flipside withdraw eve --from cup --disqualify --reason 'It reads the clock of others'
    cup: eve@1 is disqualified before match 6: It reads the clock of others; its remaining matches are forfeits

    $ flipside withdraw eve --from cup
    -- exit status 2, stderr:
    error: cup: the bot has left already
    hint: `flipside table` tells from when on, and why

    $ flipside withdraw bob --disqualify
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      --reason <TEXT>

    Usage: flipside withdraw --reason <TEXT> --disqualify <BOT>

    For more information, try '--help'.
    "##);
    run(folder, &crate::shown::words(CUP)).ok();
    assert_snapshot!(told(folder, "
        table cup
        extend cup --rounds 3
        cancel cup --reason 'The hall closes'
        cancel cup
        extend cup --rounds 1
        withdraw ada
        tournaments
        table cup --brief
        verify --all
    "), @r##"
    $ flipside table cup
    cup - flipflop-3x3, 3 bots, round-robin, 1 round, clock move=1s, seed 3: 12 of 12 matches

    rank  bot    ~rating  ~95 %  ~fit  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  ada@1     1604   ±289  1557      8    5      0     3    5.0  62.5  35.7 to 83.3       0      0
       1  bob@1     1604   ±289  1557      8    5      0     3    5.0  62.5  35.7 to 83.3       0      0
       3  eve@1     1291   ±289  1385      8    2      0     6    2.0  25.0   7.6 to 57.4       4      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against      1      2      3
    1 ada@1      -  2.0/4  3.0/4
    2 bob@1  2.0/4      -  3.0/4
    3 eve@1  1.0/4  1.0/4      -
    score of the bot on the left against the bot above

    extended by 1 round before match 6: A second leg
    eve@1 is disqualified before match 6: It reads the clock of others; its remaining matches are forfeits

    $ flipside extend cup --rounds 3
    cup: extended by 3 rounds before match 12
    -- stderr:
    hint: the command that began cup plays the rest

    $ flipside cancel cup --reason 'The hall closes'
    cup: cancelled before match 12: The hall closes

    $ flipside cancel cup
    -- exit status 2, stderr:
    error: cup: the tournament was cancelled
    hint: begin another tournament, under another --name

    $ flipside extend cup --rounds 1
    -- exit status 2, stderr:
    error: cup: the tournament was cancelled
    hint: begin another tournament, under another --name

    $ flipside withdraw ada
    -- exit status 2, stderr:
    error: ada is in no tournament that goes on
    hint: `flipside tournaments` lists them

    $ flipside tournaments
    tournament  game          format       bots  played  of  state      begun
    cup         flipflop-3x3  round-robin     3      12  12  cancelled  DATE

    $ flipside table cup --brief
    cup
    flipflop-3x3, 3 bots, round-robin, 1 round, clock move=1s
    12 matches
    seed 3, 4 faults, 0 voids, 4 changes

       bot    rating  95 %  games  won-drawn-lost  score  faults
    1  ada@1    1604  ±289      8           5-0-3    5.0       0
    1  bob@1    1604  ±289      8           5-0-3    5.0       0
    3  eve@1    1291  ±289      8           2-0-6    2.0       4

    more: flipside table cup --full

    $ flipside verify --all
    cup: 8 matches ok, 0 wrong, 4 without a record; 0 faults without evidence
    -- stderr:
    12 matches verified in TIME
    "##);
    let shown = run(folder, &["table", "cup", "--json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let changes = shown["changes"].as_array().unwrap();
    let whats: Vec<&str> = changes
        .iter()
        .filter_map(|one| one["what"].as_str())
        .collect();
    assert_eq!(whats, ["rounds", "disqualified", "rounds", "cancelled"]);
    for file in ["cup.html", "cup.md"] {
        run(folder, &["export", "cup", file]).ok();
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(
            text.contains("eve@1 is disqualified before match 6"),
            "{text}"
        );
        assert!(text.contains("it was cancelled"), "{text}");
    }
    // Another arena has the same, and nobody can go on there.
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    assert_snapshot!(told(folder, "
        import cup.tar.zst --arena other
        cancel cup --arena other
    "), @r##"
    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 8 records, and 4 forfeits follow from them
    cup: 12 matches new here; `flipside table cup --arena other` shows what came of them
    -- stderr:
    12 records verified in TIME
    12 matches imported in TIME
    the archive has results but no files of ada@1, bob@1, eve@1

    $ flipside cancel cup --arena other
    -- exit status 2, stderr:
    error: cup: the tournament was cancelled
    hint: begin another tournament, under another --name
    "##);
    let [here, there] = ["arena", "other"].map(|arena| {
        let shown = run(folder, &["table", "cup", "--csv", "--arena", arena]).ok();
        unvarying(&shown)
    });
    assert_eq!(here, there);
}

#[test]
fn what_a_format_cannot_have_is_refused_with_a_way_out() {
    let folder = arena();
    let folder = folder.path();
    for (format, bots) in [
        ("knockout", "ada bob eve"),
        ("ladder", "ada bob"),
        ("sprt", "ada bob"),
    ] {
        let line = format!(
            "tournament flipflop-3x3 {bots} --name {format} --format {format} --seed 3 --concurrency 1"
        );
        let more = match format {
            "ladder" => " --matches 4",
            "sprt" => " --rounds 2",
            _ => "",
        };
        run(folder, &crate::shown::words(&(line + more))).ok();
    }
    assert_snapshot!(told(folder, "
        extend knockout --rounds 1
        extend ladder --rounds 1
        extend ladder --matches 2
        extend sprt --rounds 1
        withdraw bob --from sprt
        withdraw nobody
        withdraw bob@1 --from knockout
        extend ladder
        extend ladder --rounds 1 --matches 1
        cancel evening
    "), @r##"
    $ flipside extend knockout --rounds 1
    -- exit status 2, stderr:
    error: knockout: a knockout cannot be extended: it has as many rounds as it needs
    hint: begin another tournament, under another --name

    $ flipside extend ladder --rounds 1
    -- exit status 2, stderr:
    error: ladder: a ladder is extended by matches
    hint: ask for --matches N

    $ flipside extend ladder --matches 2
    ladder: extended by 2 matches before match 4
    -- stderr:
    hint: the command that began ladder plays the rest

    $ flipside extend sprt --rounds 1
    sprt: extended by 1 round before match 4
    -- stderr:
    hint: the command that began sprt plays the rest

    $ flipside withdraw bob --from sprt
    -- exit status 2, stderr:
    error: sprt: no bot can leave a sequential test: it tests the first of two bots against the second
    hint: `flipside cancel` ends the tournament

    $ flipside withdraw nobody
    -- exit status 1, stderr:
    error: there is no bot nobody
    hint: `flipside bots` lists them

    $ flipside withdraw bob@1 --from knockout
    -- exit status 2, stderr:
    error: knockout: the tournament is over
    hint: `flipside table` shows what came of it

    $ flipside extend ladder
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      <--rounds <N>|--matches <N>>

    Usage: flipside extend <--rounds <N>|--matches <N>> <TOURNAMENT>

    For more information, try '--help'.

    $ flipside extend ladder --rounds 1 --matches 1
    -- exit status 2, stderr:
    error: the argument '--rounds <N>' cannot be used with '--matches <N>'

    Usage: flipside extend <--rounds <N>|--matches <N>> <TOURNAMENT>

    For more information, try '--help'.

    $ flipside cancel evening
    -- exit status 1, stderr:
    error: there is no tournament "evening"
    hint: `flipside tournaments` lists all; the latest: sprt, ladder, knockout
    "##);
}
