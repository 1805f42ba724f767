//! What the journal promises, whatever happens to its process, its file or its disk.

use std::fs;
use std::path::Path;

use flipside_referee::Salt;
use flipside_tournament::testing::{SALT, name, settings};
use flipside_tournament::{
    Bot, BotId, BotRef, Change, Changed, Pairing, Settings, Tournament, TournamentId, match_id,
    request_name, requesting_account,
};
use proptest::prelude::*;
use rusqlite::{Connection, params, params_from_iter};

use super::tournaments::PARTS;
use super::*;
use crate::changes::settle_changes;
use crate::testing::{file, finished, new_journal, tournament};

fn path(folder: &tempfile::TempDir) -> std::path::PathBuf {
    folder.path().join("journal.sqlite")
}

fn pairings(tournament: &Tournament) -> Vec<Pairing> {
    tournament.schedule().unwrap().iter().collect()
}

fn land_all(journal: &mut Journal, tournament: &Tournament) {
    for pairing in pairings(tournament) {
        journal.land(&finished(tournament, &pairing)).unwrap();
    }
}

fn counts(journal: &Journal) -> [i64; 3] {
    ["matches", "match_seats", "records"].map(|table| {
        let query = format!("SELECT count(*) FROM {table}");
        journal
            .connection
            .query_row(&query, [], |row| row.get(0))
            .unwrap()
    })
}

// --- Matches land whole, and once.

#[test]
fn a_match_lands_with_its_record_and_is_found_again() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 1);
    land_all(&mut journal, &evening);
    assert_eq!(counts(&journal), [6, 12, 6]);

    let row = journal.match_row("evening-0").unwrap();
    assert_eq!(
        (row.tournament.as_str(), row.game.as_str(), row.index),
        ("evening", "flipfour", 0)
    );
    assert_eq!(
        (row.round, row.block, row.started_at, row.plies),
        (0, 0, 1_000, 40)
    );
    let seats: Vec<_> = row
        .seats
        .iter()
        .map(|seat| (seat.bot.as_str(), seat.result.place))
        .collect();
    let pairing = &pairings(&evening)[0];
    let expected = finished(&evening, pairing);
    for (at, seat) in expected.scored.result.seats.iter().enumerate() {
        let label = evening.entrants[pairing.seats[at]].label();
        assert_eq!(seats[at], (label.as_str(), seat.place));
        assert_eq!(row.seats[at].result, *seat);
    }
    let record = journal.record("evening-0").unwrap();
    assert_eq!(record, "{\"type\":\"match\",\"id\":\"evening-0\"}\n");
    for missing in ["evening-6", "", "evening"] {
        assert!(matches!(
            journal.record(missing),
            Err(Error::NoSuchMatch { .. })
        ));
        assert!(matches!(
            journal.match_row(missing),
            Err(Error::NoSuchMatch { .. })
        ));
    }
}

#[test]
fn a_match_that_is_there_is_not_taken_again() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 1);
    let all = pairings(&evening);
    let mut first = finished(&evening, &all[0]);
    journal.land(&first).unwrap();
    let before = journal.match_row("evening-0").unwrap();

    first.scored.result.reason = "another".into();
    let again = journal.land(&first);
    assert!(matches!(again, Err(Error::AlreadyThere { id }) if id == "evening-0"));
    let mut same_id = finished(&evening, &all[1]);
    same_id.id = "evening-0".into();
    assert!(matches!(
        journal.land(&same_id),
        Err(Error::AlreadyThere { .. })
    ));
    assert_eq!(journal.match_row("evening-0").unwrap(), before);
    assert_eq!(counts(&journal), [1, 2, 1]);
    // The refusal leaves the connection usable.
    journal.land(&finished(&evening, &all[1])).unwrap();
}

#[test]
fn matches_that_land_together_land_all_or_none() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 1);
    let all: Vec<FinishedMatch> = pairings(&evening)
        .iter()
        .map(|pairing| finished(&evening, pairing))
        .collect();
    journal.land(&all[2]).unwrap();
    let refusal = journal.land_all(&all).unwrap_err();
    assert!(matches!(refusal, Error::AlreadyThere { id } if id == "evening-2"));
    assert_eq!(counts(&journal), [1, 2, 1]);
    journal
        .land_all(
            all.iter()
                .filter(|finished| finished.scored.pairing.index != 2),
        )
        .unwrap();
    assert_eq!(counts(&journal), [6, 12, 6]);
}

#[test]
fn a_match_of_somebody_who_was_not_entered_does_not_land_at_all() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 1);
    journal.add_bot(&name("stranger"), &file(9), 1).unwrap();
    let mut played = finished(&evening, &pairings(&evening)[0]);
    played.scored.pairing.seats[1] = 2;
    assert!(matches!(journal.land(&played), Err(Error::Database(_))));
    played.scored.pairing.seats[1] = 0;
    played.tournament = TournamentId::of_number(99);
    assert!(matches!(journal.land(&played), Err(Error::Database(_))));
    assert_eq!(counts(&journal), [0, 0, 0]);
}

#[test]
fn what_was_not_committed_is_gone_and_what_was_is_there() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 1);
    let all = pairings(&evening);
    journal.land(&finished(&evening, &all[0])).unwrap();
    // The connection is lost between the result and its record.
    journal.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    journal
        .connection
        .execute(
            "INSERT INTO matches SELECT tournament, 1, 'evening-1', round, block, started_at,
             duration_us, reason, plies, import, worker FROM matches",
            [],
        )
        .unwrap();
    drop(journal);

    let mut journal = Journal::open(path(&folder)).unwrap();
    assert_eq!(
        journal.played(evening.id).unwrap(),
        [0].into_iter().collect()
    );
    assert_eq!(counts(&journal), [1, 2, 1]);
    journal.land(&finished(&evening, &all[1])).unwrap();
}

