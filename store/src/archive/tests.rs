//! What is promised of archives: what one arena wrote counts in another as it did there, and nothing else
//! does.

mod changes;
mod signatures;

use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use flipside_ratings::{Model, Sprt};
use flipside_referee::{Match, Player, Referee};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};
use flipside_tournament::formats::{
    DoubleElimination, Gauntlet, Knockout, Ladder, MIN_BATCH, Swiss,
};
use flipside_tournament::testing::{SALT, name, settings};
use flipside_tournament::{
    BotId, FORFEIT, Format, MAX_LADDER_MATCHES, Seeding, Settings, match_id,
};
use sha2::{Digest, Sha256};
use tar::EntryType;
use tempfile::TempDir;

use super::check::{ImportedMatch, read_again};
use super::import::here;
use super::*;
use crate::arena::Arena;
use crate::audit::{Audited, Finding, RecordAudit, audit};
use crate::changes::settle_changes;
use crate::journal::matches::{MatchFilter, MatchRow};
use crate::journal::{Journal, unix_ms};
use crate::scheduler::{Scheduler, SchedulerEvent, Task, Work};
use crate::tables::{RatingRow, ratings, table};

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// A bot that stops its match at once.
const TRAPS: &str =
    "(module (memory (export \"memory\") 1) (func (export \"_start\") unreachable))";

/// An arena with a tournament that was played in it.
struct ArchivePlayed {
    _folder: TempDir,
    arena: Arena,
    tournament: Tournament,
}

impl ArchivePlayed {
    fn journal(&self) -> Journal {
        self.arena.journal().unwrap()
    }

    /// Plays what remains, until so many matches have landed.
    fn go_on(&self, most: u64) {
        let ArchivePlayed {
            arena, tournament, ..
        } = self;
        let open =
            |bot: &flipside_tournament::Bot| Program::open(arena.bot_path(bot).unwrap()).unwrap();
        let player = |bot: &flipside_tournament::Bot| {
            let own = tournament.settings.bot.of(bot);
            Player::named(bot.label(), open(bot)).with_settings(own)
        };
        let sandbox = Sandbox::new(SandboxSettings::default());
        let mut referee = Referee::new(sandbox).unwrap();
        let journal = &mut self.journal();
        let now = settle_changes(journal, tournament.id).unwrap();
        let game = flipside_games::find(&now.settings.game).unwrap();
        let mut director = now.director().unwrap();
        let mut scheduler = Scheduler::new(&now, &mut *director);
        scheduler.replay(journal).unwrap();
        let mut landed = 0;
        while landed < most {
            let Task { pairing, away } = match scheduler.work(journal).unwrap() {
                Work::Play(task) => task,
                Work::Tell => {
                    let news = scheduler.news().into_iter();
                    let forfeited = news.filter(|it| matches!(it, SchedulerEvent::Forfeited(_)));
                    landed += forfeited.count() as u64;
                    continue;
                }
                Work::Wait => break,
            };
            let seated = pairing
                .seats
                .iter()
                .map(|&entrant| player(&now.entrants[entrant]));
            let mut players: Vec<Player> = seated.collect();
            for (seat, why) in away {
                players[seat] = players[seat].clone().away(&why);
            }
            let the_match = Match {
                id: match_id(&now.name, pairing.index),
                game,
                options: now.settings.options.clone(),
                clock: now.settings.clock,
                seed: now.settings.match_seed(&pairing),
                players,
                opening_plies: now.settings.opening_plies,
                patience: now.settings.provider_patience,
            };
            let played = referee.play(&the_match).unwrap();
            let finished = FinishedMatch::played(&now, &pairing, (unix_ms(), 1_000), played);
            landed += u64::from(scheduler.played(journal, &finished).unwrap());
        }
        if scheduler.is_over() {
            let (_, total) = scheduler.progress();
            journal.forget_from(now.id, total.most()).unwrap();
        }
        journal.settle().unwrap();
    }

    /// The tournament as an archive.
    fn archive(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut steps = 0;
        let step = |done, all| {
            steps += 1;
            assert!(done == steps && done <= all);
        };
        write(
            (&self.journal(), Path::new("")),
            &self.tournament,
            None,
            TWO,
            &mut bytes,
            step,
        )
        .unwrap();
        for threads in [1, 5] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let mut others = Vec::new();
            let journal = self.journal();
            write(
                (&journal, Path::new("")),
                &self.tournament,
                None,
                threads,
                &mut others,
                |_, _| {},
            )
            .unwrap();
            assert!(
                others == bytes,
                "on {threads} threads the archive is another one"
            );
        }
        bytes
    }
}

fn new_arena() -> (TempDir, Arena) {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    (folder, arena)
}

/// Plays a tournament of three bots that choose differently, and one that traps.
fn played(settings: &Settings, title: &str) -> ArchivePlayed {
    played_until(settings, title, u64::MAX)
}

/// The same, until so many matches have landed.
fn played_until(settings: &Settings, title: &str, most: u64) -> ArchivePlayed {
    let first = include_str!("../../../sample-bots/wat/first.wat");
    let instant = include_str!("../../../sample-bots/wat/instant.wat");
    let again = format!("{instant}\n;; another one\n");
    let bots = [
        ("first", first),
        ("instant", instant),
        ("again", &again),
        ("traps", TRAPS),
    ];
    let two = matches!(settings.format, Format::Sprt(_));
    played_by_until(settings, title, &bots[..if two { 2 } else { 4 }], most)
}

fn played_by(settings: &Settings, title: &str, bots: &[(&str, &str)]) -> ArchivePlayed {
    played_by_until(settings, title, bots, u64::MAX)
}

