//! The laws about actions: what is listed, what is accepted, what is refused, how it is written.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rand_core::Rng;

use super::mutants;
use super::play::{ObservedTraits, Play, ShownPosition};
use super::state::LawState;
use super::verdict::{Verdict, calm, require};
use super::words::quoted;
use crate::chance;
use crate::game::Refusal;
use crate::program::paths::not_paths;
use crate::seats::{Seat, SeatTurn, Seats, Viewer};
use crate::table::Table;
use crate::testing::LawStep;

/// So many texts of other positions are tried at a position.
const OTHERS: usize = 48;

/// So many slips of what is legal are tried at a position.
const SLIPS: usize = 32;

pub(super) fn lists(play: &Play, seen: &ObservedTraits) -> Verdict {
    let mut rng = play.rng(2);
    for state in play.positions() {
        for seat in 0..play.case.seats {
            let listed = state.actions(seat);
            let asked = state.turn().asked().contains(seat);
            require!(
                asked || listed.is_empty(),
                "unasked seat {seat} has actions: {listed:?}"
            );
            require!(
                !asked || !listed.is_empty(),
                "seat {seat} is asked and has no actions"
            );
            let in_order = listed.is_sorted_by(|before, after| before < after);
            require!(
                in_order,
                "seat {seat}'s actions are not in byte order: {listed:?}"
            );
            let count = state.count_actions(seat);
            require!(
                count == listed.len(),
                "{count} actions are counted: {listed:?}"
            );
            for text in &listed {
                let answer = state.check(seat, text);
                require!(
                    answer.is_ok(),
                    "seat {seat}'s {text:?} is listed, but {answer:?}"
                );
            }
            let slips = listed.iter().cycle().take(SLIPS.min(listed.len() * 4));
            let mut tried = seen.actions.some(OTHERS, &mut rng);
            tried.extend(slips.map(|text| mutants::text(text, &mut rng)));
            for tried in tried {
                let Ok(written) = state.rewritten(&tried) else {
                    continue;
                };
                let accepted = state.check(seat, &tried).is_ok();
                let is_listed = listed.binary_search(&written).is_ok();
                require!(
                    is_listed || !accepted,
                    "seat {seat}'s {tried:?} is accepted, but not listed"
                );
            }
        }
    }
    Ok(())
}

pub(super) fn paths(play: &Play) -> Verdict {
    for state in play.positions() {
        for seat in state.turn().asked() {
            let svg = state.svg(Viewer::Seat(seat));
            let wrong = not_paths(&state.paths(seat), state.count_actions(seat), &svg);
            require!(
                wrong.is_none(),
                "seat {seat}'s paths: {}",
                wrong.unwrap_or_default()
            );
        }
    }
    Ok(())
}

pub(super) fn notation(play: &Play, seen: &ObservedTraits) -> Verdict {
    let mut rng = play.rng(3);
    let form = play.subject.notation;
    for state in play.positions() {
        let mut texts = play.listed(state);
        for text in &texts {
            let parses = state.rewritten(text).is_ok();
            require!(parses, "{text:?} is listed, but cannot be read");
            require!(
                play.notation.is_match(text),
                "{text:?} is not of the form {form}"
            );
        }
        texts.extend(seen.actions.some(OTHERS, &mut rng));
        let slips: Vec<String> = texts
            .iter()
            .map(|text| mutants::text(text, &mut rng))
            .collect();
        let mut read = BTreeSet::new();
        for tried in texts.into_iter().chain(slips).chain(mutants::garbage()) {
            let Ok(written) = state.rewritten(&tried) else {
                continue;
            };
            require!(
                written == tried,
                "{} is another way to write {written:?}",
                quoted(&tried)
            );
            require!(
                play.notation.is_match(&tried),
                "{tried:?} is not of the form {form}"
            );
            read.insert(tried);
        }
        for (low, high) in read.iter().zip(read.iter().skip(1)) {
            let order = state.order(low, high);
            require!(
                order == Some(Ordering::Less),
                "{low:?} is before {high:?} in bytes, but not as an action: {order:?}"
            );
        }
    }
    Ok(())
}