#[test]
fn a_full_disk_is_named_and_what_lands_afterwards_lands() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 50);
    let all = pairings(&evening);
    let mut large = finished(&evening, &all[0]);
    // Bytes that do not compress.
    let mut noise = 1u32;
    let text: String = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'!' + (noise >> 24) as u8 % 90)
    })
    .take(100_000)
    .collect();
    large.record = Some(PackedRecord::pack(&text));
    let pages: i64 = journal
        .connection
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    journal
        .connection
        .pragma_update(None, "max_page_count", pages + 5)
        .unwrap();

    let refusal = journal.land(&large).unwrap_err();
    assert!(matches!(refusal, Error::DiskFull), "{refusal:?}");
    assert!(refusal.hint().unwrap().contains("make room"));
    assert_eq!(counts(&journal), [0, 0, 0]);

    journal
        .connection
        .pragma_update(None, "max_page_count", pages + 1_000)
        .unwrap();
    journal.land(&large).unwrap();
    assert_eq!(journal.record(&large.id).unwrap(), text);
}

#[test]
fn a_record_that_was_changed_is_not_given_out() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 1);
    land_all(&mut journal, &evening);
    let forged = PackedRecord::pack("{\"type\":\"match\"}\n");
    journal
        .connection
        .execute("UPDATE records SET zstd = ? WHERE idx = 0", [forged.zstd])
        .unwrap();
    let refusal = journal.record("evening-0").unwrap_err();
    assert!(
        matches!(&refusal, Error::Damaged(why) if why.contains("evening-0")),
        "{refusal}"
    );
}

// --- What remains to be played.

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn what_was_played_and_what_is_missing_are_the_whole_schedule(order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(), landed in 0usize..=24) {
        let (folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 4, 2);
        let all = pairings(&evening);
        for &index in &order[..landed] {
            journal.land(&finished(&evening, &all[index])).unwrap();
        }
        drop(journal);
        let journal = Journal::open(path(&folder)).unwrap();
        let played = journal.played(evening.id).unwrap();
        prop_assert_eq!(played.len(), landed as u64);
        let mut together: Vec<u64> = played.missing(all.len() as u64).collect();
        together.extend(order[..landed].iter().map(|&index| index as u64));
        together.sort_unstable();
        prop_assert_eq!(together, (0..24).collect::<Vec<_>>());

        let mut results = Vec::new();
        journal.for_each_result(&evening, |scored| { results.push(scored.clone()); Ok(()) }).unwrap();
        prop_assert!(results.is_sorted_by_key(|scored| scored.pairing.index));
        prop_assert_eq!(results.len(), landed);
        for scored in results {
            prop_assert_eq!(&scored.pairing, &all[scored.pairing.index as usize]);
        }
    }
}

#[test]
fn a_void_match_is_counted_and_stays_to_be_played() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 1);
    journal
        .void(evening.id, 1, "the referee was late", 9)
        .unwrap();
    journal
        .void(evening.id, 1, "the referee was late", 10)
        .unwrap();
    journal.void(evening.id, 0, "no memory", 11).unwrap();
    assert!(journal.played(evening.id).unwrap().is_empty());
    land_all(&mut journal, &evening);
    let voids = journal.voids(evening.id).unwrap();
    let short: Vec<_> = voids
        .iter()
        .map(|void| (void.index, &*void.reason, void.at))
        .collect();
    assert_eq!(
        short,
        [
            (0, "no memory", 11),
            (1, "the referee was late", 9),
            (1, "the referee was late", 10)
        ]
    );
}

// --- Bots and tournaments.

#[test]
fn versions_count_by_name_and_the_same_file_is_no_new_version() {
    let (_folder, mut journal) = new_journal();
    let mut add = |text, content| {
        let added = journal.add_bot(&name(text), &file(content), 5).unwrap();
        (added.bot.label(), added.new)
    };
    assert_eq!(add("greedy", 1), ("greedy@1".into(), true));
    assert_eq!(add("greedy", 1), ("greedy@1".into(), false));
    assert_eq!(add("random", 1), ("random@1".into(), true));
    assert_eq!(add("greedy", 2), ("greedy@2".into(), true));
    // Going back to an older file is a new version: the latest one is what plays.
    assert_eq!(add("greedy", 1), ("greedy@3".into(), true));

    let labels: Vec<String> = journal.bots().unwrap().iter().map(Bot::label).collect();
    assert_eq!(labels, ["greedy@1", "greedy@2", "greedy@3", "random@1"]);
    let find = |text: &str| {
        journal
            .bot(&text.parse::<BotRef>().unwrap())
            .map(|bot| bot.label())
    };
    assert_eq!(find("greedy").unwrap(), "greedy@3");
    assert_eq!(find("greedy@2").unwrap(), "greedy@2");
    assert_eq!(find("greedy@3").unwrap(), "greedy@3");
}

#[test]
fn a_bot_that_is_not_there_is_answered_with_the_nearest_name() {
    let (_folder, mut journal) = new_journal();
    let find = |journal: &Journal, text: &str| {
        let error = journal.bot(&text.parse::<BotRef>().unwrap()).unwrap_err();
        format!("{error}; {}", error.hint().unwrap())
    };
    assert_eq!(
        find(&journal, "greedy"),
        "there is no bot greedy; `flipside bots` lists them"
    );
    journal.add_bot(&name("greedy"), &file(1), 5).unwrap();
    journal.add_bot(&name("random"), &file(2), 5).unwrap();
    assert_eq!(
        find(&journal, "gredy@2"),
        "there is no bot gredy; is it greedy?"
    );
    assert_eq!(
        find(&journal, "GREEDY"),
        "there is no bot GREEDY; is it greedy?"
    );
    assert_eq!(
        find(&journal, "zzz"),
        "there is no bot zzz; `flipside bots` lists them"
    );
    assert_eq!(
        find(&journal, "greedy@4"),
        "there is no greedy@4; the latest is greedy@1"
    );
}