fn played_by_until(
    settings: &Settings,
    title: &str,
    bots: &[(&str, &str)],
    most: u64,
) -> ArchivePlayed {
    let (folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    let mut ids: Vec<BotId> = Vec::new();
    for (title, text) in bots {
        ids.push(enter(&arena, &mut journal, title, text));
    }
    let begun = journal.begin(&name(title), settings, &ids, 1_700_000_000_123);
    let played = ArchivePlayed {
        _folder: folder,
        arena,
        tournament: begun.unwrap().tournament,
    };
    played.go_on(most);
    played
}

/// A bot with its file in an arena.
fn enter(arena: &Arena, journal: &mut Journal, title: &str, text: &str) -> BotId {
    let folder = arena.path().parent().unwrap();
    let file = folder.join(title).with_extension("wat");
    std::fs::write(&file, text).unwrap();
    let kept = arena.keep(&file).unwrap();
    journal.add_bot(&name(title), &kept, 1).unwrap().bot.id
}

fn brief(format: Format, rounds: u32) -> Settings {
    let game = flipside_games::find("flipflop-3x3").unwrap();
    Settings {
        game: "flipflop-3x3".into(),
        options: game.set_up("{}", 2).unwrap().options,
        salt: SALT.parse().unwrap(),
        // Here, not by the command, there is no jail.
        trust: true,
        format,
        pause_after: 2,
        ..settings(rounds)
    }
}

fn formats() -> Vec<Settings> {
    let seeding = Seeding::Entry;
    let sprt = Sprt::new(0.0, 200.0, 0.05, 0.05, Model::Logistic).unwrap();
    vec![
        brief(Format::RoundRobin, 2),
        brief(Format::Gauntlet(Gauntlet { challengers: 1 }), 2),
        brief(Format::Swiss(Swiss { seeding }), 3),
        brief(
            Format::Knockout(Knockout {
                best_of: 1,
                tie_breaks: 1,
                third_place: true,
                seeding,
            }),
            1,
        ),
        brief(
            Format::DoubleElimination(DoubleElimination {
                best_of: 1,
                tie_breaks: 1,
                seeding,
            }),
            1,
        ),
        brief(
            Format::Ladder(Ladder {
                matches: (4 * MIN_BATCH as u64).min(MAX_LADDER_MATCHES),
            }),
            1,
        ),
        brief(Format::Sprt(sprt), 5),
    ]
}

/// All matches, without what only one arena has.
fn matches(journal: &Journal) -> Vec<MatchRow> {
    let all = MatchFilter {
        limit: usize::MAX >> 1,
        ..MatchFilter::default()
    };
    let mut rows = journal.matches(&all).unwrap();
    for row in &mut rows {
        row.elsewhere = false;
    }
    rows
}

fn standings(journal: &Journal, tournament: &str) -> String {
    let tournament = journal.tournament(tournament).unwrap();
    let mut standings = table(journal, &tournament).unwrap();
    standings.imports.clear();
    serde_json::to_string(&standings).unwrap()
}

/// Takes an archive in, as the command does.
fn take(journal: &mut Journal, archive: &[u8], names: &Names) -> Result<Imported, ArchiveError> {
    let checked = check(archive, TWO, |_, _| {});
    for threads in [1, 5] {
        let others = check(archive, NonZeroUsize::new(threads).unwrap(), |_, _| {});
        assert_eq!(format!("{others:?}"), format!("{checked:?}"), "{threads}");
    }
    let checked = checked?;
    let hash = Sha256::digest(archive).into();
    import(
        journal,
        (archive, hash),
        &checked,
        names,
        TWO,
        || true,
        |_, _| {},
    )
}

/// Takes an archive in that was checked, under its own names and while there is room.
fn import_while(
    journal: &mut Journal,
    archive: &[u8],
    checked: &CheckedArchive,
    room: impl Fn() -> bool,
) -> Result<Imported, ArchiveError> {
    let names = Names::default();
    import(
        journal,
        (archive, [1; 32]),
        checked,
        &names,
        TWO,
        room,
        |_, _| {},
    )
}

#[test]
fn what_counted_there_counts_here_whatever_the_format() {
    for settings in formats() {
        let there = played(&settings, "evening");
        let archive = there.archive();
        let checked = check(&archive[..], TWO, |_, _| {}).unwrap();
        let rows = matches(&there.journal());
        assert_eq!(checked.head.matches, rows.len() as u64, "{settings:?}");
        let forfeits = rows.iter().filter(|row| row.reason == FORFEIT).count();
        assert_eq!(checked.records, (rows.len() - forfeits) as u64);
        assert!(forfeits > 0 || rows.len() < 12);

        let (_folder, arena) = new_arena();
        let mut journal = arena.journal().unwrap();
        let imported = take(&mut journal, &archive, &Names::default()).unwrap();
        assert_eq!((imported.new, imported.known), (rows.len() as u64, 0));
        assert_eq!(matches(&journal), rows);
        assert_eq!(
            standings(&journal, "evening"),
            standings(&there.journal(), "evening")
        );
        let rated = |journal: &Journal| {
            let rated = ratings(journal, "flipflop-3x3").unwrap().rows;
            let imported: Vec<_> = rated.iter().map(|row| row.imported).collect();
            let games: Vec<_> = rated.iter().map(|row| row.games).collect();
            let row = |row| RatingRow { imported: 0, ..row };
            let rows: Vec<_> = rated.into_iter().map(row).collect();
            (serde_json::to_string(&rows).unwrap(), games, imported)
        };
        let (here, games, imported_games) = rated(&journal);
        let (own, _, none) = rated(&there.journal());
        assert_eq!(here, own);
        assert_eq!(imported_games, games);
        assert!(none.iter().all(|&imported| imported == 0));
        let imports = journal.imports(imported.tournament.id).unwrap();
        assert_eq!(imports.len(), 1);
        assert_eq!(imports[0].matches, rows.len() as u64);

        // Once more: nothing is new, and what goes on to a third arena are the same bytes.
        let again = take(&mut journal, &archive, &Names::default()).unwrap();
        assert_eq!((again.new, again.known), (0, rows.len() as u64));
        let mut on = Vec::new();
        write(
            (&journal, Path::new("")),
            &imported.tournament,
            None,
            TWO,
            &mut on,
            |_, _| {},
        )
        .unwrap();
        assert_eq!(on, archive);
    }
}

#[test]
fn what_was_played_since_is_added() {
    // More than two workers have ahead when the tournament is stopped, however late that is noticed.
    let settings = brief(Format::RoundRobin, 100);
    let there = played(&settings, "evening");
    let early = played_until(&settings, "evening", 11);
    let early_there = matches(&early.journal()).len() as u64;
    assert!((11..1_200).contains(&early_there));
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    // The bots are the same at the same seed, so what was played in both went the same way.
    let first = take(&mut journal, &early.archive(), &Names::default()).unwrap();
    assert!(first.new >= 9 && first.new <= early_there, "{first:?}");
    let whole = there.archive();
    match take(&mut journal, &whole, &Names::default()) {
        // Records have the times in them, which are never the same twice.
        Err(ArchiveError::Arena(Error::PlayedHere { index: 0, same: 0 })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(matches(&journal).len() as u64, first.new);

    // From one arena, an early and a late archive do fit.
    let mut rest = played_until(&settings, "evening", 11);
    let early = rest.archive();
    rest.go_on(u64::MAX);
    let own = rest.journal();
    rest.tournament = own.tournament("evening").unwrap();
    let names = Names {
        tournament: Some(name("other")),
        origin: None,
    };
    let first = take(&mut journal, &early, &names).unwrap();
    let second = take(&mut journal, &rest.archive(), &names).unwrap();
    assert_eq!(second.known, first.new);
    assert_eq!(second.new, matches(&own).len() as u64 - first.new);
    assert_eq!(journal.imports(second.tournament.id).unwrap().len(), 2);
}

#[test]
fn a_gap_ends_an_archive() {
    let settings = brief(Format::RoundRobin, 2);
    let there = played(&settings, "evening");
    there
        .journal()
        .supersede(there.tournament.id, 5, None)
        .unwrap();
    let mut bytes = Vec::new();
    let written = write(
        (&there.journal(), Path::new("")),
        &there.tournament,
        None,
        TWO,
        &mut bytes,
        |_, _| {},
    )
    .unwrap();
    let all = matches(&there.journal()).len() as u64;
    assert_eq!((written.matches, written.beyond), (5, all - 5));
    assert_eq!(check(&bytes[..], TWO, |_, _| {}).unwrap().head.matches, 5);
}

#[test]
fn names_that_are_taken_here_are_kept_apart() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let archive = there.archive();
    let (folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    // Another bot of that name, whose file is here.
    let file = folder.path().join("first.wat");
    std::fs::write(&file, TRAPS).unwrap();
    let mine = journal
        .add_bot(&name("first"), &arena.keep(&file).unwrap(), 1)
        .unwrap();
    match take(&mut journal, &archive, &Names::default()) {
        Err(ArchiveError::Arena(Error::OtherBot { name })) if name == "first" => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(journal.bots().unwrap(), [mine.bot]);
    assert!(journal.tournaments().unwrap().is_empty());

    let names = Names {
        origin: Some(name("club")),
        tournament: Some(name("their-evening")),
    };
    let imported = take(&mut journal, &archive, &names).unwrap();
    let labels: Vec<String> = imported
        .tournament
        .entrants
        .iter()
        .map(flipside_tournament::Bot::label)
        .collect();
    assert_eq!(
        labels,
        [
            "club.first@1",
            "club.instant@1",
            "club.again@1",
            "club.traps@1"
        ]
    );
    assert!(
        imported
            .tournament
            .entrants
            .iter()
            .all(|bot| !bot.is_here())
    );
    let row = journal.match_row("their-evening-0").unwrap();
    assert!(row.elsewhere && row.seats.iter().any(|seat| seat.bot.starts_with("club.")));
    // It goes on to others under the names that it has here.
    let mut on = Vec::new();
    write(
        (&journal, Path::new("")),
        &imported.tournament,
        None,
        TWO,
        &mut on,
        |_, _| {},
    )
    .unwrap();
    let head = check(&on[..], TWO, |_, _| {}).unwrap().head;
    assert_eq!(head.tournament, name("their-evening"));

    // A tournament of that name that is another one is not mixed with it.
    let other = played(&brief(Format::RoundRobin, 2), "evening");
    let names = Names {
        origin: Some(name("club")),
        tournament: Some(name("their-evening")),
    };
    match take(&mut journal, &other.archive(), &names) {
        Err(ArchiveError::Arena(Error::OtherSettings { .. })) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bot_whose_file_comes_later_is_the_same_bot() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let (folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    take(&mut journal, &there.archive(), &Names::default()).unwrap();
    let file = folder.path().join("traps.wat");
    std::fs::write(&file, TRAPS).unwrap();
    let kept = arena.keep(&file).unwrap();
    let before = journal.bots().unwrap().len();
    let added = journal.add_bot(&name("traps"), &kept, 9).unwrap();
    assert!(added.new && added.bot.is_here());
    assert_eq!(
        (added.bot.label(), journal.bots().unwrap().len()),
        ("traps@1".into(), before)
    );
    let again = journal.add_bot(&name("traps"), &kept, 9).unwrap();
    assert!(!again.new && again.bot == added.bot);
}

#[test]
fn what_has_no_more_room_goes_on_later() {
    // More than one batch.
    let settings = brief(Format::RoundRobin, 30);
    let there = played(&settings, "evening");
    let archive = there.archive();
    let all = matches(&there.journal()).len();
    assert!(all > BATCH + 10, "{all}");
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    let checked = check(&archive[..], TWO, |_, _| {}).unwrap();
    let asked = std::cell::Cell::new(0);
    let room = || {
        asked.set(asked.get() + 1);
        asked.get() < 2
    };
    let stopped = import_while(&mut journal, &archive, &checked, room);
    assert!(matches!(stopped, Err(ArchiveError::NoRoom)), "{stopped:?}");
    assert_eq!(matches(&journal).len(), BATCH);
    let rest = import_while(&mut journal, &archive, &checked, || true);
    let rest = rest.unwrap();
    assert_eq!((rest.known, rest.new), (BATCH as u64, (all - BATCH) as u64));
    assert_eq!(
        standings(&journal, "evening"),
        standings(&there.journal(), "evening")
    );
}

#[test]
fn an_archive_that_leaves_out_without_end_is_refused_in_time() {
    // Both trap, and are paused after their first match: of a million rounds nothing is left.
    let settings = Settings {
        pause_after: 1,
        ..brief(Format::RoundRobin, 2)
    };
    let there = played_by(
        &settings,
        "evening",
        &[("one", TRAPS), ("other", &format!("{TRAPS};;"))],
    );
    let mut files = unpack(&there.archive());
    replace(
        &mut files,
        "archive.json",
        "\"rounds\": 2",
        "\"rounds\": 1000000",
    );
    let whole = check(&pack(&files)[..], TWO, |_, _| {}).unwrap();
    let matches = whole.head.matches;
    let (from, to) = (
        format!("\"matches\": {matches}"),
        format!("\"matches\": {}", matches + 1),
    );
    replace(&mut files, "archive.json", &from, &to);
    let (_, results) = files
        .iter_mut()
        .find(|(path, _)| path.contains("/results/"))
        .unwrap();
    let last = results.lines().last().unwrap().to_owned() + "\n";
    results.push_str(&last);
    let (path, record) = files.last().unwrap().clone();
    files.push((path, record));
    let error = check(&pack(&files)[..], TWO, |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("over before it"), "{error}");
}

#[test]
fn an_import_that_is_not_finished_says_so() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let archive = there.archive();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    let checked = check(&archive[..], TWO, |_, _| {}).unwrap();
    let none = import_while(&mut journal, &archive, &checked, || false);
    assert!(matches!(none, Err(ArchiveError::NoRoom)), "{none:?}");
    let evening = journal.tournament("evening").unwrap();
    let imports = |journal: &Journal| journal.imports(evening.id).unwrap();
    assert!(matches!(&imports(&journal)[..], [one] if !one.finished && one.matches == 0));
    import_while(&mut journal, &archive, &checked, || true).unwrap();
    assert!(matches!(&imports(&journal)[..], [one] if one.finished && one.matches > 0));
}

/// Takes an archive in until so many batches have landed, or all.
fn take_batches(journal: &mut Journal, archive: &[u8], most: usize) {
    let asked = std::cell::Cell::new(0);
    let room = || {
        asked.set(asked.get() + 1);
        asked.get() <= most
    };
    let checked = check(archive, TWO, |_, _| {}).unwrap();
    let hash = Sha256::digest(archive).into();
    let names = Names::default();
    let imported = import(
        journal,
        (archive, hash),
        &checked,
        &names,
        TWO,
        room,
        |_, _| {},
    );
    assert_eq!(imported.is_ok(), most == usize::MAX, "{imported:?}");
}

/// Two archives of one tournament that has more than one batch of matches: one as it was before its end, and all.
fn early_and_whole() -> (ArchivePlayed, Vec<u8>, Vec<u8>) {
    let there = played(&brief(Format::RoundRobin, 30), "evening");
    let whole = there.archive();
    let mut journal = there.journal();
    journal.supersede(there.tournament.id, 300, None).unwrap();
    let early = there.archive();
    drop(journal);
    let matches = |archive: &[u8]| check(archive, TWO, |_, _| {}).unwrap().head.matches;
    assert_eq!(matches(&early), 300);
    assert!(matches(&whole) > 300);
    (there, early, whole)
}

/// Whether nothing is missing, of each archive of a tournament.
fn finished(journal: &Journal, of: &flipside_tournament::Tournament) -> Vec<bool> {
    let all = journal.imports(of.id).unwrap();
    all.iter().map(|import| import.finished).collect()
}

#[test]
fn what_is_missing_of_an_archive_is_not_in_one_that_is_smaller() {
    let (_there, early, whole) = early_and_whole();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    take_batches(&mut journal, &whole, 1);
    let evening = journal.tournament("evening").unwrap();
    // The matches that are there, and some more, but not all of the one that was broken off.
    take_batches(&mut journal, &early, usize::MAX);
    let finished = |journal: &Journal| finished(journal, &evening);
    assert_eq!(finished(&journal), [false, true]);
    take_batches(&mut journal, &whole, usize::MAX);
    assert_eq!(finished(&journal), [true, true]);
}

#[test]
fn nothing_is_missing_once_a_later_archive_has_brought_it() {
    let (_there, early, whole) = early_and_whole();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    take_batches(&mut journal, &early, 1);
    let evening = journal.tournament("evening").unwrap();
    let finished = |journal: &Journal| finished(journal, &evening);
    let shown = |journal: &Journal| -> Vec<(u64, bool)> {
        let all = table(journal, &evening).unwrap().imports;
        all.iter().map(|one| (one.matches, one.finished)).collect()
    };
    assert_eq!(shown(&journal), [(BATCH as u64, false)]);
    // Broken off as well, it has brought no more.
    take_batches(&mut journal, &whole, 1);
    assert_eq!(finished(&journal), [false, false]);
    take_batches(&mut journal, &whole, usize::MAX);
    assert_eq!(finished(&journal), [true, true]);
    let all = matches(&journal).len();
    assert_eq!(
        shown(&journal),
        [(BATCH as u64, true), ((all - BATCH) as u64, true)]
    );
    take_batches(&mut journal, &early, usize::MAX);
    assert_eq!(matches(&journal).len(), all);
}

#[test]
fn an_import_that_was_broken_off_is_not_asked_for_once_the_tournament_has_gone_on() {
    let (_there, early, whole) = early_and_whole();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    take_batches(&mut journal, &early, 1);
    let evening = journal.tournament("evening").unwrap();
    let (taken_in, _) = check_one(&whole);
    let mut finished = here(taken_in, &evening);
    finished.scored.pairing.index = BATCH as u64;
    finished.id = flipside_tournament::match_id(&evening.name, BATCH as u64);
    finished.started_at = crate::journal::unix_ms();
    finished.record = Some(crate::journal::packed::PackedRecord::pack("another record"));
    journal.land(&finished).unwrap();
    let imports = journal.imports(evening.id).unwrap();
    assert!(
        matches!(&imports[..], [one] if one.finished && one.matches == BATCH as u64),
        "{imports:?}"
    );
    // The rest does not fit any more. Under another name, the first batch would count twice.
    match take(&mut journal, &early, &Names::default()) {
        Err(ArchiveError::Arena(error @ Error::PlayedHere { same: 1.., .. })) => {
            let hint = error.hint().unwrap();
            assert!(
                hint.contains("--arena") && !hint.contains("--name"),
                "{hint}"
            );
        }
        other => panic!("{other:?}"),
    }
    let (_folder, another) = new_arena();
    let mut another = another.journal().unwrap();
    take(&mut another, &early, &Names::default()).unwrap();
}

/// The first match of an archive.
fn check_one(archive: &[u8]) -> (ImportedMatch, u64) {
    let checked = check(archive, TWO, |_, _| {}).unwrap();
    let mut first = None;
    read_again(archive, &checked, TWO, |batch| {
        first = first.take().or(batch.into_iter().next());
        Ok(())
    })
    .unwrap();
    (first.unwrap(), checked.head.matches)
}

#[test]
fn no_match_is_taken_in_twice_under_two_names() {
    let there = played(&brief(Format::RoundRobin, 2), "evening");
    let archive = there.archive();
    let (_folder, arena) = new_arena();
    let mut other = arena.journal().unwrap();
    take(&mut other, &archive, &Names::default()).unwrap();
    let as_another = |origin: Option<&str>| Names {
        tournament: Some(name("another")),
        origin: origin.map(name),
    };
    // In the arena that played it, too, and whatever its bots are called.
    for journal in [&mut other, &mut there.journal()] {
        let state = |journal: &Journal| {
            let rated = ratings(journal, "flipflop-3x3").unwrap();
            let rated = serde_json::to_string(&rated.rows).unwrap();
            let bots = journal.bots().unwrap();
            let tournaments = journal.tournaments().unwrap();
            (rated, bots, tournaments, matches(journal))
        };
        let before = state(journal);
        let played = before.3.iter().filter(|row| row.reason != FORFEIT).count() as u64;
        for origin in [None, Some("club")] {
            match take(journal, &archive, &as_another(origin)) {
                Err(ArchiveError::Arena(
                    ref error @ Error::CountedAlready {
                        ref tournament,
                        matches,
                        of,
                    },
                )) => {
                    assert_eq!(tournament, "evening");
                    assert_eq!((matches, of), (played, before.3.len() as u64));
                    assert!(error.hint().unwrap().contains("--name evening"));
                }
                other => panic!("{other:?}"),
            }
            assert!(state(journal) == before);
        }
    }
    // One that was played anew is another, though it has the same settings.
    let anew = played(&brief(Format::RoundRobin, 2), "evening");
    take(&mut other, &anew.archive(), &as_another(None)).unwrap();
}

#[test]
fn voids_come_along_once() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let mut own = there.journal();
    for at in [5, 5, 7] {
        own.void(there.tournament.id, 1, "the host slept", at)
            .unwrap();
    }
    // Of a match that is not in the archive, nothing is told.
    own.void(there.tournament.id, 1_000, "the host slept", 9)
        .unwrap();
    let archive = there.archive();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    for _ in 0..2 {
        let imported = take(&mut journal, &archive, &Names::default()).unwrap();
        let voids = journal.voids(imported.tournament.id).unwrap();
        let at: Vec<u64> = voids.iter().map(|void| void.at).collect();
        assert_eq!(at, [5, 5, 7]);
        assert!(
            voids
                .iter()
                .all(|void| void.index == 1 && void.reason == "the host slept")
        );
    }
}

#[test]
fn what_nobody_played_makes_no_archive() {
    let there = played_until(&brief(Format::RoundRobin, 1), "evening", 0);
    let mut bytes = Vec::new();
    match write(
        (&there.journal(), Path::new("")),
        &there.tournament,
        None,
        TWO,
        &mut bytes,
        |_, _| {},
    ) {
        Err(Error::NothingPlayed { tournament }) if tournament == "evening" => {}
        other => panic!("{other:?}"),
    }
    assert!(bytes.is_empty());
}

#[test]
fn an_archive_that_changes_while_it_is_read_is_not_taken_in() {
    let one = played(&brief(Format::RoundRobin, 1), "evening");
    let other = played(&brief(Format::RoundRobin, 1), "evening");
    let checked = check(&one.archive()[..], TWO, |_, _| {}).unwrap();
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    let other = other.archive();
    let changed = import_while(&mut journal, &other, &checked, || true);
    assert!(matches!(changed, Err(ArchiveError::Changed)), "{changed:?}");
    assert!(matches(&journal).is_empty());
}

// --- Archives that somebody made to deceive.

/// The files of an archive.
type ArchiveUnpacked = Vec<(String, String)>;

fn unpack(archive: &[u8]) -> ArchiveUnpacked {
    let mut tar = tar::Archive::new(zstd::Decoder::new(archive).unwrap());
    let file = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), text)
    };
    tar.entries().unwrap().map(file).collect()
}

fn pack(files: &ArchiveUnpacked) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_path(path).unwrap();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

/// A record with its closing hash put right.
fn closed(text: &str) -> String {
    let body: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("\"type\":\"end\""))
        .collect();
    let body = body.join("\n") + "\n";
    let hash = hex::encode(Sha256::digest(&body));
    format!("{body}{{\"type\":\"end\",\"sha256\":\"{hash}\"}}\n")
}

