//! What is promised of changes, with matches that are made up: whoever requests them, and whenever, the same settings,
//! changes and results give the same journal.

use std::collections::BTreeSet;

use flipside_store::testing::{file, new_journal, tournament};
use flipside_store::{MatchFilter, MatchRow, full_table, request_change, request_join};
use flipside_tournament::testing::name;
use flipside_tournament::{
    BotId, Change, ChangeReason, FORFEIT, FORMATS, Format, ScheduleError, ScoredPairing, Settings,
};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// How many bots can join: two that are new, and then a newer version of one that plays, and of a new one.
const JOINERS: usize = 4;

/// A tournament of six bots; of two where the format is for two. There are more bots in the journal.
pub(super) fn begin(settings: &Settings) -> (TempDir, Journal, Tournament) {
    let (folder, mut journal) = new_journal();
    let others = tournament(&mut journal, "others", 8, 1);
    for (number, newer) in ["bot1", "bot6"].into_iter().enumerate() {
        let file = file(100 + number as u8);
        journal.add_bot(&name(newer), &file, 1).unwrap();
    }
    let bots = match settings.format {
        Format::Sprt(_) => 2,
        _ => 6,
    };
    let bots: Vec<_> = others.entrants[..bots].iter().map(|bot| bot.id).collect();
    let begun = journal.begin(&name("cup"), settings, &bots, 3).unwrap();
    (folder, journal, begun.tournament)
}

/// The bots that can join.
fn joiners(journal: &Journal) -> Vec<BotId> {
    let mut bots: Vec<BotId> = journal.bots().unwrap().iter().map(|bot| bot.id).collect();
    bots.sort_unstable();
    bots.split_off(bots.len() - JOINERS)
}

/// The bots that have joined, in order.
fn joined(cup: &Tournament) -> Vec<BotId> {
    let joined = &cup.entrants[cup.founders().len()..];
    joined.iter().map(|bot| bot.id).collect()
}

pub(super) fn settings(format: &str, seats: u8) -> Settings {
    let format: Format = format.parse().unwrap();
    let format = match format {
        Format::Ladder(_) => serde_json::from_str(r#"{"ladder":{"matches":50}}"#).unwrap(),
        other => other,
    };
    let rounds = match format {
        Format::Sprt(_) => 12,
        Format::RoundRobin | Format::Gauntlet(_) | Format::Swiss(_) => 2,
        _ => 1,
    };
    Settings {
        game: if seats == 2 { "flipfour" } else { "flip4" }.into(),
        seats,
        format,
        rounds,
        ..flipside_tournament::testing::settings(rounds)
    }
}

/// All matches of the tournament without their times, and what every table derives from them.
pub(super) fn content(journal: &Journal) -> (Vec<(MatchRow, bool)>, String) {
    let filter = MatchFilter {
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&filter).unwrap().into_iter();
    let rows = rows.map(|mut row| {
        (row.started_at, row.duration_us, row.played_by) = (0, 0, None);
        let has_record = journal.record(&row.id).is_ok();
        (row, has_record)
    });
    let cup = journal.tournament("cup").unwrap();
    let table = full_table(journal, &cup).unwrap();
    assert!(table.standings.over, "{:?}", table.standings.total);
    (rows.collect(), serde_json::to_string(&table).unwrap())
}

/// Plays what remains, until so many matches have landed.
fn play(
    journal: &mut Journal,
    cup: &Tournament,
    (concurrency, pattern): (usize, u64),
    stop: Option<(u64, bool)>,
    mut landed: impl FnMut(u64),
) -> RunSummary {
    let worker = |_, _: &Arc<Tournament>| {
        Ok(|task: &Task, abandoned: &dyn Fn() -> bool| {
            let finished = failing(cup, task, pattern);
            Ok((!abandoned()).then_some(finished))
        })
    };
    let (asked, mut count) = (StopSignal::default(), 0);
    let pool = many(concurrency).into();
    let on = |event| {
        if let RunEvent::Landed(_) = event {
            count += 1;
            landed(count);
            match stop {
                Some((after, true)) if after == count => asked.now(),
                Some((after, false)) if after == count => asked.soon(),
                _ => {}
            }
        }
    };
    through_changes(
        journal,
        cup,
        pool,
        &asked,
        (|_: &_| Ok(Vec::new()), worker),
        on,
    )
    .unwrap()
}

/// A change that somebody requests when so many matches have landed. Who joins is told by its place among the joiners.
type Wish = (u64, Change);

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let change = prop_oneof![
        3 => (0usize..9).prop_map(|entrant| Change::Withdraw { entrant }),
        6 => (0..JOINERS).prop_map(|entrant| Change::Join { entrant }),
        2 => (0usize..7).prop_map(|entrant| Change::Disqualify { entrant }),
        2 => (0u32..3).prop_map(|more| Change::Rounds { more }),
        2 => (0u64..30).prop_map(|more| Change::Matches { more }),
        1 => Just(Change::Cancel),
    ];
    prop::collection::vec((0u64..70, change), 0..6)
}

