//! What an organiser does with tournaments that have begun.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{run, sample};
use crate::shown::{session, unvarying};
use crate::tournaments::until;

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
    "), @"
    $ flipside table cup
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 3: 12 of 12 matches

    rank  bot    left                                        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  ada@1  -                                              1500    ±84      8    5      0     3    5.0  62.5  35.7 to 83.3            2       0      0
       1  bob@1  -                                              1500    ±84      8    5      0     3    5.0  62.5  35.7 to 83.3            2       0      0
       3  eve@1  disqualified: It reads the clock of others     1500   ±100      8    2      0     6    2.0  25.0   7.6 to 57.4            4       4      0
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

       bot    left          rating  95 %  games  score  faults
    1  ada@1  -               1500   ±84      8    5.0       0
    1  bob@1  -               1500   ±84      8    5.0       0
    3  eve@1  disqualified    1500  ±100      8    2.0       4

    more: flipside table cup --full

    $ flipside verify --all
    cup: 8 matches ok, 0 wrong, 4 without a record; 0 faults without evidence
    -- stderr:
    12 matches verified in TIME
    ");
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
    cup.tar.zst: ok: flipflop-3x3 cup, 3 bots, 8 records, and 4 forfeits follow from them, not signed
    0 modules played again, 3 modules not here
    cup: 12 matches new here; `flipside table --arena other cup` shows what came of them
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
      <--rounds <N>|--matches <N>|--bots <BOT>...>

    Usage: flipside extend <--rounds <N>|--matches <N>|--bots <BOT>...> <TOURNAMENT>

    For more information, try '--help'.

    $ flipside extend ladder --rounds 1 --matches 1
    -- exit status 2, stderr:
    error: the argument '--rounds <N>' cannot be used with '--matches <N>'

    Usage: flipside extend <--rounds <N>|--matches <N>|--bots <BOT>...> <TOURNAMENT>

    For more information, try '--help'.

    $ flipside cancel evening
    -- exit status 1, stderr:
    error: there is no tournament "evening"
    hint: `flipside tournaments` lists all; the latest: sprt, ladder, knockout
    "##);
}

#[test]
fn where_matches_always_count_nobody_is_disqualified_so_that_they_do_not() {
    let folder = arena();
    let folder = folder.path();
    let swiss = "tournament flipflop-3x3 ada bob eve --format swiss --rounds 2 --name swiss";
    run(folder, &crate::shown::words(swiss)).ok();
    // It goes on, so that the bot could leave it.
    run(folder, &["extend", "swiss", "--rounds", "1"]).ok();
    let leave = "withdraw eve --from swiss --disqualify --void-matches --reason copied";
    let refused = run(folder, &crate::shown::words(leave));
    let told = refused.refused(2);
    assert!(told.contains("always count"), "{told}");
    let table = run(folder, &["table", "swiss"]).ok();
    assert!(!table.contains("disqualified"), "{table}");
}