/// Changes the record of a match, and makes its hash and its result fit as well as a liar can.
fn change_record(files: &mut ArchiveUnpacked, id: &str, change: impl Fn(&str) -> String) {
    let at = files
        .iter()
        .position(|(path, _)| path.ends_with(&format!("/{id}.jsonl")))
        .unwrap();
    let before = hex::encode(Sha256::digest(&files[at].1));
    let text = closed(&change(&files[at].1));
    assert_ne!(text, files[at].1, "nothing was changed");
    let after = hex::encode(Sha256::digest(&text));
    files[at].1 = text;
    for (path, text) in files.iter_mut() {
        if path.contains("/results/") {
            *text = text.replace(&before, &after);
        }
    }
}

fn replace(files: &mut ArchiveUnpacked, file: &str, from: &str, to: &str) {
    let (_, text) = files
        .iter_mut()
        .find(|(path, _)| path.ends_with(file))
        .unwrap();
    assert!(text.contains(from), "{text}");
    *text = text.replacen(from, to, 1);
}

/// A change in the text of one file.
fn change<'a>(
    file: &'a str,
    from: &'a str,
    to: impl Into<String>,
) -> Box<dyn Fn(&mut ArchiveUnpacked) + 'a> {
    let to = to.into();
    Box::new(move |files| replace(files, file, from, &to))
}

