//! What the runner promises to any format, with matches that are made up instead of played.

mod aside;
mod changes;
mod withdrawn;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flipside_referee::{MatchResult, SeatFault, SeatResult};
use flipside_store::testing::{new_journal, tournament};
use flipside_store::{MatchFilter, MatchRow, PackedRecord};
use flipside_tournament::{FORFEIT, Next, Pairing, RoundRobin};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::testing::drawn;

const BOTS: u8 = 4;

/// What keeps no bots.
impl<F> MatchPlayer for F
where
    F: FnMut(&Task, &dyn Fn() -> bool) -> Result<Option<FinishedMatch>, String>,
{
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedMatch>, NotPlayed> {
        self(task, abandoned).map_err(NotPlayed::from)
    }
}

/// A director whose every match follows from what it has heard, in order: the bots from the last
/// result, whether it waits from the one before, and its end from the points of all.
#[derive(Default)]
struct Toy {
    named: u64,
    heard: Vec<MatchResult>,
    /// Named matches, shared with the test.
    log: Arc<Mutex<Vec<Pairing>>>,
    /// The end, once it is known.
    end: Option<u64>,
}

/// The most matches of a toy.
const TOY_MOST: u64 = 200;
/// It ends when the first seat has so many points.
const TOY_POINTS: i32 = 60;
/// How many matches it names beyond those that it has heard of.
const TOY_AHEAD: u64 = 7;

impl Director for Toy {
    fn next(&mut self) -> Next {
        let heard = self.heard.len() as u64;
        if self.end.is_some() || self.named == TOY_MOST {
            return Next::Over;
        }
        // It is named from all that it knows of the matches before a fixed distance.
        let known = self.named.saturating_sub(self.named % TOY_AHEAD);
        if heard < known {
            return Next::Wait;
        }
        let points: i32 = self.heard[..known as usize]
            .iter()
            .map(|outcome| outcome.seats[0].points)
            .sum();
        let first = (points as u64 + self.named) % u64::from(BOTS);
        let pairing = Pairing {
            index: self.named,
            round: (self.named / 10) as u32,
            block: self.named / 2,
            seats: vec![first as usize, (first as usize + 1) % usize::from(BOTS)],
        };
        self.named += 1;
        self.log.lock().unwrap().push(pairing.clone());
        Next::Match(pairing)
    }

    fn take(&mut self, index: u64, outcome: &MatchResult) {
        assert_eq!(index, self.heard.len() as u64, "in order, each once");
        assert!(index < self.named, "only what it has named");
        assert!(self.end.is_none(), "nothing beyond its end");
        self.heard.push(outcome.clone());
        let points: i32 = self
            .heard
            .iter()
            .map(|outcome| outcome.seats[0].points)
            .sum();
        if points >= TOY_POINTS {
            self.end = Some(index + 1);
        }
    }

    fn total(&self) -> Total {
        self.end.map_or(Total::AtMost(TOY_MOST), Total::Exactly)
    }
}

fn toy() -> (Box<dyn Director>, Arc<Mutex<Vec<Pairing>>>) {
    let toy = Toy::default();
    let log = toy.log.clone();
    (Box::new(toy), log)
}

fn fixed(tournament: &Tournament) -> Box<dyn Director> {
    tournament.director().unwrap()
}

/// A match whose result follows from its index and its bots. The time that it takes is drawn.
fn made_up(tournament: &Tournament, pairing: &Pairing) -> FinishedMatch {
    let pause = Duration::from_micros(drawn([pairing.index, 0]) % 400);
    std::thread::sleep(pause);
    flipside_store::testing::finished(tournament, pairing)
}