#[test]
fn a_bot_remembers_the_games_it_has_passed_its_check_in() {
    let (_folder, mut journal) = new_journal();
    let bot = journal.add_bot(&name("greedy"), &file(1), 5).unwrap().bot;
    assert!(bot.games.is_empty());
    for game in ["flipfour", "flipflop", "flipfour"] {
        journal.pass(bot.id, game).unwrap();
    }
    assert_eq!(journal.bots().unwrap()[0].games, ["flipflop", "flipfour"]);
}

#[test]
fn a_tournament_goes_on_only_with_the_settings_it_was_begun_with() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 2);
    let ids: Vec<BotId> = evening.entrants.iter().map(|bot| bot.id).collect();
    let again = journal
        .begin(&name("evening"), &settings(2), &ids, 99)
        .unwrap();
    assert!(!again.new);
    assert_eq!(again.tournament, evening);
    assert_eq!(journal.tournament("evening").unwrap(), evening);
    assert_eq!(
        journal.latest_tournament().unwrap().as_ref(),
        Some(&evening)
    );

    let swapped = [ids[0], ids[2], ids[1]];
    let refusal = journal
        .begin(&name("evening"), &settings(5), &swapped, 99)
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "tournament evening was begun with other settings (rounds: 2, not 5; \
         bot 2: bot1@1, not bot2@1; bot 3: bot2@1, not bot1@1)"
    );
    assert!(refusal.hint().unwrap().contains("another --name"));
    assert_eq!(journal.tournaments().unwrap(), [evening]);
}

#[test]
fn a_tournament_without_a_salt_is_not_begun() {
    let (_folder, mut journal) = new_journal();
    let ids = [1, 2].map(|bot| {
        let added = journal.add_bot(&name(&format!("bot{bot}")), &file(bot), 1);
        added.unwrap().bot.id
    });
    let unsalted = Settings {
        salt: Salt::default(),
        ..settings(1)
    };
    let refused = journal.begin(&name("evening"), &unsalted, &ids, 1);
    let error = refused.unwrap_err();
    assert!(
        matches!(error, Error::NoSalt) && error.hint().is_some(),
        "{error}"
    );
    assert!(journal.tournaments().unwrap().is_empty());
}

#[test]
fn a_tournament_that_cannot_be_scheduled_is_not_begun() {
    let (_folder, mut journal) = new_journal();
    let id = journal
        .add_bot(&name("greedy"), &file(1), 5)
        .unwrap()
        .bot
        .id;
    let mut begin = |settings: &Settings, bots: &[BotId]| {
        journal
            .begin(&name("evening"), settings, bots, 1)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        begin(&settings(1), &[id]),
        "a round robin is for 2 to 1000 bots here, not 1"
    );
    assert_eq!(begin(&settings(1), &[id, id]), "greedy@1 was entered twice");
    let seven = Settings {
        seats: 7,
        ..settings(1)
    };
    assert_eq!(begin(&seven, &[id]), "a match has 2 to 6 seats, not 7");
    assert!(journal.tournaments().unwrap().is_empty());
    assert_eq!(journal.latest_tournament().unwrap(), None);
    let missing = journal.tournament("evening").unwrap_err();
    assert!(matches!(
        missing,
        Error::NoSuchTournament { nearest: None, .. }
    ));
}

// --- Lists of matches.

#[test]
fn matches_are_listed_page_by_page_from_the_latest() {
    let (_folder, mut journal) = new_journal();
    for title in ["first", "second"] {
        let tournament = tournament(&mut journal, title, 3, 2);
        land_all(&mut journal, &tournament);
    }
    let ids = |filter: &MatchFilter| -> Vec<String> {
        journal
            .matches(filter)
            .unwrap()
            .into_iter()
            .map(|row| row.id)
            .collect()
    };
    let everything = ids(&MatchFilter::default());
    let expected: Vec<String> = ["second", "first"]
        .iter()
        .flat_map(|title| (0..12).rev().map(|index| match_id(&name(title), index)))
        .collect();
    assert_eq!(everything, expected);

    let mut pages = Vec::new();
    let mut filter = MatchFilter {
        limit: 5,
        ..MatchFilter::default()
    };
    while let Some(last) = journal.matches(&filter).unwrap().last() {
        pages.extend(ids(&filter));
        filter.before = Some((last.tournament_id, last.index));
    }
    assert_eq!(pages, expected);
}

#[test]
fn every_filter_gives_just_the_matches_that_fit_it() {
    let (_folder, mut journal) = new_journal();
    for title in ["first", "second"] {
        let tournament = tournament(&mut journal, title, 4, 3);
        land_all(&mut journal, &tournament);
    }
    let all = journal
        .matches(&MatchFilter {
            limit: 1_000,
            ..MatchFilter::default()
        })
        .unwrap();
    let bot = journal.bot(&"bot2".parse().unwrap()).unwrap();
    let second = journal.tournament("second").unwrap().id;
    // Somebody whom it met in a match that all the other filters let through, too.
    let at_fault = |seat: &SeatRow| seat.bot == "bot2@1" && seat.result.fault.is_some();
    let fitting = all.iter().find(|row| {
        let is_there = row.tournament == "second" && row.round == 1 && row.index < 30;
        is_there && row.seats.iter().any(at_fault)
    });
    let seats = &fitting.unwrap().seats;
    let other_label = &seats.iter().find(|seat| seat.bot != "bot2@1").unwrap().bot;
    let other = journal.bot(&other_label.parse().unwrap()).unwrap();
    for bits in 0..128 {
        let filter = MatchFilter {
            tournament: (bits & 1 > 0).then_some(second),
            game: (bits & 2 > 0).then(|| "flipfour".into()),
            round: (bits & 32 > 0).then_some(1),
            bot: (bits & 4 > 0).then_some(bot.id),
            against: (bits & 64 > 0).then_some(other.id),
            faults_only: bits & 8 > 0,
            before: (bits & 16 > 0).then_some((second, 30)),
            limit: 1_000,
        };
        let fits = |row: &&MatchRow| {
            let mut seats = row
                .seats
                .iter()
                .filter(|seat| filter.bot.is_none() || seat.bot == "bot2@1");
            let has_other = || row.seats.iter().any(|seat| seat.bot == *other_label);
            (filter.tournament.is_none() || row.tournament == "second")
                && (filter.against.is_none() || has_other())
                && filter.round.is_none_or(|round| row.round == round)
                && seats.any(|seat| !filter.faults_only || seat.result.fault.is_some())
                && filter
                    .before
                    .is_none_or(|before| (row.tournament_id, row.index) < before)
        };
        let expected: Vec<&MatchRow> = all.iter().filter(fits).collect();
        assert!(!expected.is_empty(), "{filter:?}");
        assert_eq!(
            journal.matches(&filter).unwrap().iter().collect::<Vec<_>>(),
            expected,
            "{filter:?}"
        );
    }
    let none = MatchFilter {
        game: Some("flipflop".into()),
        ..MatchFilter::default()
    };
    assert!(journal.matches(&none).unwrap().is_empty());
}