#[test]
fn an_archive_that_was_tampered_with_is_refused_and_nothing_of_it_counts() {
    let there = played(&brief(Format::RoundRobin, 2), "evening");
    let archive = there.archive();
    let files = unpack(&archive);
    assert!(
        check(&pack(&files)[..], TWO, |_, _| {}).is_ok(),
        "as it was"
    );
    let row = matches(&there.journal()).pop().unwrap();
    assert_eq!(row.id, "evening-0");
    let results = "/results/000000.jsonl";
    let record = |id: &str| {
        files
            .iter()
            .find(|(path, _)| path.contains(id))
            .unwrap()
            .1
            .clone()
    };
    let at = |files: &ArchiveUnpacked, end: &str| {
        files
            .iter()
            .position(|(path, _)| path.ends_with(end))
            .unwrap()
    };
    let duration = format!("\"duration_us\":{}", row.duration_us);
    type Deceit<'a> = (&'a str, Box<dyn Fn(&mut ArchiveUnpacked) + 'a>, &'a str);
    let deceits: Vec<Deceit<'_>> = vec![
        (
            "nothing",
            Box::new(|files| files.clear()),
            "there is nothing in it",
        ),
        (
            "no head",
            Box::new(|files| drop(files.remove(0))),
            "its first file is",
        ),
        (
            "another head",
            Box::new(|files| files[0].0 = "morning/archive.json".into()),
            "of the tournament evening",
        ),
        (
            "in a folder that is no name",
            Box::new(|files| files[0].0 = "a folder/archive.json".into()),
            "its first file is",
        ),
        (
            "another format",
            Box::new(|files| replace(files, "archive.json", "\"format\": 1", "\"format\": 3")),
            "the archive has format 3, and this flipside reads format 1",
        ),
        (
            "a signature that is not there",
            change(
                "archive.json",
                "\"matches\"",
                "\"signed\": true, \"matches\"",
            ),
            "evening/signature.json is missing",
        ),
        (
            "unknown settings",
            Box::new(|files| replace(files, "archive.json", "\"seed\"", "\"sead\"")),
            "sead",
        ),
        (
            "another seed",
            Box::new(|files| replace(files, "archive.json", "\"seed\": 7", "\"seed\": 8")),
            "another seed",
        ),
        (
            "another game",
            change(
                "archive.json",
                "\"game\": \"flipflop-3x3\"",
                "\"game\": \"flipflop-5x5\"",
            ),
            "another game than",
        ),
        (
            "no game",
            Box::new(|files| replace(files, "archive.json", "flipflop-3x3", "chess")),
            "not known here",
        ),
        (
            "another clock",
            Box::new(|files| replace(files, "archive.json", "move=1s", "move=2s")),
            "another clock",
        ),
        (
            "a jail",
            Box::new(|files| replace(files, "archive.json", "\"trust\": true", "\"trust\": false")),
            "another isolation",
        ),
        (
            "an opening",
            change(
                "archive.json",
                "\"seed\": 7",
                "\"seed\": 7, \"opening_plies\": 2",
            ),
            "another opening",
        ),
        (
            "a later pause",
            change("archive.json", "\"pause_after\": 2", "\"pause_after\": 3"),
            "no record, and nobody forfeits",
        ),
        (
            "no pause",
            change("archive.json", "\"pause_after\": 2", "\"pause_after\": 0"),
            "no record, and nobody forfeits",
        ),
        (
            "another bot",
            change(
                "archive.json",
                &there.tournament.entrants[0].sha256,
                "0".repeat(64),
            ),
            "of other bots",
        ),
        (
            "no hash",
            change(
                "archive.json",
                &there.tournament.entrants[0].sha256,
                "G".repeat(64),
            ),
            "no such file",
        ),
        (
            "a bot twice",
            Box::new(|files| replace(files, "archive.json", "\"again\"", "\"first\"")),
            "twice",
        ),
        (
            "a huge size",
            Box::new(|files| replace(files, "archive.json", "\"matches\": ", "\"matches\": 1")),
            "cut off",
        ),
        (
            "fewer matches",
            Box::new(|files| replace(files, "archive.json", "\"matches\": 24", "\"matches\": 23")),
            "as are due",
        ),
        (
            "no result lines",
            Box::new(|files| {
                let at = at(files, results);
                files[at].1.clear();
            }),
            "as are due",
        ),
        (
            "no voids",
            Box::new(|files| drop(files.remove(1))),
            "voids.jsonl is due here",
        ),
        (
            "a void nowhere",
            Box::new(|files| {
                files[1].1 = "{\"index\":18446744073709551615,\"reason\":\"\",\"at\":0}\n".into();
            }),
            "cannot have been void",
        ),
        (
            "voids without end",
            Box::new(|files| {
                files[1].1 = "{\"index\":0,\"reason\":\"\",\"at\":0}\n".repeat(MAX_VOIDS + 1);
            }),
            "cannot have been void",
        ),
        (
            "more voids than there can be",
            Box::new(|files| {
                files[1].1 = "{\"index\":0,\"reason\":\"\",\"at\":0}\n".repeat(25 * MAX_VOIDS);
            }),
            "has more than",
        ),
        (
            "the last of all versions",
            change("archive.json", "\"version\": 1", "\"version\": 4294967295"),
            "not a version",
        ),
        (
            "rounds without end",
            change("archive.json", "\"rounds\": 2", "\"rounds\": 4294967295"),
            "rounds: 1 to",
        ),
        (
            "no rounds",
            change("archive.json", "\"rounds\": 2", "\"rounds\": 0"),
            "rounds: 1 to",
        ),
        (
            "no matches",
            change("archive.json", "\"matches\": 24", "\"matches\": 0"),
            "no match in it",
        ),
        (
            "a match of a hundred years",
            change(results, &duration, "\"duration_us\":3155760000000000"),
            "no such time",
        ),
        (
            "a record less",
            Box::new(|files| {
                let at = at(files, "/evening-1.jsonl");
                files.remove(at);
            }),
            "is due here",
        ),
        (
            "the last record less",
            Box::new(|files| drop(files.pop())),
            "is missing",
        ),
        (
            "a record more",
            Box::new(|files| {
                files.push((
                    "evening/records/evening-99.jsonl".into(),
                    record("evening-1."),
                ));
            }),
            "nothing may follow",
        ),
        (
            "another record",
            Box::new(|files| {
                let at = at(files, "/evening-0.jsonl");
                files[at].1 = record("/evening-2.");
            }),
            "hash",
        ),
        (
            "the points turned",
            Box::new(|files| {
                let (from, to) = (
                    format!("\"points\":{}", row.seats[0].result.points),
                    "\"points\":7",
                );
                replace(files, results, &from, to);
            }),
            "not what its record says",
        ),
        (
            "another bot's result",
            Box::new(|files| replace(files, results, &row.seats[0].bot, "again@1")),
            "not what its record says",
        ),
        (
            "a result at no time",
            Box::new(|files| {
                replace(
                    files,
                    results,
                    &format!("\"started_at\":{}", row.started_at),
                    "\"started_at\":18446744073709551615",
                );
            }),
            "no such time",
        ),
        (
            "a forfeit that was none",
            Box::new(|files| {
                let hash = hex::encode(Sha256::digest(record("/evening-0.")));
                replace(files, results, &format!(",\"record\":\"{hash}\""), "");
                let at = at(files, "/evening-0.jsonl");
                files.remove(at);
            }),
            "no record, and nobody forfeits",
        ),
        (
            "a record with another result",
            Box::new(|files| {
                change_record(files, "evening-0", |text| {
                    text.replacen("\"places\":[", "\"places\":[9,", 1)
                });
            }),
            "the rules give",
        ),
        (
            "a record with another seat",
            Box::new(|files| {
                change_record(files, "evening-0", |text| {
                    text.replacen("\"seat\":1", "\"seat\":77", 1)
                });
            }),
            "the record of match evening-0",
        ),
        (
            "a record of long times",
            Box::new(|files| {
                change_record(files, "evening-0", |text| {
                    text.replacen("\"us\":", "\"us\":18446744073709551615", 1)
                });
            }),
            "the record of match evening-0",
        ),
        (
            "another match's true record",
            Box::new(|files| {
                let other = record("/evening-2.");
                change_record(files, "evening-0", |_| other.clone());
            }),
            "its record has another",
        ),
        (
            "another match's record with its number",
            Box::new(|files| {
                let other = record("/evening-2.").replacen(
                    "\"id\":\"evening-2\"",
                    "\"id\":\"evening-0\"",
                    1,
                );
                change_record(files, "evening-0", |_| other.clone());
            }),
            "its record has another seed",
        ),
    ];
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    for (what, deceive, told) in deceits {
        let mut files = files.clone();
        deceive(&mut files);
        let error = take(&mut journal, &pack(&files), &Names::default()).expect_err(what);
        assert!(error.to_string().contains(told), "{what}: {error}");
        assert!(error.hint().is_some(), "{what}: {error}");
        assert!(journal.bots().unwrap().is_empty(), "{what}");
        assert!(journal.tournaments().unwrap().is_empty(), "{what}");
    }
}

