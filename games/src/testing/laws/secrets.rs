//! The laws about views: what they must not tell, and that they tell enough.

use rand_core::Rng;
use serde_json::Value;

use super::mutants;
use super::play::{ObservedTraits, Play, ShownPosition, go_on, stream, viewers};
use super::state::{Built, LawState};
use super::verdict::{Verdict, calm, require};
use super::words::unlike;
use crate::chance;
use crate::game::Info;
use crate::seats::{Seat, Viewer};
use crate::testing::LawStep;

/// So often is a position dealt again for each viewer.
const REDEALS: usize = 3;

/// So many texts of other positions are tried at a position.
const OTHERS: usize = 16;

/// So many views with something wrong are tried at a position.
const BAD_VIEWS: usize = 16;

/// So many events a match goes on from a position that was built or dealt again.
const EVENTS_ON: usize = 30;

pub(super) fn non_interference(play: &Play, seen: &mut ObservedTraits) -> Verdict {
    let mut rng = play.rng(5);
    for state in play.positions() {
        let open = state.view(Viewer::Open);
        for viewer in viewers(play.case.seats) {
            for _ in 0..REDEALS {
                let seed = rng.next_u64();
                if let Some(how) = step_tells(play, state, viewer, &mut rng) {
                    return Err(format!("an event tells {viewer:?} a secret: {how}"));
                }
                let mut other = state.redeal(viewer, &mut stream(seed));
                let how = told_otherwise(state, &*other, viewer, &mut rng)
                    .or_else(|| tells(state, &*other, viewer, seen, &mut rng));
                if let Some(how) = how {
                    return Err(format!("what {viewer:?} must not know shows: {how}"));
                }
                let others_open = other.view(Viewer::Open);
                seen.secrets |= others_open != open;
                let again = state.redeal(viewer, &mut stream(seed)).view(Viewer::Open);
                require!(
                    again == others_open,
                    "the same seed deals otherwise for {viewer:?}"
                );
                go_on(&mut *other, EVENTS_ON, &mut rng);
            }
        }
    }
    Ok(())
}

/// Says by what a viewer could tell two states apart.
fn tells(
    state: &dyn LawState,
    other: &dyn LawState,
    viewer: Viewer,
    seen: &ObservedTraits,
    rng: &mut dyn Rng,
) -> Option<String> {
    if state.turn() != other.turn() {
        return Some(format!(
            "the turn was {:?} and is {:?}",
            state.turn(),
            other.turn()
        ));
    }
    let view = |by: Viewer| {
        unlike(&state.view(by), &other.view(by)).map(|how| format!("the view of {by:?} {how}"))
    };
    let seat = match viewer {
        Viewer::Public => return view(viewer),
        // All is open: nothing may differ for anybody.
        Viewer::Open => return ShownPosition::by(state).unlike(&ShownPosition::by(other)),
        Viewer::Seat(seat) => seat,
    };
    // A seat also sees what the public sees.
    view(viewer).or_else(|| view(Viewer::Public)).or_else(|| {
        let (listed, others) = (state.actions(seat), other.actions(seat));
        if listed != others {
            return Some(format!("the actions were {listed:?} and are {others:?}"));
        }
        let tried = seen.actions.some(OTHERS, rng);
        tried.into_iter().find_map(|text| {
            let answers = [state, other].map(|state| state.check(seat, &text));
            (answers[0] != answers[1]).then(|| format!("the answers to {text:?} are {answers:?}"))
        })
    })
}

/// Takes two steps from one state. If a difference is left that a viewer does not see, it must not have learnt of it.
/// Of steps that differ in nothing any more, such as two last discards of a round, everybody may have learnt.
fn step_tells(
    play: &Play,
    state: &dyn LawState,
    viewer: Viewer,
    rng: &mut dyn Rng,
) -> Option<String> {
    let mut one_step = || {
        let mut after = state.copy();
        let entry = after.step(rng)?;
        Some((after, entry))
    };
    let ((one, by_one), (other, by_other)) = (one_step()?, one_step()?);
    let learnt = |entry: &LawStep| {
        let mut learnt = state.learnt(viewer, entry);
        if let (LawStep::Acts(acts), Viewer::Seat(own)) = (entry, viewer) {
            let at = acts.iter().position(|(seat, _)| *seat == own);
            at.into_iter().for_each(|at| learnt[at].clear());
        }
        learnt
    };
    let same = |by: Viewer| one.view(by) == other.view(by);
    let is_hidden = one.turn() == other.turn()
        && [viewer, Viewer::Public].into_iter().all(same)
        && !same(Viewer::Open);
    // Where seats act one after the other, everybody sees an action when it happens, whatever is hidden afterwards.
    let is_public = matches!(by_one, LawStep::Acts(_)) && !play.subject.info.simultaneous;
    if !is_hidden || is_public {
        return None;
    }
    let (of_one, of_other) = (learnt(&by_one), learnt(&by_other));
    (of_one != of_other).then(|| format!("after {by_one} and {by_other}, it sees the same"))
}