#[test]
fn lists_and_tables_are_read_by_an_index_and_without_sorting() {
    let (_folder, journal) = new_journal();
    let filter = |bits: u32| MatchFilter {
        tournament: (bits & 1 > 0).then_some(TournamentId::of_number(1)),
        bot: (bits & 2 > 0).then_some(BotId::of_number(1)),
        faults_only: bits & 4 > 0,
        before: (bits & 8 > 0).then_some((TournamentId::of_number(1), 1)),
        ..MatchFilter::default()
    };
    for bits in 0..16 {
        let (query, values) = filter(bits).query();
        let mut statement = journal
            .connection
            .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
            .unwrap();
        let values: Vec<&dyn rusqlite::ToSql> = values.iter().map(|value| &**value).collect();
        let plan: Vec<String> = statement
            .query_map(&values[..], |row| row.get(3))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let plan = plan.join("\n");
        assert!(!plan.contains("TEMP B-TREE"), "{query}\n{plan}");
        assert!(!plan.contains("SCAN s\n"), "{query}\n{plan}");
    }
}

// --- Several at once.

#[test]
fn readers_read_one_moment_while_somebody_writes() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 4, 20);
    let all = pairings(&evening);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let reader = Journal::open_to_read(path(&folder)).unwrap();
                    let mut seen = 0;
                    while seen < all.len() {
                        let _moment = reader.snapshot().unwrap();
                        let mut count = 0;
                        reader
                            .for_each_result(&evening, |scored| {
                                assert_eq!(scored.result.seats.len(), 2);
                                count += 1;
                                Ok(())
                            })
                            .unwrap();
                        assert!(count >= seen, "what was there stays there");
                        assert_eq!(reader.played(evening.id).unwrap().len(), count as u64);
                        assert_eq!(
                            counts(&reader),
                            [count as i64, 2 * count as i64, count as i64]
                        );
                        seen = count;
                    }
                })
            })
            .collect();
        for pairing in &all {
            journal.land(&finished(&evening, pairing)).unwrap();
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

#[test]
fn a_snapshot_stays_at_its_moment_and_one_inside_it_shares_it() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 1);
    let all = pairings(&evening);
    let reader = Journal::open_to_read(path(&folder)).unwrap();
    let outer = reader.snapshot().unwrap();
    journal.land(&finished(&evening, &all[0])).unwrap();
    let inner = reader.snapshot().unwrap();
    assert!(reader.played(evening.id).unwrap().is_empty());
    drop(inner);
    assert!(reader.played(evening.id).unwrap().is_empty());
    drop(outer);
    assert_eq!(reader.played(evening.id).unwrap().len(), 1);
}

#[test]
fn two_writers_wait_for_each_other() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 4, 20);
    let all = pairings(&evening);
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (all, evening, folder) = (&all, &evening, &folder);
            scope.spawn(move || {
                let mut writer = Journal::open(path(folder)).unwrap();
                for pairing in all.iter().skip(part).step_by(2) {
                    writer.land(&finished(evening, pairing)).unwrap();
                }
            });
        }
    });
    assert_eq!(counts(&journal), [240, 480, 240]);
}

#[test]
fn a_journal_is_made_once_when_many_open_it_at_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..4 {
                let path = path(&folder);
                scope.spawn(move || {
                    let mut journal = Journal::open(path).unwrap();
                    journal.add_bot(&name("greedy"), &file(number), 1).unwrap();
                });
            }
        });
        assert_eq!(
            Journal::open(path(&folder)).unwrap().bots().unwrap().len(),
            4
        );
    }
}

#[test]
fn a_reader_changes_nothing() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 1);
    let mut reader = Journal::open_to_read(path(&folder)).unwrap();
    let refusal = reader
        .land(&finished(&evening, &pairings(&evening)[0]))
        .unwrap_err();
    assert!(matches!(refusal, Error::ReadOnly), "{refusal:?}");
    let missing = Journal::open_to_read(folder.path().join("another.sqlite")).unwrap_err();
    assert!(matches!(missing, Error::NoArena { .. }), "{missing:?}");
    assert!(!folder.path().join("another.sqlite").exists());
}

#[test]
fn after_settling_all_is_in_the_one_file() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 3, 2);
    land_all(&mut journal, &evening);
    let log = || {
        fs::metadata(folder.path().join("journal.sqlite-wal"))
            .unwrap()
            .len()
    };
    assert!(log() > 0);
    journal.settle().unwrap();
    assert_eq!(log(), 0);
    // Who reads meanwhile is no reason to wait.
    let reader = Journal::open_to_read(path(&folder)).unwrap();
    let _moment = reader.snapshot().unwrap();
    let mut waits = || {
        let began = std::time::Instant::now();
        journal.settle().unwrap();
        began.elapsed() >= BUSY_PATIENCE
    };
    // Who waits does so each time, and the machine does not keep this test from running each time for so long.
    assert!((0..5).any(|_| !waits()));
}