fn many(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

/// All matches of a journal, without their times, and their records.
type RunContent = Vec<(MatchRow, String)>;

fn content(journal: &Journal) -> RunContent {
    let filter = MatchFilter {
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let plain = |mut row: MatchRow| {
        (row.started_at, row.duration_us) = (0, 0);
        let record = journal.record(&row.id).unwrap();
        (row, record)
    };
    let rows = journal.matches(&filter).unwrap();
    rows.into_iter().map(plain).collect()
}

fn new_tournament(rounds: u32) -> (TempDir, Journal, Tournament) {
    let (folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", BOTS, rounds);
    (folder, journal, evening)
}

#[test]
fn a_director_names_the_same_matches_at_any_concurrency_and_the_journal_is_the_same() {
    let mut first: Option<(Vec<Pairing>, RunContent)> = None;
    for concurrency in [1, 2, 5] {
        let (_folder, mut journal, evening) = new_tournament(1);
        let (director, log) = toy();
        let match_player = || {
            Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
                Ok(Some(made_up(&evening, pairing)))
            })
        };
        let ran = direct(
            &mut journal,
            &evening,
            director,
            many(concurrency),
            &StopSignal::default(),
            match_player,
            |_| {},
        )
        .unwrap();
        let content = content(&journal);
        assert!(
            !ran.stopped && content.len() < TOY_MOST as usize,
            "a result ends it"
        );
        // What it named beyond its end depends on the moment; up to there nothing does.
        let mut named = log.lock().unwrap().clone();
        named.truncate(content.len());
        match &first {
            None => first = Some((named, content)),
            Some(first) => assert!(first.0 == named && first.1 == content, "{concurrency}"),
        }
    }
}

#[test]
fn a_run_that_plays_is_noted_with_where_its_matches_ran() {
    let (_folder, mut journal, evening) = new_tournament(20);
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            Ok(Some(FinishedMatch {
                started_at: unix_ms(),
                ..made_up(&evening, pairing)
            }))
        })
    };
    let run = |journal: &mut Journal, pinned, most: u64| {
        let (number, stop) = (many(2), StopSignal::default());
        let (pool, mut landed) = (
            ThreadPool {
                remote: None,
                number,
                pinned,
                is_noted: false,
            },
            0,
        );
        let on = |event| {
            landed += u64::from(matches!(event, RunEvent::Landed(_)));
            if landed == most {
                stop.now();
            }
        };
        direct(
            journal,
            &evening,
            fixed(&evening),
            pool,
            &stop,
            match_player,
            on,
        )
        .unwrap();
        let runs = journal.runs(evening.id).unwrap();
        (runs.all, runs.pinned)
    };
    assert_eq!(run(&mut journal, true, 1), (1, 1));
    assert_eq!(run(&mut journal, false, 1), (2, 1));
    assert_eq!(run(&mut journal, true, u64::MAX), (3, 2));
    // There is nothing left to play.
    assert_eq!(run(&mut journal, true, u64::MAX), (3, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_run_that_is_stopped_again_and_again_ends_as_one_that_was_not(
        stops in prop::collection::vec((1u64..40, any::<bool>()), 1..4),
        concurrency in 1usize..5,
        toys in any::<bool>(),
    ) {
        let whole = {
            let (_folder, mut journal, evening) = new_tournament(8);
            let director = if toys { toy().0 } else { fixed(&evening) };
            let match_player = || Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| Ok(Some(flipside_store::testing::finished(&evening, pairing))));
            direct(&mut journal, &evening, director, many(1), &StopSignal::default(), match_player, |_| {}).unwrap();
            content(&journal)
        };
        let (_folder, mut journal, evening) = new_tournament(8);
        let match_player = || Ok(|Task { pairing, .. }: &Task, abandoned: &dyn Fn() -> bool| {
            let finished = made_up(&evening, pairing);
            Ok((!abandoned()).then_some(finished))
        });
        let mut begins = 0;
        for (after, now) in stops.into_iter().map(Some).chain([None]).map(|stop| stop.unwrap_or((u64::MAX, false))) {
            let director = if toys { toy().0 } else { fixed(&evening) };
            let stop = StopSignal::default();
            let mut landed = 0;
            let ran = direct(&mut journal, &evening, director, many(concurrency), &stop, match_player, |event| match event {
                RunEvent::Begins { landed, .. } => assert!(landed >= begins, "nothing is lost"),
                RunEvent::Landed(_) => {
                    landed += 1;
                    if landed == after {
                        if now { stop.now() } else { stop.soon() }
                    }
                }
                RunEvent::Stored => {}
                other => panic!("{other:?}"),
            }).unwrap();
            prop_assert_eq!(ran.played, landed);
            begins = journal.played(evening.id).unwrap().len();
        }
        prop_assert_eq!(content(&journal), whole);
    }
}

