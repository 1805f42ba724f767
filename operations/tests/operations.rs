//! The operations without the command: bots are submitted, a tournament is started, paused and resumed, exported,
//! imported and verified, all by values.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use flipside_operations::{
    AuditNews, Entry, ExportKind, ExportOptions, Failure, FailureKind, MOST_DISK, MatchQuery,
    PreparedTournament, Processes, Proof, Request, Result, Runner, Started, Submission, Submitted,
    VerifiedArchive, audit_tournaments, backup, export, find_tournament, for_each_match,
    plays_as_sample, submit, verify, write_export,
};
use flipside_runner::{RunEvent, RunSummary, StopSignal};
use flipside_store::archive::Names;
use flipside_store::{Arena, ratings, table};
use flipside_tournament::{Name, TournamentSpec};

const GAME: &str = "flipfour";

/// A bot in shell, as a file of this name. It is copied by a process of its own: what another test starts meanwhile
/// would have the copy open for writing for a moment, and then it cannot be executed.
fn bot(folder: &Path, name: &str) -> PathBuf {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-bots/shell/random.sh");
    let copy = folder.join(name);
    copied(&sample, &copy);
    copy
}

fn copied(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-p").arg(from).arg(to).status();
    assert!(copied.expect("there is cp").success());
}

fn submission(file: &Path) -> Submission<'_> {
    Submission {
        file,
        name: None,
        games: &[],
        clock: "move=10s,start=20s".parse().expect("the clock is right"),
        processes: Processes {
            trust: true,
            ponder: false,
        },
    }
}

fn enter(arena: &Path, file: &Path) -> Result<Submitted> {
    let games = [GAME.to_owned()];
    let submission = Submission {
        games: &games,
        ..submission(file)
    };
    submit(arena, &submission, |_| Ok(()))
}

/// Two rounds between two bots: four matches, one at a time.
fn request(bots: [&str; 2]) -> Request {
    let asked = "rounds = 2\ntrust = true\nconcurrency = 1\nclock = \"move=10s,start=20s\"";
    let asked = TournamentSpec::from_toml(asked).expect("it describes a tournament");
    let bots = bots.map(String::from);
    Request::of(Path::new("arena"), &asked, GAME, &bots, &mut |_| ()).expect("it fits")
}

fn prepared<'a>(arena: &'a Path, request: &'a Request) -> Result<PreparedTournament<'a>> {
    let again = |name: &Name| format!("as {name}");
    PreparedTournament::new(arena, request, &again, &mut |_| ())
}

/// Plays until so many matches have landed.
fn play(started: &mut Started, most: u64) -> RunSummary {
    let Started {
        arena,
        journal,
        tournament,
        sandbox,
        threads,
    } = started;
    let stop = StopSignal::default();
    let runner = Runner::new(arena, tournament, sandbox, MOST_DISK).expect("it can be run");
    let mut landed = 0;
    let ran = runner.run(journal, threads.clone(), &stop, |event| {
        if let RunEvent::Landed(_) = event {
            landed += 1;
            if landed == most {
                stop.soon();
            }
        }
    });
    ran.expect("it is played")
}

