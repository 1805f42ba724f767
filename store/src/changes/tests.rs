//! Every way of not coming to a match, in every format: nobody gets points for what nobody played, no rating follows
//! from it, and who left is not paired any more where rounds are paired by results.

use std::collections::{BTreeMap, BTreeSet};

use flipside_ratings::Fit;
use flipside_referee::{MatchResult, SeatFault};
use flipside_tournament::testing::{name, settings};
use flipside_tournament::{
    Bot, FORFEIT, Format, LeftAs, PolicyDecision, ScoredPairing, Settings, Standings, forfeits,
};
use tempfile::TempDir;

use super::*;
use crate::journal::matches::FinishedMatch;
use crate::journal::unix_ms;
use crate::tables::table;
use crate::testing::{file, new_journal};

/// How bots 0 and 1 stop coming.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RequestPath {
    Withdrawn,
    Disqualified,
    /// They are at fault in every match, and paused after two.
    Paused,
}

const LEAVING: [usize; 2] = [0, 1];

struct ChangePlayed {
    _folder: TempDir,
    journal: Journal,
    tournament: Tournament,
    /// The matches that nobody played.
    left_out: Vec<Vec<usize>>,
}

/// The better number wins, always.
fn result(seats: &[usize], way: RequestPath) -> MatchResult {
    let least = seats.iter().min();
    let mut result = MatchResult::of_places(seats.iter().map(|seat| match Some(seat) == least {
        true => 1,
        false => 2,
    }));
    for (seat, bot) in result.seats.iter_mut().zip(seats) {
        if way == RequestPath::Paused && LEAVING.contains(bot) {
            seat.place = 2;
            seat.fault = Some(SeatFault {
                name: "crashed".into(),
                detail: "it ended".into(),
            });
        }
    }
    if result.seats.iter().all(|seat| seat.place == 2) {
        result.seats.iter_mut().for_each(|seat| seat.place = 1);
    }
    result
}

/// Plays a tournament to its end; from match `at` on bots 0 and 1 do not come.
fn played(format: &str, (bots, rounds): (u8, u32), (way, at): (RequestPath, u64)) -> ChangePlayed {
    let (folder, mut journal) = new_journal();
    let bots: Vec<BotId> = (0..bots)
        .map(|bot| {
            let added = journal.add_bot(&name(&format!("bot{bot}")), &file(bot), 1);
            added.expect("added").bot.id
        })
        .collect();
    let mut format: Format = format.parse().expect("a format");
    if let Format::Ladder(ladder) = &mut format {
        ladder.matches = 120;
    }
    let settings = Settings {
        format,
        pause_after: 2,
        ..settings(rounds)
    };
    let title = name("evening");
    let mut tournament = journal
        .begin(&title, &settings, &bots, 2)
        .expect("begun")
        .tournament;
    let mut asked = way == RequestPath::Paused;
    loop {
        let mut director = tournament.director().expect("it can be directed");
        let mut cursor = ScheduleCursor::new(&tournament, &mut *director);
        let Some((pairing, disposition)) = journal.up_to_now(&mut cursor).expect("it can be read")
        else {
            break;
        };
        if !asked && pairing.index >= at {
            asked = true;
            for entrant in LEAVING {
                let change = match way {
                    RequestPath::Disqualified => Change::Disqualify { entrant },
                    _ => Change::Withdraw { entrant },
                };
                let requested = request_change(&mut journal, &title, change, None, unix_ms());
                requested.expect("it can be changed");
            }
            tournament = settle_changes(&mut journal, tournament.id).expect("settled");
            continue;
        }
        let finished = match &disposition {
            PolicyDecision::Forfeit(away) => FinishedMatch::forfeited(&cursor, &pairing, away, 1),
            _ => {
                let (pairing, result) = (pairing.clone(), result(&pairing.seats, way));
                FinishedMatch::new(&tournament, ScoredPairing { pairing, result }, (1, 2))
            }
        };
        journal.land(&finished).expect("it can be written");
        for (bot, faults) in cursor.hear(&pairing, &disposition, &finished.scored.result) {
            let bot = &tournament.entrants[bot];
            let paused = journal.pause(tournament.id, bot, pairing.index, faults);
            paused.expect("it can be written");
        }
    }
    let mut left_out = Vec::new();
    let mut director = tournament.director().expect("it can be directed");
    let mut cursor = ScheduleCursor::new(&tournament, &mut *director);
    let mut results = BTreeMap::new();
    journal
        .for_each_result(&tournament, |scored| {
            results.insert(scored.pairing.index, scored.result.clone());
            Ok(())
        })
        .expect("it can be read");
    while let Some((pairing, disposition)) = cursor.named() {
        match disposition {
            PolicyDecision::LeaveOut => {
                left_out.push(pairing.seats.clone());
                cursor.pass(&pairing);
            }
            _ => {
                cursor.hear(&pairing, &disposition, &results[&pairing.index]);
            }
        }
    }
    ChangePlayed {
        _folder: folder,
        journal,
        tournament,
        left_out,
    }
}