#[test]
fn the_chance_of_an_archive_is_that_of_its_seed_and_salt() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let archive = there.archive();
    check(&archive[..], TWO, |_, _| {}).unwrap();
    let files = unpack(&archive);
    let (salt, without) = (format!("\"salt\": \"{SALT}\","), String::new());
    let other = salt.replace("0011", "1100");
    let salt_of = |files: &mut ArchiveUnpacked, is: &str| replace(files, "archive.json", &salt, is);
    let seed_of = |files: &mut ArchiveUnpacked, _: &str| {
        replace(files, "archive.json", "\"seed\": 7", "\"seed\": 8");
    };
    let number_of = |files: &mut ArchiveUnpacked, _: &str| {
        change_record(files, "evening-0", |line| {
            line.replace("\"number\":0,", "\"number\":1,")
        });
    };
    let told = |change: &dyn Fn(&mut ArchiveUnpacked, &str), is: &str| {
        let mut files = files.clone();
        change(&mut files, is);
        check(&pack(&files)[..], TWO, |_, _| {})
            .unwrap_err()
            .to_string()
    };
    for (told, words) in [
        (told(&salt_of, &other), "its record has another seed"),
        (told(&salt_of, &without), "missing field `salt`"),
        (told(&seed_of, ""), "its record has another seed"),
        (told(&number_of, ""), "not the one that was committed to"),
    ] {
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn an_archive_of_another_program_is_refused_in_one_line() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let files = unpack(&there.archive());
    for (file, from, to, told) in [
        (
            "archive.json",
            "\"settings\": {",
            "\"settings\": {\n    \"skip_absent\": true,",
            "evening/archive.json is not as this flipside writes it: unknown field `skip_absent`",
        ),
        (
            "results/000000.jsonl",
            "{\"id\":",
            "{\"by\":0,\"id\":",
            "evening/results/000000.jsonl is not as this flipside writes it: line 1: unknown field `by`",
        ),
    ] {
        let mut files = files.clone();
        replace(&mut files, file, from, to);
        let error = check(&pack(&files)[..], TWO, |_, _| {}).unwrap_err();
        assert_eq!(error.to_string(), told);
        assert_eq!(error.hint().unwrap(), "use the flipside that wrote it");
    }
}

