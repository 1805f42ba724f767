//! A tournament that goes from one arena to another, through the command.

use std::fs;
use std::path::Path;

use crate::common::{run, sample};

/// A folder with the arena `arena`, in which a tournament was played.
fn played() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    let bots = ["sample:greedy", "sample:random", &first];
    let mut args = vec!["tournament", "flipflop-3x3"];
    args.extend(bots);
    args.extend(["--rounds", "2", "--name", "cup", "--seed", "7"]);
    run(folder.path(), &args).ok();
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
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    let refused = run(folder, &["export", "cup", "cup.tar.zst"]).refused(1);
    assert!(refused.contains("--force"), "{refused}");

    let checked = run(
        folder,
        &["import", "cup.tar.zst", "--check", "--arena", "other"],
    )
    .ok();
    assert!(
        checked.contains("ok: flipflop-3x3 cup, 3 bots, 12 records"),
        "{checked}"
    );
    assert!(!folder.join("other").exists());
    let told = run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    assert!(told.contains("12 matches new here"), "{told}");
    let again = run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    assert!(
        again.contains("0 matches new here, 12 were here already"),
        "{again}"
    );

    let (mine, mut theirs) = (table(folder, "arena"), table(folder, "other"));
    assert_eq!(theirs["imports"][0]["matches"], 12);
    theirs.as_object_mut().unwrap().remove("imports");
    assert_eq!(mine, theirs);
    let shown = run(folder, &["table", "cup", "--arena", "other"]).ok();
    assert!(
        shown.contains("import: 12 matches were played in another arena, as cup"),
        "{shown}"
    );
    let one = run(folder, &["matches", "--show", "cup-0", "--arena", "other"]).ok();
    assert!(one.contains("played in another arena"), "{one}");
    run(folder, &["verify", "cup-0", "--arena", "other"]).ok();
    run(folder, &["rerate", "--arena", "other"]).ok();
    let ratings = |arena: &str| run(folder, &["ratings", "flipflop-3x3", "--arena", arena]).ok();
    assert_eq!(ratings("arena"), ratings("other"));
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
    let bots = run(folder, &["bots", "--arena", "other"]).ok();
    assert_eq!(bots.matches("its file is not here").count(), 3, "{bots}");
    let play = [
        "tournament",
        "flipflop-3x3",
        "first",
        "sample:random",
        "--arena",
        "other",
    ];
    let refused = run(folder, &play).refused(1);
    assert!(
        refused.contains("flipside submit FILE --name first"),
        "{refused}"
    );
    let first = sample("wat/first.wat");
    let submit = [
        "submit",
        &first,
        "--game",
        "flipflop-3x3",
        "--arena",
        "other",
    ];
    let told = run(folder, &submit).ok();
    assert!(told.contains("first@1 is in the arena"), "{told}");
    let table = run(folder, &play).ok();
    assert!(
        table.contains("first@1") && table.contains("random@1"),
        "{table}"
    );
}