#[test]
fn matches_beyond_the_end_are_forgotten_also_by_the_next_run() {
    let (_folder, mut journal, evening) = new_tournament(1);
    let match_player =
        || {
            Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
                Ok(Some(made_up(&evening, pairing)))
            })
        };
    let run = |journal: &mut Journal| {
        direct(
            journal,
            &evening,
            toy().0,
            many(2),
            &StopSignal::default(),
            match_player,
            |_| {},
        )
        .unwrap()
    };
    run(&mut journal);
    let before = content(&journal);
    // A run that was killed before it could forget.
    let end = before.len() as u64;
    for index in [end, end + 1, end + 5] {
        let moot = Pairing {
            index,
            round: 0,
            block: index / 2,
            seats: vec![0, 1],
        };
        journal
            .land(&flipside_store::testing::finished(&evening, &moot))
            .unwrap();
        journal.void(evening.id, index, "no memory", 1).unwrap();
    }
    assert_eq!(
        run(&mut journal),
        RunSummary {
            beyond: 3,
            ..RunSummary::default()
        },
        "there is nothing to play"
    );
    assert_eq!(content(&journal), before);
    assert!(journal.voids(evening.id).unwrap().is_empty());
}

#[test]
fn a_match_that_hangs_lets_others_run_ahead_only_so_far() {
    let (_folder, mut journal, evening) = new_tournament(1_000);
    let total = evening.schedule().unwrap().total();
    assert!(total > 2 * MAX_AHEAD as u64);
    // The other match of the block waits for the one that hangs.
    let most_begun = MAX_AHEAD - 1;
    let begun = AtomicUsize::new(0);
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            begun.fetch_add(1, Ordering::Relaxed);
            if pairing.index == 0 {
                while begun.load(Ordering::Relaxed) < most_begun {
                    std::thread::sleep(Duration::from_millis(1));
                }
                // Time to do what must not be done.
                std::thread::sleep(Duration::from_millis(50));
                assert_eq!(begun.load(Ordering::Relaxed), most_begun);
            }
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    let ran = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(3),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap();
    assert_eq!(ran.played, total);
}

#[test]
fn a_match_that_the_host_cannot_play_stays_open_and_the_others_are_played() {
    let (_folder, mut journal, evening) = new_tournament(2);
    let total = evening.schedule().unwrap().total();
    let tried = AtomicUsize::new(0);
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            if pairing.index == 3 {
                tried.fetch_add(1, Ordering::Relaxed);
                return Err("no memory".to_owned());
            }
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    let mut said = Vec::new();
    let ran = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(2),
        &StopSignal::default(),
        match_player,
        |event| {
            if let RunEvent::Void { id, again, .. } = event {
                said.push((id, again));
            }
        },
    )
    .unwrap();
    assert_eq!(
        (ran.played, ran.voids, ran.given_up),
        (total - 1, MAX_TRIES.into(), 1)
    );
    assert_eq!(tried.into_inner(), MAX_TRIES as usize);
    let id = "evening-3".to_owned();
    assert_eq!(said, [(id.clone(), true), (id.clone(), true), (id, false)]);
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    let ran = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(2),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap();
    assert_eq!((ran.played, ran.given_up), (1, 0));
}

#[test]
fn a_run_ends_when_nothing_can_be_played_or_a_match_thread_cannot_work() {
    let (_folder, mut journal, evening) = new_tournament(20);
    let match_player = || Ok(|_: &Task, _: &dyn Fn() -> bool| Err("no memory".to_owned()));
    let error = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(20),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{MAX_GIVEN_UP_IN_A_ROW} matches in a row could not be played; the last: no memory"
        )
    );
    let match_player = || match true {
        true => Err(RunnerError::Play("no event queue".into())),
        false => Ok(|_: &Task, _: &dyn Fn() -> bool| Ok(None)),
    };
    let error = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(2),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "no event queue");
}