/// Says which step of a state a viewer would learn otherwise in another one that it cannot tell apart.
fn told_otherwise(
    state: &dyn LawState,
    other: &dyn LawState,
    viewer: Viewer,
    rng: &mut dyn Rng,
) -> Option<String> {
    let entry = state.copy().step(rng)?;
    let learnt = [state, other].map(|state| state.learnt(viewer, &entry));
    let own = match (&entry, viewer) {
        (LawStep::Acts(acts), Viewer::Seat(own)) => {
            let hidden =
                |((seat, _), learnt): (&(Seat, String), &String)| *seat == own && learnt.is_empty();
            acts.iter().zip(&learnt[0]).any(hidden)
        }
        _ => false,
    };
    (own || learnt[0] != learnt[1]).then(|| format!("what it learns of {entry}"))
}

/// Whether the game has secrets, against what all its matches showed.
pub(super) fn flag(info: &Info, seen: &ObservedTraits) -> Result<(), String> {
    match (info.secrets, seen.secrets) {
        (true, false) => Err("it says there are secrets, and dealing again changes nothing".into()),
        (false, true) => Err("it says there are no secrets, and dealing again changes some".into()),
        _ => Ok(()),
    }
}

pub(super) fn from_view(play: &Play, seen: &ObservedTraits) -> Verdict {
    let mut rng = play.rng(6);
    for state in play.positions() {
        for viewer in viewers(play.case.seats) {
            let view = state.view(viewer);
            let seed = rng.next_u64();
            let built = state.build(viewer, &view, &mut stream(seed));
            let again = state.build(viewer, &view, &mut stream(seed));
            let (Ok(mut built), Ok(again)) = (built, again) else {
                let why = state.build(viewer, &view, &mut stream(seed)).err();
                return Err(format!("the view {view} of {viewer:?} is refused: {why:?}"));
            };
            require!(
                built.view == view,
                "the view {view} is written again as {}",
                built.view
            );
            if let Some(how) = tells(state, &*built.state, viewer, seen, &mut rng) {
                return Err(format!(
                    "{viewer:?} can tell the state that is built: {how}"
                ));
            }
            let how = ShownPosition::by(&*built.state).unlike(&ShownPosition::by(&*again.state));
            require!(
                how.is_none(),
                "the same view and seed build another state: {how:?}"
            );
            go_on(&mut *built.state, EVENTS_ON, &mut rng);
        }
        for _ in 0..BAD_VIEWS {
            bad_view(play, state, &mut rng)?;
        }
    }
    Ok(())
}

/// A view with something changed is refused, or it is another view of this game; then the state
/// must be as it says, and must go on.
fn bad_view(play: &Play, state: &dyn LawState, rng: &mut dyn Rng) -> Result<(), String> {
    let everybody: Vec<Viewer> = viewers(play.case.seats).collect();
    let mut one = || *chance::one_of(rng, &everybody);
    let (viewer, whose) = (one(), one());
    let mut bad: Value = serde_json::from_str(&state.view(whose)).expect("a view is JSON");
    for _ in 0..1 + chance::below(rng, 2) {
        mutants::value(&mut bad, rng);
    }
    let text = bad.to_string();
    let taken = calm(|| state.build(viewer, &text, rng));
    let taken = taken.map_err(|panic| format!("for {viewer:?}, with the view {text} {panic}"))?;
    let Ok(Built {
        state: mut built,
        view,
    }) = taken
    else {
        return Ok(());
    };
    if let Some(how) = unlike(&view, &built.view(viewer)) {
        return Err(format!(
            "the view {view} is taken for {viewer:?}, but the state's view {how}"
        ));
    }
    calm(|| go_on(&mut *built.redeal(viewer, rng), EVENTS_ON, rng))
        .map_err(|panic| format!("dealing the view {view} of {viewer:?} again {panic}"))?;
    calm(|| go_on(&mut *built, EVENTS_ON, rng))
        .map_err(|panic| format!("going on from the view {view} of {viewer:?} {panic}"))
}