#[test]
fn files_that_are_no_archives_are_refused() {
    let there = played(&brief(Format::RoundRobin, 1), "evening");
    let archive = there.archive();
    let plain = pack(&unpack(&archive));
    for bytes in [
        &b""[..],
        b"\x28",
        b"{}",
        &[0; 2048],
        &ZSTD_BOMB[..],
        b"\x28\xb5\x2f\xfd",
    ] {
        let error = check(bytes, TWO, |_, _| {}).unwrap_err();
        assert!(matches!(error, ArchiveError::NotAnArchive(_)), "{error}");
    }
    // Cut anywhere, or with a byte changed, it may be anything, but not taken for whole and another.
    for length in (0..archive.len()).step_by(97) {
        check(&archive[..length], TWO, |_, _| {}).unwrap_err();
    }
    for at in (0..archive.len()).step_by(61) {
        let mut changed = archive.clone();
        changed[at] ^= 0x10;
        if let Ok(checked) = check(&changed[..], TWO, |_, _| {}) {
            let whole = check(&archive[..], TWO, |_, _| {}).unwrap();
            assert_eq!(checked.head, whole.head, "byte {at}");
        }
    }
    for length in (0..plain.len().saturating_sub(1024)).step_by(512) {
        assert!(check(&plain[..length], TWO, |_, _| {}).is_err(), "{length}");
    }
    let endless = std::io::Read::chain(&plain[..], std::io::repeat(0));
    let error = check(endless, TWO, |_, _| {}).unwrap_err();
    assert!(
        error.to_string().contains("follow the last file"),
        "{error}"
    );
}