/// Something that a table must refuse, and how.
struct Bad(LawStep, MoveChecks);

/// In which words something must be refused.
#[derive(Clone, Copy, PartialEq)]
enum MoveChecks {
    Malformed,
    Illegal,
    Unasked,
    Somehow,
}

pub(super) fn refuses(play: &Play, seen: &ObservedTraits) -> Verdict {
    let mut rng = play.rng(4);
    play.beside_a_table(|state, table| {
        let before = ShownPosition::by_table(table);
        let mut bad = match before.turn {
            SeatTurn::Seats(asked) => bad_acts(play, state, asked, seen, &mut rng),
            SeatTurn::Chance => bad_draws(),
            SeatTurn::Over(_) => Vec::new(),
        };
        bad.extend(unasked(state, &before, seen, &mut rng));
        for bad in &bad {
            let told = calm(|| bad.refused_by(table)).unwrap_or_else(Err);
            told.map_err(|why| format!("{} is not refused as it should: {why}", bad.0))?;
        }
        if let Some(how) = before.unlike(&ShownPosition::by_table(table)) {
            let culprit = bad.iter().find(|bad| {
                let mut copy = replayed(play);
                let _ = bad.0.play(&mut *copy);
                ShownPosition::by_table(&*copy) != before
            });
            let culprit = culprit.map(|bad| bad.0.to_string()).unwrap_or_default();
            return Err(format!(
                "a refused event changes something: {culprit}: {how}"
            ));
        }
        slips_of_draws(&before, table, seen, &mut rng)
    })
}

/// The same table once more, from the start.
fn replayed(play: &Play) -> Box<dyn Table> {
    let mut table = play.table();
    for entry in &play.record[..play.events()] {
        entry.play(&mut *table).expect("was taken before");
    }
    table
}

impl Bad {
    /// Whether a table refuses this as it should, and if not, what it says.
    fn refused_by(&self, table: &mut dyn Table) -> Result<(), String> {
        let Bad(entry, how) = self;
        let checked = self.checked_alone(table);
        let played = entry.play(table);
        for answer in checked.into_iter().chain([played]) {
            let refused = match &answer {
                Ok(()) => false,
                Err(_) if *how == MoveChecks::Somehow => true,
                Err(Refusal::Malformed(_)) => *how == MoveChecks::Malformed,
                Err(Refusal::Illegal(_)) => *how == MoveChecks::Illegal,
                Err(Refusal::Unasked(_)) => *how == MoveChecks::Unasked,
                Err(Refusal::Failed(_)) => false,
            };
            if !refused {
                return Err(format!("{answer:?}"));
            }
        }
        Ok(())
    }

    /// What the table says when it checks the act that is bad whatever the others do, if there is
    /// one.
    fn checked_alone(&self, table: &dyn Table) -> Option<Result<(), Refusal>> {
        let Bad(LawStep::Acts(acts), how) = self else {
            return None;
        };
        let asked = table.turn().asked();
        let is_bad = |(seat, _): &&(Seat, _)| *how != MoveChecks::Unasked || !asked.contains(*seat);
        let bad = acts.iter().filter(is_bad);
        let checks = bad.map(|(seat, text)| table.check(*seat, text));
        checks.max_by_key(Result::is_err)
    }
}

/// Acts of the seats that are asked, but not as they should be.
fn bad_acts(
    play: &Play,
    state: &dyn LawState,
    asked: Seats,
    seen: &ObservedTraits,
    rng: &mut dyn Rng,
) -> Vec<Bad> {
    let good: Vec<(Seat, String)> = asked
        .filter_map(|seat| Some((seat, state.actions(seat).into_iter().next()?)))
        .collect();
    let mut bad = acts_of_others(play, asked, &good);
    // What one seat says is bad, whatever the others say.
    if good.is_empty() {
        return bad;
    }
    let place = chance::below(rng, good.len() as u32) as usize;
    let seat = good[place].0;
    let listed = state.actions(seat);
    let mut say = |said: &str, how| {
        let mut acts = good.clone();
        acts[place].1 = said.into();
        bad.push(Bad(LawStep::Acts(acts), how));
    };
    for said in mutants::garbage() {
        if !play.notation.is_match(&said) {
            say(&said, MoveChecks::Malformed);
        }
    }
    let slips: Vec<String> = listed
        .iter()
        .take(SLIPS)
        .map(|text| mutants::text(text, rng))
        .collect();
    let others = seen.actions.some(OTHERS, rng);
    let others = others.into_iter().chain(slips);
    for said in others.filter(|said| !listed.contains(said)) {
        let how = match state.rewritten(&said) {
            Ok(_) => MoveChecks::Illegal,
            Err(_) => MoveChecks::Malformed,
        };
        say(&said, how);
    }
    bad
}