#[test]
fn a_tournament_goes_from_submission_to_another_arena_without_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    for name in ["one", "other"] {
        let submitted = enter(&home, &bot(folder.path(), name)).unwrap();
        assert!(submitted.new);
        assert_eq!(
            (submitted.bot.label(), &*submitted.bot.games[0]),
            (format!("{name}@1"), GAME)
        );
    }
    assert!(!enter(&home, &folder.path().join("one")).unwrap().new);

    // What would be played is known, and nothing of it is in the journal.
    let request = request(["one", "other"]);
    let (total, first) = prepared(&home, &request)
        .unwrap()
        .plan(false, |plan, matches| {
            Ok((plan.total, matches.next().unwrap()))
        })
        .unwrap();
    assert_eq!((total.most(), first.index), (4, 0));
    let arena = Arena::open(&home).unwrap();
    assert!(find_tournament(&arena.read_journal().unwrap(), None).is_err());

    // It is paused after the first match, and the same request resumes it.
    let mut started = prepared(&home, &request)
        .unwrap()
        .start(false, &mut |_| ())
        .unwrap();
    let name = started.tournament.name.to_string();
    assert!(play(&mut started, 1).stopped);
    assert!(!table(&started.journal, &started.tournament).unwrap().over);
    let mut resumed = prepared(&home, &request)
        .unwrap()
        .start(false, &mut |_| ())
        .unwrap();
    assert_eq!(resumed.tournament.name, started.tournament.name);
    assert!(!play(&mut resumed, 4).stopped);
    let standings = table(&resumed.journal, &resumed.tournament).unwrap();
    assert!(standings.over && standings.played == 4);
    let bots: Vec<&str> = standings.rows.iter().map(|row| &*row.bot).collect();
    assert!(
        bots.contains(&"one@1") && bots.contains(&"other@1"),
        "{bots:?}"
    );

    let query = MatchQuery {
        bot: Some("one"),
        limit: 10,
        ..MatchQuery::default()
    };
    let mut rows = Vec::new();
    let mut keep = |row| {
        rows.push(row);
        Ok(())
    };
    for_each_match(&resumed.journal, &query, &mut keep).unwrap();
    assert_eq!(rows.len(), 4);
    assert!(matches!(verify(&home, &rows[0].id), Ok(Proof::Record(_))));

    // The archive goes to another arena, where everything is as it was.
    let archive = folder.path().join("evening.tar.zst");
    let mut steps = 0;
    let exported = export(
        &home,
        &name,
        &archive,
        ExportOptions::default(),
        &mut |_, _, _| {
            steps += 1;
        },
    );
    assert_eq!(exported.unwrap().beyond, 0);
    assert!(steps > 0);
    // An archive and a backup have the salt; a table is for everybody.
    let (backed_up, page) = (
        folder.path().join("backup"),
        folder.path().join("page.html"),
    );
    backup(&home, &backed_up, false, |_, _| Ok(false)).unwrap();
    let options = ExportOptions::default();
    export(&home, &name, &page, options, &mut |_, _, _| ()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&archive), mode(&backed_up)], [0o600; 2]);
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    assert_eq!(mode(&page), mode(&plain));
    let away = folder.path().join("away");
    let found = VerifiedArchive::open(&away, &archive, &mut |_, _| ()).unwrap();
    assert_eq!(found.content.records, 4);
    let names = Names {
        tournament: Some("guest".parse().unwrap()),
        origin: None,
    };
    let imported = found
        .import(&away, &names, MOST_DISK, &mut |_, _| ())
        .unwrap();
    assert_eq!((imported.new, imported.known), (4, 0));
    let away = Arena::open(&away).unwrap();
    let mut wrong = Vec::new();
    let audit = audit_tournaments(&away, None, |news| {
        if let AuditNews::Wrong(line) = news {
            wrong.push(line);
        }
        Ok(())
    });
    let audit = audit.unwrap();
    assert_eq!(
        (audit.tournaments, audit.wrong, audit.sum.proven),
        (1, 0, 4),
        "{wrong:?}"
    );

    // A page needs no file.
    let journal = away.read_journal().unwrap();
    let guest = find_tournament(&journal, Some("guest")).unwrap();
    let mut page = Vec::new();
    write_export(
        (&journal, &away.programs()),
        &guest,
        ExportKind::Page,
        None,
        &mut page,
        &mut |_, _| (),
    )
    .unwrap();
    assert!(String::from_utf8(page).unwrap().contains("one@1"));
}

#[test]
fn ratings_are_as_if_unrated_tournaments_were_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    for name in ["one", "other"] {
        enter(&home, &bot(folder.path(), name)).unwrap();
    }
    let rated = || {
        let journal = Arena::open(&home).unwrap().read_journal().unwrap();
        serde_json::to_string(&ratings(&journal, GAME).unwrap()).unwrap()
    };
    let begin = |text: &str| {
        let text = format!("{text}\nrounds = 2\ntrust = true\nclock = \"move=10s,start=20s\"");
        let asked = TournamentSpec::from_toml(&text).unwrap();
        let bots = ["one", "other"].map(String::from);
        let request = Request::of(&home, &asked, GAME, &bots, &mut |_| ()).unwrap();
        let started = prepared(&home, &request).unwrap().start(false, &mut |_| ());
        let mut started = started.unwrap();
        assert!(!play(&mut started, u64::MAX).stopped);
    };
    let none = rated();
    begin("name = \"first\"\nunrated = true");
    assert_eq!(rated(), none);
    begin("name = \"second\"");
    let one = rated();
    assert_ne!(one, none);
    begin("name = \"third\"\nunrated = true");
    assert_eq!(rated(), one);
}

#[test]
fn what_is_refused_says_so_as_a_value_and_leaves_no_arena() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    // `true` ends at once.
    let mut tried = 0;
    let refused: Failure = submit(&home, &submission(Path::new("/bin/true")), |_| {
        tried += 1;
        Ok(())
    })
    .unwrap_err();
    assert_eq!(
        tried, 0,
        "it fails at all games alike, and that is told once"
    );
    assert_eq!(refused.kind(), FailureKind::Failed);
    let message = refused.message();
    assert!(
        message.starts_with("true is refused: closed: exited with code 0 before `ready`"),
        "{refused}"
    );
    for game in flipside_games::GAMES {
        assert!(message.contains(game.info().id), "{refused}");
    }
    assert_eq!(refused.hints().len(), 3);

    let request = request(["one", "other"]);
    let refused = prepared(&home, &request)
        .err()
        .expect("there are no such bots");
    assert_eq!(refused.kind(), FailureKind::Usage);
    assert!(!home.exists());
}