/// What says that it is zstd, and is not.
const ZSTD_BOMB: [u8; 64] = {
    let mut bytes = [0xff; 64];
    bytes[0] = 0x28;
    bytes[1] = 0xb5;
    bytes[2] = 0x2f;
    bytes[3] = 0xfd;
    bytes
};

#[test]
fn a_file_that_is_not_plain_or_too_long_is_refused() {
    let refused = |change: &dyn Fn(&mut tar::Header)| {
        let mut header = tar::Header::new_ustar();
        header.set_path(Path::new("evening/archive.json")).unwrap();
        header.set_size(0);
        header.set_mode(0o644);
        change(&mut header);
        header.set_cksum();
        let mut tar = tar::Builder::new(Vec::new());
        tar.append(&header, &b""[..]).unwrap();
        let bytes = tar.into_inner().unwrap();
        check(&bytes[..], TWO, |_, _| {}).unwrap_err().to_string()
    };
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Fifo,
        EntryType::GNULongName,
        EntryType::XHeader,
        EntryType::GNUSparse,
    ] {
        let said = refused(&|header| header.set_entry_type(kind));
        assert!(said.contains("not a plain file"), "{kind:?}: {said}");
    }
    let said = refused(&|header| header.set_size(LONGEST_TABLE + 1));
    assert!(said.contains("bytes long"), "{said}");
    let said = refused(&|header| header.set_size(u64::MAX >> 4));
    assert!(
        said.contains("bytes long") || said.contains("not an archive"),
        "{said}"
    );
}