#[test]
fn bots_are_renamed_and_deleted_and_their_results_stay() {
    let folder = arena();
    let folder = folder.path();
    run(folder, &crate::shown::words(CUP)).ok();
    assert_snapshot!(told(folder, "
        extend cup --rounds 1
        delete eve
        withdraw eve
        delete eve
        delete eve
        bots
        tournament flipflop-3x3 ada eve --name other
        match flipflop-3x3 ada eve
    "), @r##"
    $ flipside extend cup --rounds 1
    cup: extended by 1 round before match 6
    -- stderr:
    hint: the command that began cup plays the rest

    $ flipside delete eve
    -- exit status 1, stderr:
    error: eve@1 plays in cup, which is not over
    hint: flipside withdraw eve@1

    $ flipside withdraw eve
    cup: eve@1 is withdrawn before match 6; its remaining matches are forfeits

    $ flipside delete eve
    eve@1 is deleted; its results stay

    $ flipside delete eve
    -- exit status 2, stderr:
    error: the file of eve is not here
    hint: `flipside bots` lists the bots

    $ flipside bots
    bot    kind      size  SHA-256           plays
    ada@1  module  6.2 kB  ID  flipflop-3x3
    bob@1  module  6.2 kB  ID  flipflop-3x3
    eve@1  module  6.2 kB  ID  deleted; its results are here

    $ flipside tournament flipflop-3x3 ada eve --name other
    -- exit status 2, stderr:
    error: eve@1 was deleted, and only its results are here
    hint: `flipside submit FILE --name eve` with the same bytes brings it back

    $ flipside match flipflop-3x3 ada eve
    -- exit status 2, stderr:
    error: eve@1 was deleted, and only its results are here
    hint: `flipside submit FILE --name eve` with the same bytes brings it back
    "##);
    run(folder, &crate::shown::words(CUP)).ok();
    let files = fs::read_dir(folder.join("arena/bots")).unwrap().count();
    assert_eq!(files, 2);
    assert_snapshot!(told(folder, "
        rename ada bob
        rename ada grace
        rename ada grace
        table cup
        verify --all
        submit ./eve.wat --game flipflop-3x3
        delete bob@2
        delete bob@1
        bots
    "), @"
    $ flipside rename ada bob
    -- exit status 1, stderr:
    error: there is a bot bob already
    hint: give it another name

    $ flipside rename ada grace
    ada@1 is grace@1 now

    $ flipside rename ada grace
    -- exit status 1, stderr:
    error: there is no bot ada
    hint: `flipside bots` lists them

    $ flipside table cup
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 3: 12 of 12 matches

    rank  bot      left       ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  bob@1    -             1500    ±84      8    5      0     3    5.0  62.5  35.7 to 83.3            2       0      0
       1  grace@1  -             1500    ±84      8    5      0     3    5.0  62.5  35.7 to 83.3            2       0      0
       3  eve@1    withdrawn     1500   ±100      8    2      0     6    2.0  25.0   7.6 to 57.4            4       4      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against        1      2      3
    1 bob@1        -  2.0/4  3.0/4
    2 grace@1  2.0/4      -  3.0/4
    3 eve@1    1.0/4  1.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    extended by 1 round before match 6
    eve@1 is withdrawn before match 6; its remaining matches are forfeits

    $ flipside verify --all
    cup: 8 matches ok, 0 wrong, 4 without a record; 0 faults without evidence
    -- stderr:
    12 matches verified in TIME

    $ flipside submit ./eve.wat --game flipflop-3x3
    flipflop-3x3: plays
    eve@1 is in the arena

    $ flipside delete bob@2
    -- exit status 1, stderr:
    error: there is no bob@2
    hint: the latest is bob@1

    $ flipside delete bob@1
    bob@1 is deleted; its results stay

    $ flipside bots
    bot      kind      size  SHA-256           plays
    bob@1    module  6.2 kB  ID  deleted; its results are here
    eve@1    module  6.2 kB  ID  flipflop-3x3
    grace@1  module  6.2 kB  ID  flipflop-3x3
    ");
    let matches = run(folder, &["matches", "--bot", "grace", "--csv"]).ok();
    assert_eq!(matches.matches("grace@1").count(), 8, "{matches}");
}

#[test]
fn an_arena_is_backed_up_while_it_runs_and_restored_in_another_place() {
    let folder = arena();
    let folder = folder.path();
    let running =
        "tournament flipflop-3x3 ada bob eve --name long --rounds 800 --seed 3 --no-affinity";
    let running = crate::shown::words(running);
    let mut child = crate::common::flipside(folder)
        .args(&running)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    until("it begins", || {
        fs::exists(folder.join("arena/locks/long.lock")).unwrap()
    });
    assert_snapshot!(told(folder, "
        backup arena.tar.zst
        backup arena.tar.zst
        restore arena.tar.zst --arena copy
        restore arena.tar.zst
        restore ada.wat --arena other
        verify --all --arena copy/none
    "), @r##"
    $ flipside backup arena.tar.zst
    -- stderr:
    arena.tar.zst is written: the journal and 3 files of bots

    $ flipside backup arena.tar.zst
    -- exit status 1, stderr:
    error: arena.tar.zst is there already
    hint: --force replaces it

    $ flipside restore arena.tar.zst --arena copy
    -- stderr:
    copy is restored: the journal and 3 files of bots

    $ flipside restore arena.tar.zst
    -- exit status 1, stderr:
    error: arena is there already
    hint: name a folder that is not there yet: --arena NEW

    $ flipside restore ada.wat --arena other
    -- exit status 1, stderr:
    error: it is not a whole backup of an arena: it is not compressed with zstd
    hint: nothing was restored; take the file again from where it came, as `flipside backup` wrote it

    $ flipside verify --all --arena copy/none
    -- exit status 1, stderr:
    error: there is no arena at copy/none
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one
    "##);
    assert!(child.wait().unwrap().success());
    assert!(!folder.join("other").exists());
    // What runs here goes on there as well, from where it was, and every record is true.
    let resumed = crate::common::flipside(folder)
        .args(&running)
        .args(["--arena", "copy"])
        .output();
    assert!(resumed.unwrap().status.success());
    let verified = run(folder, &["verify", "--all", "--arena", "copy"]).ok();
    assert!(
        verified.starts_with("long: 4800 matches ok, 0 wrong"),
        "{verified}"
    );
}

#[test]
fn bots_join_a_ladder_and_a_newer_version_takes_over() {
    let folder = arena();
    let folder = folder.path();
    let ladder = "tournament flipflop-3x3 ada bob --name steps --format ladder --matches 16 --seed 3 --no-affinity --concurrency 1";
    run(folder, &crate::shown::words(ladder)).ok();
    let newer = fs::read_to_string(folder.join("bob.wat")).unwrap();
    fs::write(folder.join("bob.wat"), newer + "\n;; again\n").unwrap();
    let submit = ["submit", "./bob.wat", "--game", "flipflop-3x3"];
    run(folder, &submit).ok();
    assert_snapshot!(told(folder, "
        extend steps --bots eve bob --matches 40 --reason 'They were late'
        extend steps --bots eve
        extend steps --bots bob@1
        extend steps --bots nobody
        delete bob
    "), @r##"
    $ flipside extend steps --bots eve bob --matches 40 --reason 'They were late'
    steps: eve@1 joins before match 16: They were late
    steps: bob@2 joins before match 16: They were late
    steps: bob@1 is withdrawn before match 16: bob@2 takes over; its remaining matches are forfeits
    steps: extended by 40 matches before match 16: They were late
    -- stderr:
    hint: the command that began steps plays the rest

    $ flipside extend steps --bots eve
    -- exit status 2, stderr:
    error: steps: eve@1 is in the tournament already
    hint: `flipside table` shows its bots

    $ flipside extend steps --bots bob@1
    -- exit status 2, stderr:
    error: steps: bob@1 has left the tournament and cannot join again
    hint: `flipside submit` makes a new version of it, which can join

    $ flipside extend steps --bots nobody
    -- exit status 2, stderr:
    error: there is no bot nobody
    hint: `flipside bots` lists them
    hint: a path or sample:greedy is a bot too

    $ flipside delete bob
    -- exit status 1, stderr:
    error: bob@2 plays in steps, which is not over
    hint: flipside withdraw bob@2
    "##);
    // The command that began it names the bots that it began with.
    run(folder, &crate::shown::words(ladder)).ok();
    let played = run(folder, &["table", "steps"]).ok();
    for part in ["56 of 56 matches", "eve@1", "bob@2", "bob@1"] {
        assert!(played.contains(part), "{part}\n{played}");
    }
    run(folder, &["verify", "--all"]).ok();
    run(folder, &["export", "steps", "steps.tar.zst"]).ok();
    let there = ["import", "steps.tar.zst", "--arena", "there"];
    run(folder, &there).ok();
    let table = run(folder, &["table", "steps", "--arena", "there"]).ok();
    assert_eq!(
        table.lines().next(),
        played.lines().next(),
        "{table}\n{played}"
    );

    // In a round robin, who joins plays all rounds against the others.
    run(folder, &crate::shown::words(CUP)).ok();
    run(folder, &["extend", "cup", "--bots", "sample:random"]).ok();
    run(folder, &crate::shown::words(CUP)).ok();
    let table = run(folder, &["table", "cup"]).ok();
    assert!(table.contains("12 of 12 matches"), "{table}");
    run(folder, &["extend", "cup", "--rounds", "1"]).ok();
    run(folder, &crate::shown::words(CUP)).ok();
    let table = run(folder, &["table", "cup"]).ok();
    assert!(table.contains("24 of 24 matches"), "{table}");
    run(folder, &["verify", "--all"]).ok();
}

/// Extended first, and then two bots are sent away: the round is paired again without them.
#[test]
fn a_swiss_pairs_those_who_are_left_and_gives_no_points_for_what_nobody_played() {
    let folder = arena();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("eve.wat")).unwrap();
    fs::write(folder.join("fay.wat"), text + "\n;; fay\n").unwrap();
    run(folder, &["submit", "./fay.wat", "--game", "flipflop-3x3"]).ok();
    let swiss = "tournament flipflop-3x3 ada bob eve fay --name sw --format swiss --rounds 1 --seed 3 --no-affinity";
    run(folder, &crate::shown::words(swiss)).ok();
    let before: Value =
        serde_json::from_str(&run(folder, &["table", "sw", "--json"]).ok()).unwrap();
    run(folder, &crate::shown::words("extend sw --rounds 1")).ok();
    for bot in ["ada", "bob"] {
        let leave = [
            "withdraw",
            bot,
            "--from",
            "sw",
            "--disqualify",
            "--reason",
            "It cheats",
        ];
        run(folder, &leave).ok();
    }
    run(folder, &crate::shown::words(swiss)).ok();
    let table: Value = serde_json::from_str(&run(folder, &["table", "sw", "--json"]).ok()).unwrap();
    let points = |table: &Value, bot: &str| {
        let rows = table["rows"].as_array().unwrap();
        let at = rows.iter().position(|row| row["bot"] == format!("{bot}@1"));
        let cells = &table["ranking"]["rows"][at.unwrap()]["cells"];
        cells[0].as_str().unwrap().to_owned()
    };
    for bot in ["ada", "bob"] {
        assert_eq!(points(&table, bot), points(&before, bot), "{bot}: {table}");
    }
    let bots = table["rows"].as_array().unwrap().iter();
    let bots: Vec<&str> = bots.map(|row| row["bot"].as_str().unwrap()).collect();
    assert_eq!(bots[2..], ["ada@1", "bob@1"], "{table}");
    assert_eq!(table["played"], 6, "the other two have met: {table}");
    run(folder, &["verify", "--all"]).ok();
}