/// Whatever is wrong with the file of one bot when a tournament goes on, the others play.
#[test]
fn a_bot_whose_file_is_missing_or_changed_is_set_aside_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let bots = ["one", "two", "three"].map(|name| {
        let file = bot(folder.path(), name);
        // Each has a file of its own.
        let append = ["-c", "echo \"# $2\" >> \"$1\"", "sh"];
        let appended = Command::new("sh")
            .args(append)
            .arg(&file)
            .arg(name)
            .status();
        assert!(appended.expect("there is a shell").success());
        enter(&home, &file).unwrap().bot
    });
    let arena = Arena::open(&home).unwrap();
    let path = arena.bot_path(&bots[1]).unwrap();
    let whole = folder.path().join("whole");
    copied(&path, &whole);
    let damages: [(&str, &dyn Fn()); 2] = [
        ("missing", &|| std::fs::remove_file(&path).unwrap()),
        ("changed", &|| {
            std::fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
        }),
    ];
    for (format, rounds) in [
        ("round-robin", 1),
        ("knockout", -1),
        ("swiss", 2),
        ("gauntlet", 1),
        ("ladder", 0),
    ] {
        for (what, damage) in &damages {
            let length = match rounds {
                // As many rounds as it needs.
                -1 => String::new(),
                0 => "matches = 12".to_owned(),
                rounds => format!("rounds = {rounds}"),
            };
            let asked = format!(
                "name = \"{format}-{what}\"\nformat = \"{format}\"\n{length}\ntrust = true\nconcurrency = 1\nclock = \"move=10s,start=20s\""
            );
            let asked = TournamentSpec::from_toml(&asked).unwrap();
            let names = ["one", "two", "three"].map(String::from);
            let request = Request::of(&home, &asked, GAME, &names, &mut |_| ()).unwrap();
            let started = prepared(&home, &request)
                .unwrap()
                .start(false, &mut |_| ())
                .unwrap();
            let name = started.tournament.name.clone();
            drop(started);
            damage();
            // As a site plays it on.
            let mut started = Started::again(arena.clone(), &name, &mut |_| ()).unwrap();
            let ran = play(&mut started, u64::MAX);
            assert_eq!(ran.given_up, 0, "{name}");
            started.refresh().unwrap();
            let table = table(&started.journal, &started.tournament).unwrap();
            assert!(table.over, "{name}");
            let changes = &started.tournament.changes;
            assert_eq!(changes.len(), 1, "{name}: {changes:?}");
            let reason = changes[0].reason.as_ref().unwrap().as_str();
            assert!(reason.contains("two@1"), "{name}: {reason}");
            assert!(!reason.contains(&home.display().to_string()), "{reason}");
            copied(&whole, &path);
        }
    }
}

#[test]
fn built_in_bots_of_an_arena_know_what_they_play() {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    let mut journal = arena.journal().unwrap();
    let mut games = |typed: &str| {
        let entry = Entry::find(Some(&arena), typed).unwrap();
        let entered = entry.enter(&arena, &mut journal).unwrap();
        let known = journal.bots().unwrap();
        let known = known.into_iter().find(|bot| bot.id == entered.id).unwrap();
        assert_eq!(known.games, entered.games);
        known.games
    };
    assert_eq!(games("sample:perfect"), ["flipflop-3x3"]);
    assert_eq!(games("sample:strong").len(), flipside_games::GAMES.len());
    assert_eq!(plays_as_sample("sample:random", "of-somebody@2"), Ok(true));
    assert_eq!(plays_as_sample("mybot", "flip4"), Ok(false));
    for (typed, game, title) in [
        ("sample:perfect", "flip4", "FLIP 4"),
        ("sample:greedy", "of-somebody@2", "of-somebody@2"),
    ] {
        let refused = plays_as_sample(typed, game).unwrap_err();
        assert_eq!(refused.message(), format!("{typed} does not play {title}"));
        let [hint] = refused.hints() else {
            panic!("{refused:?}");
        };
        assert!(hint.starts_with("built-in bots that do are sample:random"));
        assert!(!hint.contains(typed), "{hint}");
    }
    assert!(plays_as_sample("sample:nobody", "flip4").is_err());
}

#[test]
fn a_built_in_bot_begins_no_tournament_of_a_game_that_it_does_not_play() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    let begin = |bots: &[&str]| {
        let bots: Vec<String> = bots.iter().map(|bot| (*bot).to_owned()).collect();
        let spec = TournamentSpec::default();
        let request = Request::of(&path, &spec, "flip4", &bots, &mut |_| {}).unwrap();
        PreparedTournament::new(&path, &request, &|_| String::new(), &mut |_| {})
            .map(|_| ())
            .unwrap_err()
    };
    let refused = begin(&["sample:random", "sample:perfect"]);
    assert_eq!(refused.message(), "sample:perfect does not play FLIP 4");
    // One that the arena has is the same.
    let arena = Arena::create(&path).unwrap();
    let mut journal = arena.journal().unwrap();
    let entry = Entry::find(Some(&arena), "sample:perfect").unwrap();
    entry.enter(&arena, &mut journal).unwrap();
    let refused = begin(&["sample:random", "perfect"]);
    assert_eq!(refused.message(), "sample:perfect does not play FLIP 4");
}
