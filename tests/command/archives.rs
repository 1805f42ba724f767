//! A tournament that goes from one arena to another, through the command.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::{run, sample};
use crate::shown::{session, words};

/// A folder with the arena `arena`, in which a tournament was played.
fn played() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("wat/first.wat"), folder.path().join("first.wat")).unwrap();
    let cup = words("tournament flipflop-3x3 sample:greedy sample:random ./first.wat --name cup");
    let more = ["--rounds", "2", "--seed", seed!(7), "--no-affinity"];
    run(folder.path(), &[&cup[..], &more].concat()).ok();
    folder
}

fn table(folder: &Path, arena: &str) -> serde_json::Value {
    let text = run(folder, &["table", "cup", "--json", "--arena", arena]).ok();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_tournament_counts_in_another_arena_as_in_its_own() {
    let folder = played();
    let folder = folder.path();
    assert_snapshot!(session(folder, "
        export cup cup.tar.zst
        export cup cup.tar.zst
        import cup.tar.zst --check --arena other
    "), @"
    $ flipside export cup cup.tar.zst
    -- stderr:
    12 matches written in TIME
    cup.tar.zst is written

    $ flipside export cup cup.tar.zst
    -- exit status 1, stderr:
    error: cup.tar.zst is there already
    hint: --force replaces it

    $ flipside import cup.tar.zst --check --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    -- stderr:
    12 records verified in TIME
    ");
    assert!(!folder.join("other").exists());
    assert_snapshot!(session(folder, "
        import cup.tar.zst --arena other
        import cup.tar.zst --arena other
    "), @"
    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    cup: 12 matches new here; `flipside table --arena other cup` shows what came of them
    -- stderr:
    12 records verified in TIME
    12 matches imported in TIME
    the archive has results but no files of greedy@1, random@1, first@1

    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    cup: 0 matches new here, 12 were here already; `flipside table --arena other cup` shows what came of them
    -- stderr:
    12 records verified in TIME
    12 matches imported in TIME
    the archive has results but no files of greedy@1, random@1, first@1
    ");

    let (mine, mut theirs) = (table(folder, "arena"), table(folder, "other"));
    assert_eq!(theirs["imports"][0]["matches"], 12);
    theirs.as_object_mut().unwrap().remove("imports");
    assert_eq!(mine, theirs);
    assert_snapshot!(session(folder, "
        table cup --arena other
        matches --show cup-0 --arena other
        verify cup-0 --arena other
        rerate --arena other
    "), @"
    $ flipside table cup --arena other
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of 12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  greedy@1     1739   ±246      8    7      0     1    7.0  87.5  51.5 to 97.9       0      0
       2  random@1     1591   ±223      8    5      0     3    5.0  62.5  35.2 to 83.6       0      0
       3  first@1      1169   ±310      8    0      0     8    0.0   0.0   0.0 to 34.7       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2      3
    1 greedy@1      -  3.0/4  4.0/4
    2 random@1  1.0/4      -  4.0/4
    3 first@1   0.0/4  0.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    import: 12 matches were played in another arena, as cup (not signed): with their records verified; nothing shows who chose the moves

    $ flipside matches --show cup-0 --arena other
    cup-0 - flipflop-3x3: goal after 4 plies
    played in another arena; its record was verified

    seat 0: random@1, points 1, place 1

    seat 1: first@1, points 0, place 2

    $ flipside verify cup-0 --arena other
    cup-0: ok: flipflop-3x3 cup-0, 4 plies, goal

    $ flipside rerate --arena other
    game          matches  periods  bots  sha256
    flipflop-3x3       12        2     3  HASH
    ");
    let ratings = |arena: &str| -> serde_json::Value {
        let text = run(
            folder,
            &["ratings", "flipflop-3x3", "--json", "--arena", arena],
        )
        .ok();
        serde_json::from_str(&text).unwrap()
    };
    let (rated, mut theirs) = (ratings("arena"), ratings("other"));
    for row in theirs.as_array_mut().unwrap() {
        assert_eq!(row["imported"], row["games"]);
        row["imported"] = 0.into();
    }
    assert_eq!(rated, theirs);
    // Into its own arena, it brings nothing.
    run(folder, &["import", "cup.tar.zst"]).ok();
    assert_eq!(table(folder, "arena"), mine);
}

#[test]
fn bots_that_came_without_their_files_play_once_these_are_there() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    // Some of them are this program, which is not always of the same size.
    let bots = run(folder, &["bots", "--arena", "other"]).ok();
    assert_eq!(bots.matches("its file is not here").count(), 3, "{bots}");
    assert_snapshot!(session(folder, &format!("
        tournament flipflop-3x3 first sample:random --arena other
        submit ./first.wat --game flipflop-3x3 --arena other
        tournament flipflop-3x3 first sample:random --arena other --no-affinity --seed {}
    ", seed!(1))), @r"
    $ flipside tournament flipflop-3x3 first sample:random --arena other
    -- exit status 1, stderr:
    error: only results of first@1 are here, and not its file
    hint: `flipside submit --arena other FILE --name first` with the same bytes brings it

    $ flipside submit ./first.wat --game flipflop-3x3 --arena other
    flipflop-3x3: plays
    first@1 is in the arena

    $ flipside tournament flipflop-3x3 first sample:random --arena other --no-affinity --seed 1-HASH
    flipflop-3x3-ID - flipflop-3x3, 2 bots, round-robin, 1 round, clock move=1s, seed 1: 2 of 2 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score     %   ~% from to  faults  voids
       1  first@1      1500   ±216      2    1      0     1    1.0  50.0  2.5 to 97.5       0      0
       1  random@1     1500   ±216      2    1      0     1    1.0  50.0  2.5 to 97.5       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2
    1 first@1       -  1.0/2
    2 random@1  1.0/2      -
    score of the bot on the left against the bot above

    first@1 against random@1: 2 matches, won 1, drawn 0, lost 1
    Elo: 0.00, 95 % interval -633.95 to 633.95
    LOS: 50.00 %, score: 50.00 % (2.53 to 97.47 %)
    Ptnml(0-2): [0, 0, 1, 0, 0]
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    flipflop-3x3-ID: 2 of 2 matches to play

    flipflop-3x3-ID
    flipflop-3x3, 2 bots, round-robin, 1 round, clock move=1s
    2 matches in TIME
    seed 1, 0 faults, 0 voids

    more: flipside table --arena other flipflop-3x3-ID --full

    to repeat the random events:
    --seed 1-HASH
    ");
}

#[test]
fn what_is_no_archive_or_not_true_is_refused_and_leaves_nothing() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    let whole = fs::read(folder.join("cup.tar.zst")).unwrap();
    fs::write(folder.join("cut.tar.zst"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.join("text.tar.zst"), "not an archive").unwrap();
    fs::write(folder.join("empty.tar.zst"), "").unwrap();
    assert_snapshot!(session(folder, "
        import cut.tar.zst --arena other
        import text.tar.zst --arena other
        import empty.tar.zst --arena other
        import nowhere.tar.zst --arena other
        import . --arena other
    "), @"
    $ flipside import cut.tar.zst --arena other
    -- exit status 1, stderr:
    error: cut.tar.zst: it is not an archive of a tournament: it does not begin as one, or is cut off there
    hint: `flipside export TOURNAMENT FILE.tar.zst` writes one; if that wrote it, take it again from where it came: it may be cut off

    $ flipside import text.tar.zst --arena other
    -- exit status 1, stderr:
    error: text.tar.zst: it is not an archive of a tournament: it does not begin as one, or is cut off there
    hint: `flipside export TOURNAMENT FILE.tar.zst` writes one; if that wrote it, take it again from where it came: it may be cut off

    $ flipside import empty.tar.zst --arena other
    -- exit status 1, stderr:
    error: empty.tar.zst: it is not an archive of a tournament: there is nothing in it
    hint: `flipside export TOURNAMENT FILE.tar.zst` writes one; if that wrote it, take it again from where it came: it may be cut off

    $ flipside import nowhere.tar.zst --arena other
    -- exit status 2, stderr:
    error: cannot read nowhere.tar.zst: No such file or directory (os error 2)
    hint: the path begins where you are

    $ flipside import . --arena other
    -- exit status 2, stderr:
    error: . is not a file but a folder
    hint: name a file in it
    ");
    assert!(!folder.join("other").exists());

    // A name that is taken here by another bot, and by another tournament.
    fs::copy(sample("wat/instant.wat"), folder.join("instant.wat")).unwrap();
    let named = "submit ./instant.wat --name greedy --game flipflop-3x3 --arena other";
    run(folder, &words(named)).ok();
    assert_snapshot!(session(folder, "
        import cup.tar.zst --arena other
        import cup.tar.zst --arena other --origin club --name club-cup
        table club-cup --arena other
        import cup.tar.zst --origin no/name
    "), @r#"
    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    -- exit status 1, stderr:
    12 records verified in TIME
    error: cup.tar.zst: there is another bot greedy here than in the archive
    hint: --origin NAME puts NAME and a dot before the names of the archive's bots

    $ flipside import cup.tar.zst --arena other --origin club --name club-cup
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    club-cup: 12 matches new here; `flipside table --arena other club-cup` shows what came of them
    -- stderr:
    12 records verified in TIME
    12 matches imported in TIME
    the archive has results but no files of club.greedy@1, club.random@1, club.first@1

    $ flipside table club-cup --arena other
    club-cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of 12 matches

    rank  bot            ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  club.greedy@1     1739   ±246      8    7      0     1    7.0  87.5  51.5 to 97.9       0      0
       2  club.random@1     1591   ±223      8    5      0     3    5.0  62.5  35.2 to 83.6       0      0
       3  club.first@1      1169   ±310      8    0      0     8    0.0   0.0   0.0 to 34.7       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against              1      2      3
    1 club.greedy@1      -  3.0/4  4.0/4
    2 club.random@1  1.0/4      -  4.0/4
    3 club.first@1   0.0/4  0.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    import: 12 matches were played in another arena, as cup (not signed): with their records verified; nothing shows who chose the moves

    $ flipside import cup.tar.zst --origin no/name
    -- exit status 2, stderr:
    error: invalid value 'no/name' for '--origin <NAME>': "no/name" is not a name; a name is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or a digit

    For more information, try '--help'.
    "#);
}

#[test]
fn an_archive_that_was_taken_in_in_part_is_told_wherever_its_tournament_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cup = "tournament flipflop-3x3 sample:greedy sample:random --rounds 200 --name cup \
        --no-affinity";
    let cup = format!("{cup} --seed {}", seed!(7));
    run(folder, &words(&cup)).ok();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    assert_snapshot!(session(folder, &format!("
        import cup.tar.zst --most-disk 320K --arena other
        table cup --arena other
        table cup --brief --arena other
        ratings --arena other
        export cup cup.html --arena other
        export cup cup.md --arena other
        export cup cup.csv --arena other
        {cup} --dry-run --arena other
        {cup} --arena other
    ")), @"
    $ flipside import cup.tar.zst --most-disk 320K --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 400 records, not signed
    -- exit status 1, stderr:
    400 records verified in TIME
    256 matches imported in TIME
    error: cup.tar.zst: there is no more room for it; what has been taken in is kept
    hint: the same command goes on; give it more with --most-disk SIZE

    $ flipside table cup --arena other
    cup - flipflop-3x3, 2 bots, round-robin, 200 rounds, clock move=1s, seed 7: 256 of 400 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  greedy@1     1759    ±52    256  244      0    12  244.0  95.3  91.7 to 97.4       0      0
       2  random@1     1241    ±52    256   12      0   244   12.0   4.7    2.6 to 8.3       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against            1          2
    1 greedy@1         -  244.0/256
    2 random@1  12.0/256          -
    score of the bot on the left against the bot above

    greedy@1 against random@1: 256 matches, won 244, drawn 0, lost 12
    Elo: 523.28 +/- 121.68, nElo: 702.00 +/- 42.56, 95 % interval 417.65 to 628.92
    LOS: 100.00 %, score: 95.31 % (91.71 to 97.39 %)
    Ptnml(0-2): [1, 0, 10, 0, 117]

    import: 256 matches were played in another arena, as cup (not signed): with their records verified; nothing shows who chose the moves; taken in only in part: `flipside import` with the same archive brings the rest

    $ flipside table cup --brief --arena other
    cup
    flipflop-3x3, 2 bots, round-robin, 200 rounds, clock move=1s
    256 of 400 matches
    seed 7, 0 faults, 0 voids
    cup was taken in only in part: `flipside import` with the same archive
    brings the rest

       bot       rating  95 %  games  won-drawn-lost  score  faults
    1  greedy@1    1759   ±52    256        244-0-12  244.0       0
    2  random@1    1241   ±52    256        12-0-244   12.0       0

    more: flipside table --arena other cup --full

    $ flipside ratings --arena other
    flipflop-3x3
    rank  bot       rating  deviation     low    high  games  Glicko-2  imported
       1  greedy@1  1758.9       26.7  1706.6  1811.2    256    1765.5       256
       2  random@1  1241.1       26.7  1188.8  1293.4    256    1234.5       256

    low and high: the 95 % interval of the rating, against the average of these bots
    imported: how many of the games another arena played; their records were verified, and nothing shows who chose the moves
    cup was taken in only in part: `flipside import` with the same archive brings the rest

    $ flipside export cup cup.html --arena other
    -- stderr:
    cup.html is written
    cup was taken in only in part: `flipside import` with the same archive brings the rest

    $ flipside export cup cup.md --arena other
    -- stderr:
    cup.md is written
    cup was taken in only in part: `flipside import` with the same archive brings the rest

    $ flipside export cup cup.csv --arena other
    -- stderr:
    cup.csv is written
    cup was taken in only in part: `flipside import` with the same archive brings the rest

    $ flipside tournament flipflop-3x3 sample:greedy sample:random --rounds 200 --name cup --no-affinity --seed 7-HASH --dry-run --arena other
    -- exit status 1, stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: cup was taken in only in part: `flipside import` with the same archive brings the rest
    hint: --despite-import plays here what is missing; the rest of the archive does not fit then

    $ flipside tournament flipflop-3x3 sample:greedy sample:random --rounds 200 --name cup --no-affinity --seed 7-HASH --arena other
    -- exit status 1, stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: cup was taken in only in part: `flipside import` with the same archive brings the rest
    hint: --despite-import plays here what is missing; the rest of the archive does not fit then
    ");
    assert_eq!(table(folder, "other")["imports"][0]["finished"], false);
    for file in ["cup.html", "cup.md"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains("taken in only in part"), "{text}");
    }

    // Who plays the rest here has a tournament of its own from there on.
    run(
        folder,
        &words(&format!("{cup} --despite-import --arena other")),
    )
    .ok();
    assert_snapshot!(session(folder, "
        table cup --arena other
        import cup.tar.zst --arena other
        import cup.tar.zst --arena third
    "), @"
    $ flipside table cup --arena other
    cup - flipflop-3x3, 2 bots, round-robin, 200 rounds, clock move=1s, seed 7: 400 of 400 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  greedy@1     1780    ±46    400  385      0    15  385.0  96.2  93.8 to 97.8       0      0
       2  random@1     1220    ±46    400   15      0   385   15.0   3.8    2.2 to 6.2       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against            1          2
    1 greedy@1         -  385.0/400
    2 random@1  15.0/400          -
    score of the bot on the left against the bot above

    greedy@1 against random@1: 400 matches, won 385, drawn 0, lost 15
    Elo: 563.75 +/- 103.79, nElo: 806.60 +/- 34.05, 95 % interval 470.65 to 656.85
    LOS: 100.00 %, score: 96.25 % (93.76 to 97.77 %)
    Ptnml(0-2): [1, 0, 13, 0, 186]

    import: 256 matches were played in another arena, as cup (not signed): with their records verified; nothing shows who chose the moves

    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 400 records, not signed
    -- exit status 1, stderr:
    400 records verified in TIME
    error: cup.tar.zst: match 256 of this tournament was played here as well
    hint: nothing was taken in; --arena DIR takes it into another arena

    $ flipside import cup.tar.zst --arena third
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 400 records, not signed
    cup: 400 matches new here; `flipside table --arena third cup` shows what came of them
    -- stderr:
    400 records verified in TIME
    400 matches imported in TIME
    the archive has results but no files of greedy@1, random@1
    ");
}

#[test]
fn a_match_that_is_here_is_not_taken_in_again_under_another_name() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    let rerate = || ["arena", "other"].map(|arena| run(folder, &["rerate", "--arena", arena]).ok());
    let before = rerate();
    assert_snapshot!(session(folder, "
        import cup.tar.zst --name again
        import cup.tar.zst --name again --origin club
        import cup.tar.zst --name again --arena other
        import cup.tar.zst --name again --origin club --arena other
        table again
        table again --arena other
    "), @r#"
    $ flipside import cup.tar.zst --name again
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    1 module played again, 54 answers equal
    -- exit status 1, stderr:
    12 records verified in TIME
    12 matches played again in TIME
    error: cup.tar.zst: 12 of the 12 matches are here already, as matches of cup
    hint: nothing was taken in, for ratings would count them twice; --name cup adds what is new to it, --arena DIR takes all into another arena

    $ flipside import cup.tar.zst --name again --origin club
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    1 module played again, 54 answers equal
    -- exit status 1, stderr:
    12 records verified in TIME
    12 matches played again in TIME
    error: cup.tar.zst: 12 of the 12 matches are here already, as matches of cup
    hint: nothing was taken in, for ratings would count them twice; --name cup adds what is new to it, --arena DIR takes all into another arena

    $ flipside import cup.tar.zst --name again --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    -- exit status 1, stderr:
    12 records verified in TIME
    error: cup.tar.zst: 12 of the 12 matches are here already, as matches of cup
    hint: nothing was taken in, for ratings would count them twice; --name cup adds what is new to it, --arena DIR takes all into another arena

    $ flipside import cup.tar.zst --name again --origin club --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 12 records, not signed
    0 modules played again, 1 module not here
    -- exit status 1, stderr:
    12 records verified in TIME
    error: cup.tar.zst: 12 of the 12 matches are here already, as matches of cup
    hint: nothing was taken in, for ratings would count them twice; --name cup adds what is new to it, --arena DIR takes all into another arena

    $ flipside table again
    -- exit status 1, stderr:
    error: there is no tournament "again"
    hint: `flipside tournaments` lists all; the latest: cup

    $ flipside table again --arena other
    -- exit status 1, stderr:
    error: there is no tournament "again"
    hint: `flipside tournaments --arena other` lists all; the latest: cup
    "#);
    assert_eq!(rerate(), before);
}