// --- Other files, damaged files, other versions.

/// Opens a file in both ways; both must refuse it and leave it as it is.
fn refusals(path: &Path) -> [Error; 2] {
    let before = fs::read(path).unwrap();
    let errors = [
        Journal::open(path).unwrap_err(),
        Journal::open_to_read(path).unwrap_err(),
    ];
    assert!(fs::read(path).unwrap() == before, "the file was changed");
    errors
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for content in [
        "hello",
        &"hello\n".repeat(1_000),
        "SQLite format 3\0",
        &"\0".repeat(8_192),
    ] {
        fs::write(path(&folder), content).unwrap();
        for error in refusals(&path(&folder)) {
            assert!(
                matches!(&error, Error::NotAJournal { path: p } if *p == path(&folder)),
                "{error:?}"
            );
            assert!(error.hint().unwrap().contains("left as it is"));
        }
    }
    let error = Journal::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, Error::NotAJournal { .. }),
        "a folder: {error:?}"
    );
}

#[test]
fn another_programs_database_is_refused_and_left_as_it_is() {
    for pragmas in [
        "",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 99",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let foreign = Connection::open(path(&folder)).unwrap();
        foreign
            .execute_batch(&format!("CREATE TABLE bots (id); {pragmas}"))
            .unwrap();
        drop(foreign);
        for error in refusals(&path(&folder)) {
            assert!(
                matches!(error, Error::NotAJournal { .. }),
                "{pragmas}: {error:?}"
            );
        }
    }
}

#[test]
fn an_empty_file_becomes_a_journal() {
    // It is what a crash in the very beginning leaves.
    let folder = tempfile::tempdir().unwrap();
    fs::write(path(&folder), "").unwrap();
    assert!(
        Journal::open(path(&folder))
            .unwrap()
            .bots()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_truncated_journal_is_damaged_and_says_so() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 4, 20);
    land_all(&mut journal, &evening);
    journal.settle().unwrap();
    drop(journal);
    let whole = fs::read(path(&folder)).unwrap();
    for keep in [
        whole.len() / 2,
        whole.len() - 4097,
        whole.len() - 4096,
        4096,
        1000,
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(path(&folder), &whole[..keep]).unwrap();
        let error = Journal::open(path(&folder)).and_then(|journal| {
            journal.for_each_result(&evening, |_| Ok(()))?;
            journal.record("evening-100").map(drop)
        });
        let error = error.unwrap_err();
        let named = matches!(error, Error::Damaged(_) | Error::NotAJournal { .. });
        assert!(named, "{keep} of {}: {error:?}", whole.len());
        assert!(error.hint().is_some());
    }
}

#[test]
fn damage_anywhere_is_an_error_and_never_a_panic() {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 4, 20);
    land_all(&mut journal, &evening);
    journal.settle().unwrap();
    drop(journal);
    let whole = fs::read(path(&folder)).unwrap();
    let mut noticed = 0;
    for page in 0..whole.len() / 4096 {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = whole.clone();
        damaged[page * 4096..][..4096]
            .iter_mut()
            .for_each(|byte| *byte ^= 0x55);
        fs::write(path(&folder), &damaged).unwrap();
        let read = Journal::open(path(&folder)).and_then(|journal| {
            journal.tournaments()?;
            journal.for_each_result(&evening, |_| Ok(()))?;
            journal.worker_trails(evening.id)?;
            journal.banned_workers()?;
            (0..240).try_for_each(|index| journal.record(&match_id(&evening.name, index)).map(drop))
        });
        noticed += usize::from(read.is_err());
    }
    assert!(
        noticed * 2 > whole.len() / 4096,
        "noticed {noticed} of {}",
        whole.len() / 4096
    );
}

/// A journal of this version, in a folder of its own.
fn other_journal(version: i64) -> (tempfile::TempDir, Journal) {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 1);
    land_all(&mut journal, &evening);
    let connection = &journal.connection;
    connection
        .pragma_update(None, "user_version", version)
        .unwrap();
    (folder, journal)
}

/// Both ways of opening refuse the file for its version, and leave it as it is.
fn refused_for_version(path: &Path, version: i64) {
    for error in refusals(path) {
        let path = path.display();
        assert_eq!(
            error.to_string(),
            format!("{path} has version {version}, and this flipside reads version 1")
        );
        assert!(error.hint().unwrap().contains("--arena DIR"));
    }
}

#[test]
fn a_journal_of_another_version_is_refused_with_both_numbers_and_left_as_it_is() {
    for other in [0, TABLES.version + 1, 10] {
        for mode in ["wal", "delete"] {
            let (folder, journal) = other_journal(other);
            let connection = &journal.connection;
            connection
                .pragma_update(None, "journal_mode", mode)
                .unwrap();
            drop(journal);
            refused_for_version(&path(&folder), other);
            let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
            assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");
        }
    }
}

#[test]
fn a_journal_of_another_version_is_not_changed_by_the_log_of_a_killed_process() {
    let (folder, journal) = other_journal(10);
    // As a process that is killed now leaves it: the log is not in the journal.
    let killed = tempfile::tempdir().unwrap();
    let log = |folder: &Path| fs::read(folder.join("journal.sqlite-wal")).unwrap();
    for file in ["journal.sqlite", "journal.sqlite-wal"] {
        fs::copy(folder.path().join(file), killed.path().join(file)).unwrap();
    }
    drop(journal);
    let before = log(killed.path());
    assert!(!before.is_empty());
    refused_for_version(&path(&killed), 10);
    assert!(log(killed.path()) == before);
}

/// Rows of every table, as a journal of version 1 has them.
const GOLDEN: &str = include_str!("golden.sql");