/// Returns good acts of which some are missing, come twice, are out of order or are of a seat that
/// is not asked.
fn acts_of_others(play: &Play, asked: Seats, good: &[(Seat, String)]) -> Vec<Bad> {
    let mut bad = Vec::new();
    let mut add = |acts| bad.push(Bad(LawStep::Acts(acts), MoveChecks::Unasked));
    add(Vec::new());
    for (place, (seat, text)) in good.iter().enumerate() {
        let mut twice = good.to_vec();
        twice.insert(place, (*seat, text.clone()));
        add(twice);
        if good.len() > 1 {
            let mut missing = good.to_vec();
            missing.remove(place);
            add(missing);
            add(vec![(*seat, text.clone())]);
            let mut out_of_order = good.to_vec();
            out_of_order.swap(place, (place + 1) % good.len());
            add(out_of_order);
        }
        for other in (0..=play.case.seats).filter(|&other| !asked.contains(other)) {
            let mut more = good.to_vec();
            more.push((other, text.clone()));
            more.sort();
            add(more);
        }
    }
    bad
}

fn bad_draws() -> Vec<Bad> {
    // A draw could be any JSON, so that only the rest is wrong for sure.
    let garbage = mutants::garbage().into_iter();
    garbage
        .filter(|text| serde_json::from_str::<serde_json::Value>(text).is_err())
        .map(|text| Bad(LawStep::Draw(text), MoveChecks::Somehow))
        .collect()
}

/// Acts of seats that are not asked, and draws when it is not chance's turn.
fn unasked(
    state: &dyn LawState,
    before: &ShownPosition,
    seen: &ObservedTraits,
    rng: &mut dyn Rng,
) -> Vec<Bad> {
    let asked = before.turn.asked();
    let mut said: Vec<String> = before.actions.iter().flatten().take(2).cloned().collect();
    said.extend(seen.actions.some(4, rng));
    said.push("no such action".into());
    let mut bad = Vec::new();
    for seat in (0..=state.seats())
        .chain([8, u8::MAX])
        .filter(|&seat| !asked.contains(seat))
    {
        for said in &said {
            let entry = LawStep::Acts(vec![(seat, said.clone())]);
            bad.push(Bad(entry, MoveChecks::Unasked));
        }
    }
    if before.turn != SeatTurn::Chance {
        let any = ["", "{}", "1"].map(String::from);
        for draw in seen.draws.some(8, rng).into_iter().chain(any) {
            bad.push(Bad(LawStep::Draw(draw), MoveChecks::Unasked));
        }
    }
    bad
}

/// Slips of draws may be draws themselves; what is refused changes nothing.
fn slips_of_draws(
    before: &ShownPosition,
    table: &dyn Table,
    seen: &ObservedTraits,
    rng: &mut dyn Rng,
) -> Verdict {
    if before.turn != SeatTurn::Chance {
        return Ok(());
    }
    let mut copy = table.copy();
    for draw in seen.draws.some(SLIPS, rng) {
        let slip = mutants::text(&draw, rng);
        if copy.chance(&slip).is_ok() {
            copy = table.copy();
        } else {
            let how = before.unlike(&ShownPosition::by_table(&*copy));
            require!(
                how.is_none(),
                "the refused draw {slip:?} changes something: {how:?}"
            );
        }
    }
    Ok(())
}