impl ChangePlayed {
    fn results(&self) -> Vec<ScoredPairing> {
        let mut all = Vec::new();
        let taken = self.journal.for_each_result(&self.tournament, |scored| {
            all.push(scored.clone());
            Ok(())
        });
        taken.expect("it can be read");
        all
    }

    fn table(&self) -> Standings {
        table(&self.journal, &self.tournament).expect("it can be read")
    }
}

const FORMATS: [(&str, (u8, u32)); 6] = [
    ("round-robin", (6, 3)),
    ("gauntlet", (6, 3)),
    ("swiss", (6, 5)),
    ("knockout", (6, 1)),
    ("double-elimination", (6, 1)),
    ("ladder", (6, 1)),
];

#[test]
fn nobody_gets_points_or_a_rating_for_what_nobody_played() {
    let mut seen = BTreeSet::new();
    for (format, size) in FORMATS {
        for way in [
            RequestPath::Withdrawn,
            RequestPath::Disqualified,
            RequestPath::Paused,
        ] {
            for at in [0, 1, 2, 4, 6, 9] {
                let what = format!("{format}, {way:?} at {at}");
                let played = played(format, size, (way, at));
                let results = played.results();
                let table = played.table();
                assert!(table.over, "{what}");
                let is_forfeit = |scored: &&ScoredPairing| scored.result.reason == FORFEIT;
                seen.extend(results.iter().find(is_forfeit).map(|_| (format, "forfeit")));
                seen.extend(played.left_out.first().map(|_| (format, "left out")));
                for scored in results.iter().filter(is_forfeit) {
                    let away = scored.result.seats.iter().filter(|seat| forfeits(seat));
                    assert_eq!(away.count(), 1, "{what}: one has come");
                }
                let nobody = |seats: &Vec<usize>| seats.iter().all(|bot| LEAVING.contains(bot));
                assert!(played.left_out.iter().all(nobody), "{what}");

                // The ratings are those of the matches that were played.
                let seating = played.tournament.settings.seating().unwrap();
                let by_play = results.iter().filter(|scored| !is_forfeit(scored));
                let by_play: Vec<ScoredPairing> = by_play.cloned().collect();
                let fit = Fit::of(size.0.into(), &seating, &by_play);
                for row in &table.rows {
                    let bot: usize = row.bot[3..4].parse().unwrap();
                    let own = [row.rating, row.deviation, row.low, row.high];
                    assert_eq!(own, fit.rating(bot).rounded(), "{what}: {}", row.bot);
                    let by_play = by_play.iter().filter(|scored| {
                        let seats = &scored.result.seats;
                        scored.pairing.seats.contains(&bot)
                            && seats.iter().all(|seat| seat.fault.is_none())
                    });
                    assert_eq!(row.by_play, by_play.count() as u64, "{what}: {}", row.bot);
                }

                // Points are for a match with a result, and in a swiss for a bye.
                let own = |at: usize, key: &str| {
                    let ranking = table.ranking.as_ref().unwrap();
                    let column = ranking.by.iter().position(|by| *by == key).unwrap();
                    ranking.rows[at].cells[column].parse::<f64>().unwrap()
                };
                let all: f64 = table.rows.iter().map(|row| row.score).sum();
                assert_eq!(all, results.len() as f64, "{what}: a point each");
                if format == "swiss" {
                    // A bot has one block in a round.
                    let mut blocks = BTreeMap::new();
                    for ScoredPairing { pairing, .. } in &results {
                        for &bot in &pairing.seats {
                            let block = blocks.entry((pairing.round, bot)).or_insert(pairing.block);
                            assert_eq!(*block, pairing.block, "{what}: bot {bot} plays twice");
                        }
                    }
                    let points: f64 = (0..table.rows.len()).map(|at| own(at, "points")).sum();
                    let byes: f64 = (0..table.rows.len()).map(|at| own(at, "byes")).sum();
                    assert_eq!(points, all + 2.0 * byes, "{what}: {table:?}");
                }

                // Who was disqualified stands last, who has left is marked.
                let left: Vec<Option<LeftAs>> = table.rows.iter().map(|row| row.left).collect();
                let marked = match way {
                    RequestPath::Paused => vec![],
                    RequestPath::Withdrawn => vec![LeftAs::Withdrawn; 2],
                    RequestPath::Disqualified => vec![LeftAs::Disqualified; 2],
                };
                assert_eq!(
                    left.iter().flatten().copied().collect::<Vec<_>>(),
                    marked,
                    "{what}"
                );
                if way == RequestPath::Disqualified {
                    assert_eq!(
                        left.iter().take_while(|left| left.is_none()).count(),
                        4,
                        "{what}"
                    );
                    let ranks: Vec<usize> = table.rows.iter().map(|row| row.rank).collect();
                    assert!(ranks[4] == 5 && ranks.is_sorted(), "{what}: {ranks:?}");
                }
            }
        }
    }
    for (format, _) in FORMATS {
        assert!(
            seen.contains(&(format, "forfeit")),
            "{format}: there are forfeits"
        );
    }
    // There the two who do not come meet, whatever the results.
    for format in ["round-robin", "gauntlet"] {
        assert!(
            seen.contains(&(format, "left out")),
            "{format}: some are left out"
        );
    }
}