#[test]
fn a_journal_of_version_1_is_read() {
    let (_folder, mut journal) = new_journal();
    journal.connection.execute_batch(GOLDEN).unwrap();
    assert_eq!(journal.strays().unwrap(), [""; 0]);

    let nim = &journal.games().unwrap()[0];
    assert_eq!(
        (nim.label(), nim.size, nim.added_at),
        ("nim@1".into(), 40, 1_700_000_000_003)
    );
    let evening = journal.tournament("evening").unwrap();
    let stored = Settings {
        salt: SALT.parse().unwrap(),
        pause_after: 1,
        ..settings(1)
    };
    assert_eq!(evening.settings, stored);
    let labels: Vec<String> = evening.entrants.iter().map(Bot::label).collect();
    assert_eq!(labels, ["greedy@1", "random@2"]);
    assert_eq!(evening.entrants[0].games, ["flipfour"]);
    assert!(evening.entrants[0].has_had_label("eager@1"));
    let rounds = Changed {
        index: 2,
        change: Change::Rounds { more: 1 },
        reason: Some("a second leg".parse().unwrap()),
        at: 1_700_000_000_020,
    };
    assert_eq!(evening.changes, [rounds]);
    let requested = journal.requested_changes(evening.id).unwrap();
    let bots: Vec<_> = requested.iter().map(|one| one.bot.as_ref()).collect();
    assert!(matches!(bots[..], [None, Some(bot)] if bot.label() == "random@1"));

    let row = journal.match_row("evening-0").unwrap();
    assert_eq!(row.seats[1].result.fault.as_ref().unwrap().name, "late");
    assert_eq!(row.played_by.unwrap().worker, "north");
    let record = journal.record("evening-0").unwrap();
    assert_eq!(record, "{\"type\":\"match\",\"id\":\"evening-0\"}\n");
    let evidence = &journal.evidence("evening-0").unwrap()[0].1;
    assert_eq!((&*evidence.stderr, &evidence.hint), ("help", &None));
    assert_eq!(evidence.traffic[1].line, "resign");
    let notes = &journal.notes("evening-0").unwrap()[0].1;
    assert_eq!(
        (&*notes.stderr, notes.pondered_us),
        ("thinking", Some(7_000))
    );
    let refusal = journal.record("evening-1").unwrap_err();
    assert!(matches!(refusal, Error::NotPlayed { .. }), "{refusal}");
    let voids = journal.voids(evening.id).unwrap();
    assert_eq!(voids[0].reason, "the referee was late");
    let pauses = journal.pauses(&evening).unwrap();
    assert_eq!(
        pauses[0].to_string(),
        "is paused after match 0, at fault in 1 match in a row (late 1); the last: no answer in 1 s"
    );

    // The second was broken off, and of the third nothing had come.
    let imports = journal.imports(evening.id).unwrap();
    let told: Vec<_> = imports
        .iter()
        .map(|one| {
            (
                &one.archive[..2],
                one.matches,
                one.finished,
                one.signer.is_some(),
            )
        })
        .collect();
    assert_eq!(told, [("02", 1, false, true), ("03", 0, false, false)]);
    let runs = journal.runs(evening.id).unwrap();
    assert_eq!((runs.all, runs.pinned), (2, 1));
    let trails = journal.worker_trails(evening.id).unwrap();
    let north = trails.iter().find(|trail| trail.worker == "north").unwrap();
    assert_eq!((north.matches, north.proven), (1, 1));
    assert_eq!(journal.banned_workers().unwrap()[0].worker, "liar");

    let evening = settle_changes(&mut journal, evening.id).unwrap();
    assert_eq!((evening.founders().len(), evening.entrants.len()), (2, 3));
}