#[test]
fn a_journal_of_other_matches_than_the_director_names_is_not_carried_on() {
    let (_folder, mut journal, evening) = new_tournament(2);
    let mut other = evening.schedule().unwrap().pairing(0).unwrap();
    other.seats.reverse();
    journal
        .land(&flipside_store::testing::finished(&evening, &other))
        .unwrap();
    let match_player = || Ok(|_: &Task, _: &dyn Fn() -> bool| Ok(None));
    let error = direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(1),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap_err();
    assert!(
        matches!(error, RunnerError::Store(Error::OtherSchedule { index: 0 })),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("nothing is lost"));
}

#[test]
fn a_match_thread_that_panics_ends_the_run_and_nobody_waits_for_its_match() {
    let (_folder, mut journal, evening) = new_tournament(30);
    let stop = StopSignal::default();
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            if pairing.index == 3 {
                stop.soon();
                panic!("it is meant to");
            }
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    let run = std::panic::AssertUnwindSafe(|| {
        direct(
            &mut journal,
            &evening,
            fixed(&evening),
            many(2),
            &stop,
            match_player,
            |_| {},
        )
    });
    // The threads of a run are joined, and hand the panic on.
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn every_match_of_a_schedule_is_played_once_whatever_is_there_already() {
    let (_folder, mut journal, evening) = new_tournament(30);
    let schedule: RoundRobin = evening.schedule().unwrap();
    for pairing in schedule
        .iter()
        .filter(|pairing| pairing.index % 7 < 3 || pairing.index > 300)
    {
        journal
            .land(&flipside_store::testing::finished(&evening, &pairing))
            .unwrap();
    }
    let there = journal.played(evening.id).unwrap();
    let played = Mutex::new(HashSet::new());
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            assert!(played.lock().unwrap().insert(pairing.index) && !there.contains(pairing.index));
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(3),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap();
    let mut indices = Vec::new();
    journal
        .for_each_result(&evening, |scored| {
            indices.push(scored.pairing.index);
            Ok(())
        })
        .unwrap();
    assert_eq!(indices, (0..schedule.total()).collect::<Vec<_>>());
}

// --- Bots that are used again.

/// Who keeps bots, and what these have met.
#[derive(Default)]
struct TestHall {
    /// By match thread, the blocks that bots have met which are still there.
    met: Mutex<Vec<HashSet<u64>>>,
    /// By the index of a match, how often it was begun.
    tries: Mutex<HashMap<u64, u64>>,
}

/// A player of matches whose bots wish to be used again; it tells when one could tell another what happens in its match.
struct TestKeeper<'a> {
    hall: &'a TestHall,
    number: usize,
    evening: &'a Tournament,
}

impl MatchPlayer for TestKeeper<'_> {
    fn play(
        &mut self,
        task: &Task,
        _: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedMatch>, NotPlayed> {
        let block = task.pairing.block;
        let mut met = self.hall.met.lock().unwrap();
        let know = met.iter().any(|blocks| blocks.contains(&block));
        assert!(!know, "somebody is there who has met block {block}");
        met[self.number].insert(block);
        drop(met);
        let finished = made_up(self.evening, &task.pairing);
        let tries = {
            let mut tries = self.hall.tries.lock().unwrap();
            let tries = tries.entry(task.pairing.index).or_default();
            *tries += 1;
            *tries
        };
        match drawn([task.pairing.index, tries]) % 16 {
            // What played it has ended, and it is played again.
            0 => {
                self.hall.met.lock().unwrap()[self.number].remove(&block);
                Err("no memory".to_owned().into())
            }
            _ => Ok(Some(finished)),
        }
    }

    fn keeps_bots(&self) -> bool {
        !self.hall.met.lock().unwrap()[self.number].is_empty()
    }

    fn end_kept(&mut self) {
        self.hall.met.lock().unwrap()[self.number].clear();
    }
}

