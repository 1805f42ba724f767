//! What is promised of workers that are banned: the tournament is then as if they had never played for it, in all
//! formats.

use flipside_store::{Audit, PackedRecord, PlayedBy};
use flipside_tournament::FORMATS;
use proptest::prelude::*;

use super::changes::{begin, content, settings};
use super::*;

/// Who plays a match, by what is drawn for it: one in three is the liar's.
fn liar_plays(index: u64, pattern: u64) -> bool {
    (pattern ^ index).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 3 == 0
}

/// Every second result of the liar is a lie.
fn is_a_lie(index: u64, pattern: u64) -> bool {
    (pattern ^ index).wrapping_mul(0xd134_2543_de82_ef95) >> 40 & 1 == 0
}

fn play(
    journal: &mut Journal,
    cup: &Tournament,
    (pattern, with_the_liar): (u64, bool),
    stop_after: u64,
    mut hear: impl FnMut(&RunEvent),
) -> RunSummary {
    let worker = |_, _: &Arc<Tournament>| {
        Ok(|task: &Task, abandoned: &dyn Fn() -> bool| {
            let index = task.pairing.index;
            let by_liar = with_the_liar && liar_plays(index, pattern);
            let lies = by_liar && is_a_lie(index, pattern);
            let mut finished = failing(cup, task, if lies { !pattern } else { pattern });
            finished.played_by = Some(PlayedBy {
                worker: if by_liar { "liar" } else { "honest" }.into(),
                class: String::new(),
            });
            Ok((!abandoned()).then_some(finished))
        })
    };
    let (asked, mut count) = (StopSignal::default(), 0);
    let on = |event| {
        hear(&event);
        if let RunEvent::Landed(_) = event {
            count += 1;
            if count == stop_after {
                asked.soon();
            }
        }
    };
    let pool = many(2).into();
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

/// The results of the liar that count: their indices.
fn of_the_liar(journal: &Journal, cup: &Tournament) -> Vec<u64> {
    let filter = MatchFilter {
        tournament: Some(cup.id),
        limit: 1_000_000,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&filter).unwrap().into_iter();
    let is_its = |row: &MatchRow| row.played_by.as_ref().is_some_and(|by| by.worker == "liar");
    let mut all: Vec<u64> = rows.filter(is_its).map(|row| row.index).collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_tournament_without_the_results_of_a_liar_is_as_if_it_had_never_played(
        format in 0..FORMATS.len(),
        pause_after in 0u32..3,
        pattern: u64,
        stop_after in 1u64..80,
    ) {
        let format = FORMATS[format];
        let settings = flipside_tournament::Settings {
            pause_after,
            ..settings(format, 2)
        };
        let honest = {
            let (_folder, mut journal, cup) = begin(&settings);
            play(&mut journal, &cup, (pattern, false), u64::MAX, |_| {});
            content(&journal)
        };
        let (_folder, mut journal, cup) = begin(&settings);
        play(&mut journal, &cup, (pattern, true), stop_after, |_| {});
        // Some of its results were played again, and were the same.
        let its = of_the_liar(&journal, &cup);
        let is_proven = |index: &u64| !is_a_lie(*index, pattern) && index.is_multiple_of(3);
        for &index in its.iter().filter(|index| !is_a_lie(**index, pattern)) {
            // What another worker says proves nothing.
            let auditor = if is_proven(&index) { "" } else { "friend" };
            let audit = equal(&journal, index, auditor);
            journal.note_audit(cup.id, &audit).unwrap();
        }
        let untrusted = its.iter().filter(|index| !is_proven(index)).count() as u64;
        let before = journal.stamp(cup.id).unwrap();
        journal.ban("liar", "match 0: it lies").unwrap();
        let mut told = None;
        play(&mut journal, &cup, (pattern, false), u64::MAX, |event| {
            if let RunEvent::Banned { worker, withdrawn, .. } = event {
                assert_eq!(worker, "liar");
                told = Some(*withdrawn);
            }
        });
        prop_assert_eq!(told, (untrusted > 0).then_some(untrusted));
        // The tables are made anew, though there may be as many matches as before.
        let after = journal.stamp(cup.id).unwrap();
        prop_assert_eq!(after.withdrawn, before.withdrawn + untrusted);
        // What was proven counts, unless the format has named others in its place.
        let left = of_the_liar(&journal, &cup);
        prop_assert!(left.iter().all(is_proven), "{:?}", left);
        if format == "round-robin" && pause_after == 0 {
            let proven: Vec<u64> = its.iter().copied().filter(is_proven).collect();
            prop_assert_eq!(left, proven);
        }
        prop_assert_eq!(content(&journal), honest);
    }
}

/// The audit of a match, whose record is the one that is in the journal now.
fn equal(journal: &Journal, index: u64, auditor: &str) -> Audit {
    let record = journal.record(&format!("cup-{index}")).unwrap();
    Audit {
        index,
        worker: "liar".into(),
        auditor: auditor.into(),
        difference: None,
        record: PackedRecord::hash(&record),
        proves: auditor.is_empty(),
    }
}

#[test]
fn nothing_but_an_audit_of_this_very_record_by_the_arena_proves_it() {
    let (_folder, mut journal, cup) = begin(&settings("round-robin", 2));
    play(&mut journal, &cup, (3, true), u64::MAX, |_| {});
    let its = of_the_liar(&journal, &cup);
    assert!(its.len() >= 6);
    for (&index, number) in its.iter().zip(0..) {
        let audit = equal(&journal, index, ["", "friend", ""][number % 3]);
        let record = if number % 3 == 2 {
            [7; 32]
        } else {
            audit.record
        };
        let audit = Audit { record, ..audit };
        journal.note_audit(cup.id, &audit).unwrap();
    }
    assert_eq!(journal.untrusted(cup.id).unwrap(), 0);
    assert_eq!(journal.withdraw(&cup).unwrap(), []);
    journal.ban("liar", "it lies").unwrap();
    let numbered = its.iter().zip(0..).filter(|(_, number)| number % 3 != 0);
    let expected: Vec<u64> = numbered.map(|(index, _)| *index).collect();
    assert_eq!(journal.untrusted(cup.id).unwrap(), expected.len() as u64);
    let withdrawn = journal.withdraw(&cup).unwrap();
    let withdrawn: Vec<u64> = withdrawn.into_iter().map(|(index, _)| index).collect();
    assert_eq!(withdrawn, expected);
    assert_eq!(journal.untrusted(cup.id).unwrap(), 0);
    assert_eq!(journal.withdraw(&cup).unwrap(), []);

    let trails = journal.worker_trails(cup.id).unwrap();
    let of = |name: &str| trails.iter().find(|trail| trail.worker == name).unwrap();
    let (all, gone) = (its.len() as u64, expected.len() as u64);
    let liar = of("liar");
    assert_eq!((liar.matches, liar.withdrawn), (all - gone, gone));
    assert_eq!((liar.proven, liar.untrue), (all, 0));
    assert_eq!(liar.banned.as_deref(), Some("it lies"));
    assert_eq!(of("").audits + of("friend").audits, all);
    assert_eq!(of("honest").banned, None);
    assert!(journal.readmit("liar").unwrap() && !journal.readmit("liar").unwrap());
}