#[test]
fn what_is_no_archive_or_not_true_is_refused_and_leaves_nothing() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    let whole = fs::read(folder.join("cup.tar.zst")).unwrap();
    let import = |file: &str| run(folder, &["import", file, "--arena", "other"]);
    fs::write(folder.join("cut.tar.zst"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.join("text.tar.zst"), "not an archive").unwrap();
    fs::write(folder.join("empty.tar.zst"), "").unwrap();
    for (file, told) in [
        ("cut.tar.zst", "it may be cut off"),
        ("text.tar.zst", "not an archive of a tournament"),
        ("empty.tar.zst", "not an archive of a tournament"),
    ] {
        let refused = import(file).refused(1);
        assert!(
            refused.contains(told) && refused.contains("hint: "),
            "{file}: {refused}"
        );
    }
    let missing = import("nowhere.tar.zst").refused(2);
    assert!(missing.contains("cannot read nowhere.tar.zst"), "{missing}");
    let refused = import(".").refused(2);
    assert!(refused.contains("is not a file"), "{refused}");
    assert!(!folder.join("other").exists());

    // A name that is taken here by another bot, and by another tournament.
    let named = [
        "submit",
        &sample("wat/instant.wat"),
        "--name",
        "greedy",
        "--game",
        "flipflop-3x3",
    ];
    run(folder, &[&named[..], &["--arena", "other"]].concat()).ok();
    let refused = import("cup.tar.zst").refused(1);
    assert!(
        refused.contains("another bot greedy") && refused.contains("--origin"),
        "{refused}"
    );
    let with_origin = [
        "import",
        "cup.tar.zst",
        "--arena",
        "other",
        "--origin",
        "club",
        "--name",
        "club-cup",
    ];
    run(folder, &with_origin).ok();
    let shown = run(folder, &["table", "club-cup", "--arena", "other"]).ok();
    assert!(shown.contains("club.greedy@1"), "{shown}");
    let refused = run(folder, &["import", "cup.tar.zst", "--origin", "no/name"]).refused(2);
    assert!(refused.contains("is not a name"), "{refused}");
}

#[test]
fn an_archive_that_was_taken_in_in_part_is_told_wherever_its_tournament_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cup = [
        "tournament",
        "flipflop-3x3",
        "sample:greedy",
        "sample:random",
    ];
    let cup = [&cup[..], &["--rounds", "200", "--name", "cup"]].concat();
    run(folder, &cup).ok();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    let other = |args: &[&str]| run(folder, &[args, &["--arena", "other"]].concat());
    let import = ["import", "cup.tar.zst"];
    other(&[&import[..], &["--most-disk", "250K"]].concat()).refused(1);
    let missing = "taken in only in part";
    let imports = |table: &serde_json::Value| table["imports"].clone();
    assert_eq!(imports(&table(folder, "other"))[0]["finished"], false);
    for args in [
        &["table", "cup"][..],
        &["table", "cup", "--brief"],
        &["ratings"],
    ] {
        let told = other(args).ok();
        assert!(
            told.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(missing),
            "{told}"
        );
    }
    for file in ["cup.html", "cup.md", "cup.csv"] {
        let written = other(&["export", "cup", file]);
        assert!(written.stderr.contains(missing), "{written:?}");
    }
    for file in ["cup.html", "cup.md"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(missing), "{text}");
    }
    for dry in [&["--dry-run"][..], &[]] {
        let refused = other(&[&cup[..], dry].concat()).refused(1);
        assert!(
            refused.contains(missing) && refused.contains("--despite-import"),
            "{refused}"
        );
    }

    // Who plays the rest here has a tournament of its own from there on.
    other(&[&cup[..], &["--despite-import"]].concat()).ok();
    let told = other(&["table", "cup"]).ok();
    assert!(
        told.contains("import: 256 matches") && !told.contains(missing),
        "{told}"
    );
    let refused = other(&import).refused(1);
    assert!(
        refused.contains("was played here as well") && refused.contains("--arena DIR"),
        "{refused}"
    );
    let third = [&import[..], &["--arena", "third"]].concat();
    run(folder, &third).ok();
}

#[test]
fn a_match_that_is_here_is_not_taken_in_again_under_another_name() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    for arena in ["arena", "other"] {
        let rerate = || run(folder, &["rerate", "--arena", arena]).ok();
        let before = rerate();
        let import = ["import", "cup.tar.zst", "--name", "again", "--arena", arena];
        for origin in [&[][..], &["--origin", "club"]] {
            let refused = run(folder, &[&import[..], origin].concat()).refused(1);
            assert!(
                refused.contains("12 of the 12 matches are here already, as matches of cup"),
                "{refused}"
            );
        }
        assert_eq!(rerate(), before);
        run(folder, &["table", "again", "--arena", arena]).refused(1);
    }
}