#[test]
fn no_bot_is_there_that_has_met_a_block_when_another_match_of_it_is_played() {
    for (seats, concurrency) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 3)] {
        let (_folder, mut journal, evening) = new_tournament(1);
        let ids: Vec<_> = evening.entrants.iter().map(|bot| bot.id).collect();
        let settings = flipside_tournament::Settings {
            game: "flip4".into(),
            seats,
            rounds: 20,
            ..evening.settings.clone()
        };
        let name = "night".parse().unwrap();
        let night = journal.begin(&name, &settings, &ids, 1).unwrap().tournament;
        let hall = TestHall::default();
        hall.met
            .lock()
            .unwrap()
            .resize_with(concurrency, HashSet::new);
        let numbers = AtomicUsize::new(0);
        let match_player = || {
            Ok(TestKeeper {
                hall: &hall,
                number: numbers.fetch_add(1, Ordering::Relaxed),
                evening: &night,
            })
        };
        let ran = direct(
            &mut journal,
            &night,
            fixed(&night),
            many(concurrency),
            &StopSignal::default(),
            match_player,
            |_| {},
        )
        .unwrap();
        let total = night.schedule().unwrap().total();
        assert_eq!(ran.played + ran.given_up, total);
    }
}

#[test]
fn matches_of_bots_that_end_are_played_in_order() {
    let (_folder, mut journal, evening) = new_tournament(10);
    let order = Mutex::new(Vec::new());
    let match_player = || {
        Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
            order.lock().unwrap().push(pairing.index);
            Ok(Some(flipside_store::testing::finished(&evening, pairing)))
        })
    };
    direct(
        &mut journal,
        &evening,
        fixed(&evening),
        many(1),
        &StopSignal::default(),
        match_player,
        |_| {},
    )
    .unwrap();
    assert!(order.into_inner().unwrap().is_sorted());
}

// --- Bots that fail match after match.

/// A bot is at fault by what is drawn for the match, and more often the higher its number.
fn failing(tournament: &Tournament, task: &Task, pattern: u64) -> FinishedMatch {
    let pairing = &task.pairing;
    let pause = Duration::from_micros(drawn([pairing.index, 0]) % 300);
    std::thread::sleep(pause);
    let seats = pairing.seats.len();
    let fault = |seat: usize| {
        let entrant = pairing.seats[seat];
        let drawn = (pattern ^ pairing.index ^ (entrant as u64) << 40)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 60;
        let name = match task.away.iter().any(|(away, _)| *away == seat) {
            true => FORFEIT,
            false if drawn < 5 * entrant as u64 => ["late", "crashed"][drawn as usize % 2],
            false => return None,
        };
        let detail = format!("{name} in match {}", pairing.index);
        let name = name.into();
        Some(SeatFault { name, detail })
    };
    let mut finished = flipside_store::testing::finished(tournament, pairing);
    let seat = |seat: usize| SeatResult {
        place: 1 + fault(seat).is_some() as u8,
        points: fault(seat).is_none().into(),
        fault: fault(seat),
        used_us: 1_000,
        plies: 20,
        model: None,
    };
    finished.scored.result.seats = (0..seats).map(seat).collect();
    let at_fault = (0..seats).filter(|&seat| fault(seat).is_some());
    let evidence = at_fault.map(|seat| (seat as u8, PackedRecord::pack("{}")));
    finished.evidence = evidence.collect();
    finished
}

/// What the journal of such a tournament must hold, worked out plainly, match by match: by index, the
/// faults by seat and whether it was played.
fn worked_out(tournament: &Tournament, pattern: u64) -> Vec<(u64, Vec<Option<String>>, bool)> {
    let pause_after = tournament.settings.pause_after;
    let mut in_a_row = vec![0; tournament.entrants.len()];
    let mut paused = vec![false; tournament.entrants.len()];
    let mut all = Vec::new();
    for pairing in tournament.schedule().unwrap().iter() {
        let away: Vec<usize> = (0..pairing.seats.len())
            .filter(|&seat| paused[pairing.seats[seat]])
            .collect();
        let left = pairing.seats.len() - away.len();
        if left == 0 {
            continue;
        }
        let played = left > 1;
        let task = Task {
            pairing: pairing.clone(),
            away: away.iter().map(|&seat| (seat, String::new())).collect(),
        };
        let faults: Vec<Option<String>> = match played {
            true => failing(tournament, &task, pattern)
                .scored
                .result
                .seats
                .into_iter()
                .map(|seat| seat.fault.map(|fault| fault.name))
                .collect(),
            false => (0..pairing.seats.len())
                .map(|seat| away.contains(&seat).then(|| FORFEIT.to_owned()))
                .collect(),
        };
        if played {
            for (&bot, fault) in pairing.seats.iter().zip(&faults) {
                in_a_row[bot] = if fault.is_some() {
                    in_a_row[bot] + 1
                } else {
                    0
                };
                paused[bot] |= pause_after > 0 && in_a_row[bot] >= pause_after;
            }
        }
        all.push((pairing.index, faults, played));
    }
    all
}