#[test]
fn a_bot_is_disqualified_afterwards_with_its_matches_or_without_them() {
    const OUT: usize = 2;
    for (format, size) in FORMATS {
        let mut played = played(format, size, (RequestPath::Withdrawn, u64::MAX));
        let (before, results) = (played.table(), played.results());
        let title = played.tournament.name.clone();
        let label = played.tournament.entrants[OUT].label();
        let reason: ChangeReason = "copied from bot0".parse().unwrap();
        let always_counts = ["swiss", "knockout", "double-elimination"].contains(&format);
        // The latest decision holds.
        for counts in [true, false, true] {
            let what = format!("{format}, {counts}");
            let strike = Change::Strike {
                entrant: OUT,
                counts,
            };
            let why = Some(reason.clone());
            let requested = request_change(&mut played.journal, &title, strike, why, 9);
            if always_counts && !counts {
                let refused = requested.unwrap_err().to_string();
                assert!(refused.contains("always count"), "{what}: {refused}");
                continue;
            }
            requested.unwrap();
            played.tournament = settle_changes(&mut played.journal, played.tournament.id).unwrap();
            assert_eq!(played.results(), results, "{what}: nothing is edited");
            let table = played.table();
            assert!(table.over && table.total == before.total, "{what}");
            assert_eq!(table.played, before.played, "{what}");
            assert_eq!(
                table.encounters, before.encounters,
                "{what}: the bracket stays"
            );

            let last = table.rows.last().unwrap();
            assert_eq!((&last.bot, last.rank), (&label, 6), "{what}: {table:?}");
            assert_eq!(last.left, Some(LeftAs::Disqualified), "{what}");
            assert_eq!(last.left_because.as_ref(), Some(&reason), "{what}");
            assert_eq!(last.is_void, !counts, "{what}");
            let of_it = |scored: &&ScoredPairing| scored.pairing.seats.contains(&OUT);
            let own = results.iter().filter(of_it).count() as u64;
            assert_eq!(table.uncounted, if counts { 0 } else { own }, "{what}");

            // The others stand as they would by the matches that count.
            let seating = played.tournament.settings.seating().unwrap();
            let mut tally = flipside_tournament::Tally::new(size.0.into(), &seating);
            let counted = results.iter().filter(|scored| counts || !of_it(scored));
            counted.for_each(|scored| tally.take(scored));
            let names: Vec<String> = played.tournament.entrants.iter().map(Bot::label).collect();
            let due = tally.standings(&names, None, &tally.fit(None));
            for row in &table.rows {
                let due = due.rows.iter().find(|due| due.bot == row.bot).unwrap();
                assert_eq!((row.score, row.games), (due.score, due.games), "{what}");
                assert_eq!(row.percent, due.percent, "{what}");
            }
            if counts {
                let order = |table: &Standings| -> Vec<String> {
                    let rows = table.rows.iter().map(|row| row.bot.clone());
                    rows.filter(|bot| *bot != label).collect()
                };
                assert_eq!(order(&table), order(&before), "{what}");
            }

            // The matches that are listed say the same.
            let filter = crate::MatchFilter {
                tournament: Some(played.tournament.id),
                limit: usize::MAX,
                ..crate::MatchFilter::default()
            };
            let rows = played.journal.matches(&filter).unwrap();
            for row in &table.rows {
                let seats = rows.iter().filter(|one| one.counts);
                let seats = seats.flat_map(|one| &one.seats);
                let points = seats.filter(|seat| seat.bot == row.bot);
                let points: f64 = points.map(|seat| seat.points).sum();
                assert_eq!(points, row.score, "{what}: {}", row.bot);
            }
        }
        // It would play on.
        let longer = match format {
            "ladder" => Change::Matches { more: 2 },
            _ => Change::Rounds { more: 1 },
        };
        let refused = request_change(&mut played.journal, &title, longer, None, 9);
        assert!(refused.is_err(), "{format}");
    }
}