/// Requests what is due. What the tournament cannot have is refused, and nothing has happened.
fn request(path: &std::path::Path, wishes: &mut Vec<Wish>, count: u64) {
    let mut journal = Journal::open(path).unwrap();
    let cup = journal.tournament("cup").unwrap();
    let (due, later): (Vec<Wish>, _) = wishes.drain(..).partition(|(at, _)| *at <= count);
    *wishes = later;
    for (_, change) in due {
        let before = journal.stamp(cup.id).unwrap();
        let reason: ChangeReason = "the organiser says so".parse().unwrap();
        let requested = match change {
            Change::Join { entrant } => {
                let bot = joiners(&journal)[entrant];
                let all = request_join(&mut journal, &cup.name, bot, Some(reason), 7);
                all.map(|all| all.len() as u64)
            }
            _ => {
                let one = request_change(&mut journal, &cup.name, change, Some(reason), 7);
                one.map(|_| 1)
            }
        };
        match requested {
            Ok(more) => assert_eq!(
                journal.stamp(cup.id).unwrap().changes,
                before.changes + more
            ),
            Err(Error::Schedule(_)) => assert_eq!(journal.stamp(cup.id).unwrap(), before),
            Err(error) => panic!("{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn the_same_settings_changes_and_results_give_the_same_journal(
        format in 0..FORMATS.len(),
        seats in 2u8..=3,
        pause_after in 0u32..3,
        pattern: u64,
        concurrency in 1usize..5,
        mut wishes in wishes(),
        stops in prop::collection::vec((1u64..30, any::<bool>()), 0..3),
    ) {
        let format = FORMATS[format];
        let is_of_two = ["knockout", "double-elimination", "sprt"].contains(&format);
        let seats = if is_of_two { 2 } else { seats };
        let settings = Settings {
            pause_after,
            ..settings(format, seats)
        };
        let (folder, mut journal, cup) = begin(&settings);
        let path = folder.path().join("journal.sqlite");
        let mut count = 0;
        for stop in stops.into_iter().map(Some).chain([None]) {
            request(&path, &mut wishes, count);
            let before = count;
            let cup = journal.tournament("cup").unwrap();
            play(&mut journal, &cup, (concurrency, pattern), stop, |landed| {
                count = before + landed;
                request(&path, &mut wishes, count);
            });
        }
        // The others are requested when it is over.
        request(&path, &mut wishes, u64::MAX);
        play(&mut journal, &cup, (concurrency, pattern), None, |_| {});
        let done = journal.tournament("cup").unwrap();
        prop_assert!(!journal.has_requests(cup.id).unwrap());

        let (_folder, mut whole, cup) = begin(&settings);
        whole.add_changes(cup.id, &done.changes, &joined(&done));
        let cup = whole.tournament("cup").unwrap();
        play(&mut whole, &cup, (1, pattern), None, |_| {});
        prop_assert_eq!(content(&journal), content(&whole));
    }
}

/// The numbers of the matches that a bot forfeits, or plays, from an index on.
fn matches_of(journal: &Journal, entrant: usize, forfeits: bool) -> BTreeSet<u64> {
    let cup = journal.tournament("cup").unwrap();
    let mut found = BTreeSet::new();
    let take = |scored: &mut ScoredPairing| {
        let is_in = scored.pairing.seats.contains(&entrant);
        if is_in && (scored.result.reason == FORFEIT) == forfeits {
            found.insert(scored.pairing.index);
        }
        Ok(())
    };
    journal.for_each_result(&cup, take).unwrap();
    found
}

#[test]
fn a_bot_that_leaves_forfeits_what_it_had_still_to_play_and_keeps_what_it_played() {
    let (folder, mut journal, cup) = begin(&settings("round-robin", 2));
    let path = folder.path().join("journal.sqlite");
    let mut wishes = vec![(20, Change::Disqualify { entrant: 1 })];
    play(&mut journal, &cup, (3, 0), None, |count| {
        request(&path, &mut wishes, count);
    });
    let now = journal.tournament("cup").unwrap();
    let from = now.changes[0].index;
    assert!((20..60).contains(&from), "{from}");
    let [played, forfeits] = [false, true].map(|forfeits| matches_of(&journal, 1, forfeits));
    assert!(played.iter().all(|index| *index < from) && !played.is_empty());
    assert!(forfeits.iter().all(|index| *index >= from) && !forfeits.is_empty());
    assert_eq!(played.len() + forfeits.len(), 20);
    let index = *forfeits.first().unwrap();
    let row = journal.match_row(&match_id(&cup.name, index)).unwrap();
    let fault = row.seats.iter().find_map(|seat| seat.result.fault.clone());
    assert_eq!(
        fault.unwrap().detail,
        "it was disqualified: the organiser says so"
    );
}

#[test]
fn a_match_that_cannot_be_played_does_not_keep_its_bot_in_the_tournament() {
    let (folder, mut journal, cup) = begin(&settings("round-robin", 2));
    let path = folder.path().join("journal.sqlite");
    let open = cup.schedule().unwrap().pairing(7).unwrap();
    let worker = |_, _: &Arc<Tournament>| {
        Ok(
            |task: &Task, _: &dyn Fn() -> bool| match task.pairing.index {
                7 => Err("no memory".to_owned()),
                _ => Ok(Some(failing(&cup, task, 0))),
            },
        )
    };
    let pool = || many(2).into();
    let ready = |_: &_| Ok(Vec::new());
    let stop = StopSignal::default();
    let ran = through_changes(&mut journal, &cup, pool(), &stop, (ready, worker), |_| {}).unwrap();
    assert_eq!((ran.played, ran.given_up), (59, 1));
    let entrant = open.seats[0];
    request(&path, &mut vec![(0, Change::Withdraw { entrant })], 0);
    let ran = through_changes(&mut journal, &cup, pool(), &stop, (ready, worker), |_| {}).unwrap();
    assert_eq!((ran.played, ran.given_up), (0, 0));
    let now = journal.tournament("cup").unwrap();
    assert_eq!(now.changes[0].index, 7);
    // What it played beyond the open match does not count any more.
    assert!(
        matches_of(&journal, entrant, false)
            .iter()
            .all(|index| *index < 7)
    );
    content(&journal);
}

#[test]
fn a_tournament_that_is_cancelled_is_over_whatever_is_still_open() {
    let (folder, mut journal, cup) = begin(&settings("round-robin", 2));
    let path = folder.path().join("journal.sqlite");
    let open = cup.schedule().unwrap().pairing(7).unwrap();
    let worker = |_, _: &Arc<Tournament>| {
        Ok(
            |task: &Task, _: &dyn Fn() -> bool| match task.pairing.index {
                7 => Err("no memory".to_owned()),
                _ => Ok(Some(failing(&cup, task, 0))),
            },
        )
    };
    let stop = StopSignal::default();
    let ready = |_: &_| Ok(Vec::new());
    through_changes(
        &mut journal,
        &cup,
        many(2).into(),
        &stop,
        (ready, worker),
        |_| {},
    )
    .unwrap();
    // The bot has no match that is open, so it leaves after all that were played.
    let entrant = (0..6).find(|bot| !open.seats.contains(bot)).unwrap();
    let changes = [Change::Withdraw { entrant }, Change::Cancel];
    request(&path, &mut changes.map(|change| (0, change)).to_vec(), 0);
    let now = flipside_store::settle_changes(&mut journal, cup.id).unwrap();
    let indices: Vec<u64> = now.changes.iter().map(|changed| changed.index).collect();
    assert_eq!(indices, [60, 7]);
    let table = full_table(&journal, &now).unwrap().standings;
    assert!(table.over && table.played == 7, "{}", table.played);
    content(&journal);
}

#[test]
fn a_change_that_a_tournament_cannot_have_is_refused_with_a_way_out() {
    let refused = |format: &str, change| {
        let (_folder, mut journal, cup) = begin(&settings(format, 2));
        let error = request_change(&mut journal, &cup.name, change, None, 1).unwrap_err();
        assert!(!journal.has_requests(cup.id).unwrap());
        let Error::Schedule(error) = error else {
            panic!("{error}");
        };
        format!("{error}; {}", error.hint())
    };
    let withdraw = |entrant| Change::Withdraw { entrant };
    insta::assert_snapshot!(
        [
            refused("round-robin", withdraw(6)),
            refused("round-robin", Change::Rounds { more: 0 }),
            refused("round-robin", Change::Rounds { more: u32::MAX }),
            refused("round-robin", Change::Matches { more: 1 }),
            refused("swiss", Change::Rounds { more: 4 }),
            refused("knockout", Change::Rounds { more: 1 }),
            refused("double-elimination", Change::Rounds { more: 1 }),
            refused("ladder", Change::Rounds { more: 1 }),
            refused("ladder", Change::Matches { more: u64::MAX }),
            refused("sprt", withdraw(0)),
            refused("sprt", Change::Matches { more: 1 }),
        ]
        .join("\n"),
        @r"
    there is no entrant 6; `flipside table` shows its bots
    an extension is by 1 at least; ask for 1 or more
    rounds: 1 to 1000000, not 4294967295; ask for a number in this range
    a round robin is extended by rounds; ask for --rounds N
    rounds of a swiss of so many bots: 1 to 5, not 6; ask for a number in this range
    a knockout cannot be extended: it has as many rounds as it needs; begin another tournament, under another --name
    a double elimination cannot be extended: it has as many rounds as it needs; begin another tournament, under another --name
    a ladder is extended by matches; ask for --matches N
    matches of a ladder: 1 to 1000000000, not 18446744073709551615; ask for a number in this range
    no bot can leave a sequential test: it tests the first of two bots against the second; `flipside cancel` ends the tournament
    a sequential test is extended by rounds; ask for --rounds N
    "
    );
    let (_folder, mut journal, cup) = begin(&settings("round-robin", 2));
    let mut request = |change| request_change(&mut journal, &cup.name, change, None, 1);
    request(withdraw(0)).unwrap();
    let again = request(Change::Disqualify { entrant: 0 }).unwrap_err();
    let left = ScheduleError::from(flipside_tournament::ChangeError::LeftAlready);
    assert!(matches!(again, Error::Schedule(error) if error == left));
    request(Change::Cancel).unwrap();
    let beyond = request(withdraw(1)).unwrap_err();
    let cancelled = ScheduleError::from(flipside_tournament::ChangeError::Cancelled);
    assert!(matches!(beyond, Error::Schedule(error) if error == cancelled));
}