/// Compares a tournament with its records: what was found of matches that are not true. It is the same on any number of
/// threads.
fn audited(journal: &Journal, title: &str) -> (Audited, Vec<Finding>) {
    let tournament = journal.tournament(title).unwrap();
    let on = |threads: NonZeroUsize| {
        let (mut found, mut steps) = (Vec::new(), Vec::new());
        let audited = audit(journal, &tournament, threads, |finding, done, all| {
            assert!(done <= all);
            steps.push((finding.id.clone(), done));
            if !matches!(
                finding.found,
                RecordAudit::True { .. } | RecordAudit::Forfeit
            ) {
                found.push(finding.clone());
            }
            ControlFlow::Continue(())
        });
        (audited.unwrap(), found, steps)
    };
    let (audited, found, steps) = on(TWO);
    for threads in [1, 5] {
        let others = on(NonZeroUsize::new(threads).unwrap());
        assert_eq!(others, (audited, found.clone(), steps.clone()), "{threads}");
    }
    (audited, found)
}

#[test]
fn an_audit_ends_when_nobody_wants_to_hear_more() {
    let there = played(&brief(Format::RoundRobin, 30), "evening");
    let journal = there.journal();
    let rows = matches(&journal).len() as u64;
    for threads in [1, 2, 5] {
        for most in [1, 100] {
            let mut heard = 0;
            let threads = NonZeroUsize::new(threads).unwrap();
            let audited = audit(&journal, &there.tournament, threads, |_, done, all| {
                heard += 1;
                assert_eq!((done, all), (heard, rows));
                match heard < most {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            let audited = audited.unwrap();
            assert_eq!(heard, most);
            assert_eq!(audited.proven + audited.forfeits, most);
        }
    }
}

#[test]
fn what_was_played_is_what_the_records_show_whatever_the_format() {
    for settings in formats() {
        let there = played(&settings, "evening");
        let rows = matches(&there.journal()).len() as u64;
        let (sums, found) = audited(&there.journal(), "evening");
        assert_eq!(found, [], "{settings:?}");
        assert_eq!((sums.wrong, sums.missing, sums.open), (0, 0, 0));
        assert_eq!(sums.proven + sums.forfeits, rows);
        assert_eq!(sums.due, rows + sums.left_out, "{settings:?}");

        // The same where it was taken in, under other names.
        let (_folder, arena) = new_arena();
        let mut journal = arena.journal().unwrap();
        let names = Names {
            tournament: Some(name("there")),
            origin: Some(name("club")),
        };
        take(&mut journal, &there.archive(), &names).unwrap();
        assert_eq!(audited(&journal, "there").0, sums);

        // One that was stopped has open ends, and nothing that is wrong.
        let early = played_until(&settings, "evening", 7);
        let (sums, found) = audited(&early.journal(), "evening");
        assert_eq!(sums.wrong, 0, "{found:?}");
    }
}

#[test]
fn a_match_that_is_missing_is_told_and_those_after_it_are_judged_as_far_as_that_goes() {
    for settings in formats() {
        // Without the match that is missing nobody could tell who is paused later.
        let settings = Settings {
            pause_after: 0,
            ..settings
        };
        let there = played(&settings, "evening");
        let rows = matches(&there.journal()).len() as u64;
        let mut journal = there.journal();
        journal.supersede(there.tournament.id, 1, None).unwrap();
        let (sums, found) = audited(&journal, "evening");
        let is = |id: &str, what: &RecordAudit| {
            found.iter().any(|one| one.id == id && one.found == *what)
        };
        assert!(
            is("evening-1", &RecordAudit::Missing),
            "{settings:?}: {found:?}"
        );
        assert_eq!(
            sums.proven + sums.forfeits + sums.wrong + sums.open,
            rows - 1
        );
        if matches!(settings.format, Format::RoundRobin | Format::Gauntlet(_)) {
            assert_eq!(sums.wrong, 0, "{found:?}");
        }
        // That the host failed to play it excuses nothing: who deletes a match can add that.
        for _ in 0..3 {
            journal
                .void(there.tournament.id, 1, "the machine", 5)
                .unwrap();
        }
        assert_eq!(audited(&journal, "evening").0.missing, sums.missing);
    }
}

/// An archive of format 1: with changes, forfeits and a void match. `changes::the_golden_archive_is_made` makes it,
/// until the first release.
const GOLDEN: &[u8] = include_bytes!("format-1.tar.zst");

#[test]
fn an_archive_of_format_1_is_read_and_written_again_as_it_is() {
    let (_folder, arena) = new_arena();
    let mut journal = arena.journal().unwrap();
    let imported = take(&mut journal, GOLDEN, &Names::default()).unwrap();
    let mut bytes = Vec::new();
    let tournament = &imported.tournament;
    write(
        (&journal, Path::new("")),
        tournament,
        None,
        TWO,
        &mut bytes,
        |_, _| {},
    )
    .unwrap();
    // But for the version of the program that writes it.
    let files = |archive: &[u8]| {
        let mut files = unpack(archive);
        let own = format!("\"flipside\": \"{}\"", env!("CARGO_PKG_VERSION"));
        replace(&mut files, "archive.json", "\"flipside\": \"0.1.0\"", &own);
        files
    };
    let golden = files(GOLDEN);
    for part in ["\"changes\"", "\"disqualify\"", "forfeit", "\"reason\""] {
        assert!(golden.iter().any(|(_, text)| text.contains(part)), "{part}");
    }
    assert_eq!(unpack(&bytes), golden);
}