#[test]
fn a_bot_that_plays_is_disqualified_before_its_matches_are_taken_out() {
    let (_folder, mut journal) = new_journal();
    let added = [0, 1].map(|bot| journal.add_bot(&name(&format!("bot{bot}")), &file(bot), 1));
    let bots = added.map(|added| added.unwrap().bot.id);
    let title = name("evening");
    journal.begin(&title, &settings(2), &bots, 2).unwrap();
    let strike = Change::Strike {
        entrant: 0,
        counts: false,
    };
    let refused = request_change(&mut journal, &title, strike, None, 3).unwrap_err();
    assert!(refused.to_string().contains("has not left"), "{refused}");
    let leave = Change::Disqualify { entrant: 0 };
    request_change(&mut journal, &title, leave, None, 3).unwrap();
    request_change(&mut journal, &title, strike, None, 4).unwrap();
    // The row says so before it is settled.
    let tournament = journal.tournament("evening").unwrap();
    let rows = table(&journal, &tournament).unwrap().rows;
    assert_eq!(rows[1].left, Some(LeftAs::Disqualified));
    let tournament = settle_changes(&mut journal, tournament.id).unwrap();
    assert!(table(&journal, &tournament).unwrap().rows[1].is_void);
}

/// Rounds of blocks of two matches: the first match of a round of a swiss between `bots` has this index.
#[test]
fn a_swiss_pairs_nobody_who_has_left() {
    for (bots, at) in [(5, 4), (5, 8), (6, 6), (6, 12), (7, 6), (4, 4), (8, 0)] {
        for way in [RequestPath::Withdrawn, RequestPath::Disqualified] {
            let played = played("swiss", (bots, 3), (way, at));
            let of_those = |scored: &ScoredPairing| {
                let mut seats = scored.pairing.seats.iter();
                seats.any(|bot| LEAVING.contains(bot))
            };
            let late = played.results().into_iter();
            let late = late.filter(|scored| scored.pairing.index >= at && of_those(scored));
            let what = format!("{bots} bots, {way:?} before match {at}");
            assert_eq!(late.count() + played.left_out.len(), 0, "{what}");
        }
    }
}

/// A match was void, and later ones of its round were played: they are played again, between those who are left.
#[test]
fn a_swiss_that_pairs_again_keeps_nothing_of_the_round() {
    let (_folder, mut journal) = new_journal();
    let bots: Vec<BotId> = (0..6u8)
        .map(|bot| {
            journal
                .add_bot(&name(&format!("bot{bot}")), &file(bot), 1)
                .unwrap()
                .bot
                .id
        })
        .collect();
    let settings = Settings {
        format: "swiss".parse().unwrap(),
        ..settings(3)
    };
    let title = name("evening");
    let tournament = journal
        .begin(&title, &settings, &bots, 2)
        .unwrap()
        .tournament;
    let mut director = tournament.director().unwrap();
    let mut indices = Vec::new();
    while let flipside_tournament::Next::Match(pairing) = director.next() {
        let result = result(&pairing.seats, RequestPath::Withdrawn);
        indices.push(pairing.clone());
        let scored = ScoredPairing { pairing, result };
        if scored.pairing.index != 6 {
            journal
                .land(&FinishedMatch::new(&tournament, scored.clone(), (1, 2)))
                .unwrap();
        }
        if scored.pairing.index < 6 {
            director.take(scored.pairing.index, &scored.result);
        }
    }
    assert_eq!(indices.len(), 12, "two rounds are known");
    let entrant = indices[6].seats[0];
    request_change(&mut journal, &title, Change::Withdraw { entrant }, None, 3).unwrap();
    let tournament = settle_changes(&mut journal, tournament.id).unwrap();
    assert_eq!(tournament.changes[0].index, 6);
    assert_eq!(journal.played(tournament.id).unwrap().last(), Some(5));
    let mut director = tournament.director().unwrap();
    let mut cursor = ScheduleCursor::new(&tournament, &mut *director);
    let (next, disposition) = journal.up_to_now(&mut cursor).unwrap().unwrap();
    assert_eq!((next.index, disposition), (6, PolicyDecision::Play(vec![])));
    assert!(!next.seats.contains(&entrant));
}