/// What the journal holds of a tournament, as [`worked_out`] gives it.
fn faults_of(journal: &Journal, tournament: &Tournament) -> Vec<(u64, Vec<Option<String>>, bool)> {
    let all = MatchFilter {
        tournament: Some(tournament.id),
        limit: 10_000,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&all).unwrap().into_iter();
    let rows = rows.map(|row| {
        let played = journal.record(&row.id).is_ok();
        assert_eq!(played, row.reason != FORFEIT);
        let faults = row.seats.into_iter();
        let faults = faults.map(|seat| seat.result.fault.map(|fault| fault.name));
        (row.index, faults.collect(), played)
    });
    let mut content: Vec<_> = rows.collect();
    content.reverse();
    content
}

/// Plays a tournament whose bots fail by this pattern, with a stop after each of these numbers of results, at once or
/// soon. What is there is right at each of them and in the end.
fn stopped_and_resumed(
    journal: &mut Journal,
    night: &Tournament,
    pattern: u64,
    concurrency: usize,
    stops: Vec<(u64, bool)>,
) -> Result<(), TestCaseError> {
    let match_player = || {
        Ok(|task: &Task, abandoned: &dyn Fn() -> bool| {
            let finished = failing(night, task, pattern);
            Ok((!abandoned()).then_some(finished))
        })
    };
    let mut done = 0;
    let most = night.schedule().unwrap().total();
    let mut has_gaps = false;
    for (after, now) in stops.into_iter().chain([(u64::MAX, false)]) {
        let stop = StopSignal::default();
        let mut landed = 0;
        let on = |event: RunEvent| match event {
            RunEvent::Landed(_) | RunEvent::LeftOut => {
                landed += 1;
                if landed == after {
                    if now { stop.now() } else { stop.soon() }
                }
            }
            RunEvent::Begins { landed, total } => {
                assert_eq!(total, Total::Exactly(most));
                done = landed;
            }
            RunEvent::Paused(_) | RunEvent::Stored => {}
            other => panic!("{other:?}"),
        };
        direct(
            journal,
            night,
            fixed(night),
            many(concurrency),
            &stop,
            match_player,
            on,
        )
        .unwrap();
        has_gaps |= now;
        let (there, all) = (faults_of(journal, night), worked_out(night, pattern));
        if !has_gaps {
            prop_assert_eq!(&there[..], &all[..there.len()], "a stop leaves no gap");
        }
        let is_there = |index: u64| there.iter().any(|(other, ..)| *other == index);
        let mut indices = all.iter().map(|(index, ..)| *index);
        let gap = indices.find(|index| !is_there(*index)).unwrap_or(u64::MAX);
        for (index, _, played) in &there {
            prop_assert!(
                *played || *index < gap,
                "match {} is forfeited before its turn",
                index
            );
        }
    }
    prop_assert!(done <= most);
    prop_assert_eq!(&faults_of(journal, night), &worked_out(night, pattern));
    // Once more: nothing is left to do, and who is paused stays so.
    let pauses = journal.pauses(night).unwrap();
    let ran = direct(
        journal,
        night,
        fixed(night),
        many(1),
        &StopSignal::default(),
        match_player,
        |_| {},
    );
    let ran = ran.unwrap();
    prop_assert_eq!((ran.played, ran.given_up), (0, 0));
    prop_assert_eq!(&journal.pauses(night).unwrap(), &pauses);
    prop_assert_eq!(
        &flipside_store::table(journal, night).unwrap().pauses,
        &pauses
    );
    Ok(())
}