#[test]
fn changes_are_stored_under_the_words_of_the_format() {
    let all = [
        (
            Change::Withdraw { entrant: 2 },
            r#"{"withdraw":{"entrant":2}}"#,
        ),
        (
            Change::Disqualify { entrant: 0 },
            r#"{"disqualify":{"entrant":0}}"#,
        ),
        (Change::Rounds { more: 3 }, r#"{"rounds":{"more":3}}"#),
        (Change::Matches { more: 100 }, r#"{"matches":{"more":100}}"#),
        (Change::Join { entrant: 4 }, r#"{"join":{"entrant":4}}"#),
        (Change::Cancel, r#""cancel""#),
    ];
    for (change, json) in all {
        assert_eq!(serde_json::to_string(&change).unwrap(), json);
        assert_eq!(serde_json::from_str::<Change>(json).unwrap(), change);
    }
    for unknown in [
        r#""begin""#,
        r#"{"rounds":{"more":-1}}"#,
        r#"{"rounds":{"more":1,"x":1}}"#,
        r#"{"withdraw":{}}"#,
    ] {
        assert!(
            serde_json::from_str::<Change>(unknown).is_err(),
            "{unknown}"
        );
    }
}

#[test]
fn runs_are_counted_by_tournament() {
    let (_folder, mut journal) = new_journal();
    let [evening, night] = ["evening", "night"].map(|name| tournament(&mut journal, name, 3, 1));
    let runs = |journal: &Journal, tournament: &Tournament| {
        let runs = journal.runs(tournament.id).unwrap();
        (runs.all, runs.pinned)
    };
    assert_eq!(runs(&journal, &evening), (0, 0));
    journal.note_run(evening.id, true).unwrap();
    journal.note_run(evening.id, false).unwrap();
    assert_eq!(runs(&journal, &evening), (2, 1));
    assert_eq!(runs(&journal, &night), (0, 0));
    journal.note_run(night.id, true).unwrap();
    assert_eq!(runs(&journal, &night), (1, 1));
}

#[test]
fn what_no_new_journal_has_is_a_stray() {
    for made in [
        "CREATE INDEX costly ON tournaments (hex(zeroblob(1000000)))",
        "ALTER TABLE tournaments ADD COLUMN costly TEXT AS (hex(zeroblob(1000000)))",
        "CREATE TRIGGER costly AFTER INSERT ON tournaments BEGIN SELECT 1; END",
        "CREATE VIEW costly AS SELECT hex(zeroblob(1000000))",
        "CREATE TABLE costly (it REFERENCES tournaments (id))",
        // A check of a table of this name would be asked in the stead of the pragma.
        "CREATE TABLE pragma_integrity_check (integrity_check TEXT)",
        "DROP TABLE records",
        // SQL does not tell names apart by their case.
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET name = 'TOURNAMENTS', tbl_name = 'TOURNAMENTS',
             sql = replace(sql, 'TABLE tournaments (', 'TABLE TOURNAMENTS (costly TEXT DEFAULT (hex(zeroblob(9))), ')
         WHERE type = 'table' AND name = 'tournaments'",
    ] {
        let (folder, journal) = new_journal();
        assert!(journal.strays().unwrap().is_empty());
        drop(journal);
        let by_hand = Connection::open(path(&folder)).unwrap();
        by_hand.execute_batch(made).unwrap();
        drop(by_hand);
        let strays = Journal::open(path(&folder)).unwrap().strays().unwrap();
        assert!(!strays.is_empty(), "{made}");
    }
}

#[test]
fn a_row_that_refers_to_nothing_is_a_stray() {
    let (folder, journal) = new_journal();
    drop(journal);
    let by_hand = Connection::open(path(&folder)).unwrap();
    by_hand
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO records (tournament, idx, sha256, zstd) VALUES (7, 0, zeroblob(32), x'00');",
        )
        .unwrap();
    drop(by_hand);
    let strays = Journal::open(path(&folder)).unwrap().strays().unwrap();
    assert_eq!(strays, ["a row of records refers to nothing in matches"]);
}

// --- Lists of tournaments.

/// Enters so many copies of a tournament without its matches, one in ten of them a request.
fn fill(journal: &mut Journal, count: u32) {
    let template = tournament(journal, "template", 3, 1);
    let unrated = Settings {
        unrated: true,
        ..template.settings.clone()
    };
    let [plain, unrated] = [&template.settings, &unrated].map(super::columns::as_json);
    let change = journal.connection.unchecked_transaction().unwrap();
    for number in 0..count {
        let (name, settings) = match number % 10 {
            0 => (request_name(7, number), &unrated),
            _ => (format!("cup-{number}"), &plain),
        };
        let sql = "INSERT INTO tournaments (name, settings, created_at) VALUES (?, ?, 5)";
        change.execute(sql, params![name, settings]).unwrap();
        let id = change.last_insert_rowid();
        let sql = "INSERT INTO entrants SELECT ?, number, bot FROM entrants WHERE tournament = ?";
        change
            .execute(sql, params![id, template.id.number()])
            .unwrap();
    }
    change.commit().unwrap();
}

fn names_of(journal: &Journal, of: &TournamentFilter, limit: usize) -> Vec<String> {
    let listed = journal.listed_tournaments(of, limit).unwrap();
    listed.iter().map(|one| one.name.to_string()).collect()
}

#[test]
fn lists_of_tournaments_have_requests_apart_and_pages() {
    let (_folder, mut journal) = new_journal();
    fill(&mut journal, 25);
    let all = TournamentFilter::default();
    let [apart, requests] = [false, true].map(|requests| TournamentFilter {
        requests: Some(requests),
        ..all.clone()
    });
    assert_eq!(names_of(&journal, &all, 2), ["cup-24", "cup-23"]);
    assert_eq!(
        [&all, &apart, &requests].map(|of| journal.count_tournaments(of).unwrap()),
        [26, 23, 3]
    );
    assert_eq!(
        names_of(&journal, &requests, 9),
        [
            "request-7-00000014",
            "request-7-0000000a",
            "request-7-00000000"
        ]
    );
    let of_account = |account| TournamentFilter {
        requested_by: Some(account),
        ..all.clone()
    };
    assert_eq!(names_of(&journal, &of_account(7), 9).len(), 3);
    // Neither those of an account whose number begins so, nor others.
    for account in [0, 70, 8] {
        assert_eq!(names_of(&journal, &of_account(account), 9), [""; 0]);
    }
    let before = TournamentFilter {
        before: Some(journal.tournament("cup-24").unwrap().id),
        skip: 1,
        ..apart
    };
    assert_eq!(names_of(&journal, &before, 2), ["cup-22", "cup-21"]);
    let text = TournamentFilter {
        text: Some("CUP-1".into()),
        order: TournamentOrder {
            by: TournamentKey::Name,
            ascending: true,
        },
        ..all.clone()
    };
    assert_eq!(names_of(&journal, &text, 2), ["cup-1", "cup-11"]);
    // A text is no pattern.
    for pattern in ["cup%", "cup_", "*"] {
        let text = Some(pattern.to_owned());
        let of = TournamentFilter {
            text,
            ..all.clone()
        };
        assert_eq!(journal.count_tournaments(&of).unwrap(), 0, "{pattern}");
    }
    let other = TournamentFilter {
        game: Some("yonmoque".into()),
        ..all
    };
    assert_eq!(names_of(&journal, &other, 9), [""; 0]);
}

#[test]
fn a_name_is_a_request_only_in_its_one_form_and_unrated() {
    for (name, account) in [
        ("request-7-00000014", Some(7)),
        ("request-7-0000001F", None),
        ("request-07-00000014", None),
        ("request-7-14", None),
        ("request-7-000000140", None),
        ("request-x-00000014", None),
        ("request-0-00000014", None),
        ("request-7x-00000014", None),
        ("request-7-7-00000014", None),
        ("cup", None),
    ] {
        assert_eq!(requesting_account(name), account, "{name}");
        let (_folder, mut journal) = new_journal();
        let begun = tournament(&mut journal, name, 2, 1);
        let listed = TournamentFilter {
            requests: Some(true),
            ..TournamentFilter::default()
        };
        // It is rated.
        assert_eq!(
            (begun.requested_by(), names_of(&journal, &listed, 1)),
            (None, vec![])
        );
        let unrated =
            "UPDATE tournaments SET settings = json_set(settings, '$.unrated', json('true'))";
        journal.connection.execute(unrated, []).unwrap();
        let begun = journal.tournament(name).unwrap();
        assert_eq!(begun.requested_by(), account, "{name}");
        let found = names_of(&journal, &listed, 1);
        assert_eq!(found.len(), usize::from(account.is_some()), "{name}");
    }
}

/// How many steps SQLite takes for a list.
fn steps(journal: &Journal, of: &TournamentFilter) -> i32 {
    let (query, values) = of.query(10);
    let mut statement = journal.connection.prepare(&query).unwrap();
    let mut rows = statement.query(params_from_iter(values)).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    statement.get_status(rusqlite::StatementStatus::VmStep)
}

#[test]
fn a_page_of_a_list_takes_as_many_steps_however_many_tournaments_there_are() {
    let counted = [100, 5_000].map(|count| {
        let (_folder, mut journal) = new_journal();
        fill(&mut journal, count);
        let of = TournamentFilter::default;
        let middle = Some(journal.tournament("cup-55").unwrap().id);
        let name = TournamentOrder {
            by: TournamentKey::Name,
            ascending: true,
        };
        [
            of(),
            TournamentFilter {
                requests: Some(false),
                ..of()
            },
            TournamentFilter {
                requests: Some(true),
                ..of()
            },
            TournamentFilter {
                game: Some("flipfour".into()),
                requests: Some(false),
                ..of()
            },
            TournamentFilter {
                before: middle,
                requests: Some(false),
                ..of()
            },
            TournamentFilter {
                order: name,
                ..of()
            },
        ]
        .map(|of| steps(&journal, &of))
    });
    assert_eq!(counted[0], counted[1]);
}

#[test]
fn a_deleted_request_leaves_nothing_and_its_number_is_not_given_again() {
    let (_folder, mut journal) = new_journal();
    // A row of every kind.
    journal.connection.execute_batch(GOLDEN).unwrap();
    let name: flipside_tournament::Name = request_name(7, 1).parse().unwrap();
    let evening = journal.tournament("evening").unwrap();
    let refused = journal.delete_request(&evening.name);
    assert!(matches!(refused, Err(Error::NotARequest { .. })));
    let tables: Vec<String> = {
        let query = "SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
             WHERE m.type = 'table' AND c.name = 'tournament' ORDER BY m.name";
        journal.connection.all(query, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(tables.len(), PARTS.len(), "{tables:?}");
    let rows = |journal: &Journal| -> Vec<i64> {
        let count = |table: &String| {
            let query = format!("SELECT count(*) FROM {table}");
            journal
                .connection
                .one(&query, [], |row| row.get(0))
                .unwrap()
        };
        tables.iter().map(count).collect()
    };
    assert!(rows(&journal).iter().all(|&count| count > 0), "{tables:?}");
    journal
        .connection
        .execute(
            "UPDATE tournaments SET name = ?, settings = json_set(settings, '$.unrated', json('true'))",
            [name.as_str()],
        )
        .unwrap();
    assert_eq!(journal.delete_request(&name).unwrap(), evening.id);
    assert!(rows(&journal).iter().all(|&count| count == 0), "{tables:?}");
    assert_eq!(journal.strays().unwrap(), [""; 0]);
    let again = journal.delete_request(&name);
    assert!(matches!(again, Err(Error::NoSuchTournament { .. })));
    assert_ne!(tournament(&mut journal, "evening", 2, 1).id, evening.id);
}

// --- Games have versions.

#[test]
fn each_program_of_a_game_is_one_version() {
    let (_folder, mut journal) = new_journal();
    let add = |journal: &mut Journal, number: u8| {
        let (game, new) = journal.add_game("nim", &file(number), "{}", 5).unwrap();
        (game.label(), new)
    };
    assert_eq!(add(&mut journal, 1), ("nim@1".into(), true));
    assert_eq!(add(&mut journal, 2), ("nim@2".into(), true));
    // The first one is still the first version.
    assert_eq!(add(&mut journal, 1), ("nim@1".into(), false));
    assert_eq!(
        journal.add_game("go", &file(1), "{}", 6).unwrap().0.version,
        1
    );
    let labels = |journal: &Journal| -> Vec<String> {
        journal
            .games()
            .unwrap()
            .iter()
            .map(StoredGame::label)
            .collect()
    };
    assert_eq!(labels(&journal), ["go@1", "nim@1", "nim@2"]);
    assert_eq!(journal.count_games().unwrap(), 3);

    // What another arena has under a version is the same program here, or not taken in.
    let import = |journal: &Journal, label: &str, number: u8| {
        let game = ImportedGame {
            version: label.parse().unwrap(),
            file: file(number),
            description: "{}".into(),
        };
        super::games::import(&journal.connection, &game, 7)
    };
    import(&journal, "nim@2", 2).unwrap();
    let refused = import(&journal, "nim@2", 3);
    assert!(matches!(refused, Err(Error::OtherGame { game }) if game == "nim@2"));
    for (label, number) in [("nim@3", 3), ("nim@1000000", 5)] {
        import(&journal, label, number).unwrap();
    }
    // Versions of others are stepped over, and whoever adds the same program here has it.
    assert_eq!(add(&mut journal, 4), ("nim@4".into(), true));
    assert_eq!(add(&mut journal, 3), ("nim@3".into(), true));
    assert_eq!(add(&mut journal, 3), ("nim@3".into(), false));

    // The file of a bot that is a game's as well stays.
    let bot = journal.add_bot(&name("twin"), &file(4), 8).unwrap().bot;
    let gone = journal.delete_bots(&[bot], 9, |_, _| Ok(())).unwrap();
    assert!(gone.is_empty());
}