/// The same of a new tournament with so many seats.
fn paused_bots_are_the_same(
    (pattern, seats, pause_after): (u64, u8, u32),
    concurrency: usize,
    stops: Vec<(u64, bool)>,
) -> Result<(), TestCaseError> {
    let (_folder, mut journal, evening) = new_tournament(1);
    let settings = flipside_tournament::Settings {
        game: "flip4".into(),
        seats,
        rounds: 3,
        pause_after,
        ..evening.settings.clone()
    };
    let ids: Vec<_> = evening.entrants.iter().map(|bot| bot.id).collect();
    let night = journal.begin(&"night".parse().unwrap(), &settings, &ids, 1);
    let night = night.unwrap().tournament;
    stopped_and_resumed(&mut journal, &night, pattern, concurrency, stops)?;
    for pause in journal.pauses(&night).unwrap() {
        prop_assert_eq!(pause.faults.values().sum::<u32>(), pause_after);
        let suffix = format!(" in match {}", pause.index);
        prop_assert!(pause.detail.ends_with(&suffix), "{:?}", pause);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_matches_of_paused_bots_are_the_same_at_any_concurrency_and_however_often_it_is_stopped(
        pattern: u64,
        seats in 2u8..=4,
        pause_after in 0u32..4,
        concurrency in 1usize..6,
        stops in prop::collection::vec((1u64..30, any::<bool>()), 0..3),
    ) {
        paused_bots_are_the_same((pattern, seats, pause_after), concurrency, stops)?;
    }
}

#[test]
fn the_matches_of_paused_bots_are_the_same_where_they_once_were_not() {
    for (drawn, concurrency, stop) in [
        ((502_501_369_675_585_406, 2, 2), 1, 1),
        ((8_605_691_429_106_191_684, 3, 1), 5, 4),
        ((950_364_417_944_733_670, 3, 2), 3, 8),
    ] {
        paused_bots_are_the_same(drawn, concurrency, vec![(stop, false)]).unwrap();
    }
}

#[test]
fn a_test_whose_bots_are_both_paused_is_over_and_undecided() {
    let pause_after = 3;
    let tested = flipside_tournament::Settings {
        pause_after,
        ..changes::settings("sprt", 2)
    };
    for concurrency in [1, 2, 5] {
        let (_folder, mut journal, cup) = changes::begin(&tested);
        let match_player = || {
            Ok(|Task { pairing, .. }: &Task, _: &dyn Fn() -> bool| {
                let mut finished = made_up(&cup, pairing);
                for seat in &mut finished.scored.result.seats {
                    (seat.place, seat.points) = (1, 0);
                    seat.fault = Some(SeatFault {
                        name: "crashed".into(),
                        detail: "at once".into(),
                    });
                }
                Ok(Some(finished))
            })
        };
        let stop = StopSignal::default();
        let (director, pool) = (fixed(&cup), many(concurrency));
        let ran = direct(
            &mut journal,
            &cup,
            director,
            pool,
            &stop,
            match_player,
            |_| {},
        )
        .unwrap();
        assert!(!ran.stopped && ran.given_up == 0);
        // What was played beyond the pause does not count, and the table says that nothing is missing.
        let (rows, _) = changes::content(&journal);
        assert_eq!(rows.len() as u32, pause_after);
        let standings = flipside_store::table(&journal, &cup).unwrap();
        assert_eq!(standings.total, Total::Exactly(pause_after.into()));
        let running = standings.sprt.unwrap();
        assert_eq!((running.blocks, running.decision), (1, None));
        // It cannot be made longer, because nobody would play it.
        let (name, longer) = (
            cup.name.clone(),
            flipside_tournament::Change::Rounds { more: 1 },
        );
        let refusal = flipside_store::request_change(&mut journal, &name, longer, None, 1);
        let refusal = refusal.unwrap_err().to_string();
        assert_eq!(
            refusal,
            "the test is decided, or both of its bots are paused"
        );
    }
}
