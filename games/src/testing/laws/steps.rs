//! The laws about events: replaying, copying, drawing.

use rand_core::Rng;
use serde_json::Value;

use super::mutants;
use super::play::{ObservedTraits, Play, ShownPosition, stream};
use super::state::LawState;
use super::verdict::{Verdict, require};
use crate::chance;
use crate::game::Info;
use crate::seats::{SeatTurn, Viewer};
use crate::table::Table;
use crate::testing::LawStep;

/// So many streams of random bits are tried at a position.
const STREAMS: usize = 4;

/// So many slips of a draw are tried at a position.
const SLIPS: usize = 12;

/// So many copies go on to the end of a match.
const COPIES: usize = 4;

pub(super) fn replays(play: &Play) -> Verdict {
    let mut rng = play.rng(7);
    play.beside_a_table(|state, table| {
        let (shown, by_table) = (ShownPosition::by(state), ShownPosition::by_table(table));
        if let Some(how) = shown.unlike(&by_table) {
            return Err(format!("the replay is not the match: {how}"));
        }
        let seats = table.seats();
        let same =
            seats == state.seats() && (0..seats).all(|seat| table.side(seat) == state.side(seat));
        require!(same, "the table has other seats or sides");
        for (seat, listed) in (0..).zip(&shown.actions) {
            let mut json = b"before".to_vec();
            table.write_actions(seat, &mut json);
            let written = serde_json::to_string(listed).expect("texts are JSON");
            let appended = json.strip_prefix(b"before") == Some(written.as_bytes());
            require!(
                appended,
                "the table writes other actions for seat {seat} than {written}"
            );
            let mut one = String::new();
            table.random_action(seat, &mut rng, &mut one);
            let fits = listed.contains(&one) || (listed.is_empty() && one.is_empty());
            require!(fits, "seat {seat} has no action {one:?} to be drawn");
        }
        let mut copy = table.copy();
        if let Some(entry) = play.record.get(play.events()) {
            let played = entry.play(&mut *copy);
            require!(played.is_ok(), "a copy refuses {entry}: {played:?}");
            if let Some(how) = by_table.unlike(&ShownPosition::by_table(table)) {
                return Err(format!("a step of a copy changes the table: {how}"));
            }
            let chosen = chosen(table, entry).and_then(|chosen| {
                ShownPosition::by_table(&*copy).unlike(&ShownPosition::by_table(&*chosen))
            });
            if let Some(how) = chosen {
                return Err(format!("choosing leads elsewhere than acting: {how}"));
            }
        }
        Ok(())
    })
}

/// Returns a copy of a table at which the seats choose one by one, the last seat first.
fn chosen(table: &dyn Table, entry: &LawStep) -> Option<Box<dyn Table>> {
    let LawStep::Acts(acts) = entry else {
        return None;
    };
    let mut copy = table.copy();
    for (seat, action) in acts.iter().rev() {
        assert!(copy.play().is_err(), "seat {seat} has yet to choose");
        let chosen = copy.choose(*seat, action);
        assert_eq!(chosen, Ok(()), "{entry} is checked and not chosen");
    }
    assert_eq!(copy.play(), Ok(()), "{entry} is chosen and not played");
    assert!(copy.play().is_err(), "{entry} is played twice");
    Some(copy)
}

pub(super) fn steps(play: &Play) -> Verdict {
    let mut rng = play.rng(8);
    let mut any = || chance::below(&mut rng, play.looks.len() as u32) as usize;
    for state in play.positions() {
        let Some(entry) = play.record.get(play.events()) else {
            continue;
        };
        let differ = |what: &str, before: &ShownPosition, after: &dyn LawState| {
            let how = before.unlike(&ShownPosition::by(after));
            how.map_or(Ok(()), |how| Err(format!("{what}: {how}")))
        };
        let before = ShownPosition::by(state);
        let mut copy = state.copy();
        copy.apply(entry);
        let after = ShownPosition::by(&*copy);
        differ("a step of a copy changes the original", &before, state)?;
        let mut over = state.copy_over(&*play.looks[any()].1);
        differ("a copy made over another state differs", &before, &*over)?;
        over.apply(entry);
        differ("the same step leads elsewhere", &after, &*over)?;
    }
    let end = ShownPosition::by(play.end());
    for _ in 0..COPIES {
        let state = play.position(any());
        let mut copy = state.copy_over(&*play.looks[any()].1);
        let rest = &play.record[play.events()..];
        rest.iter().for_each(|entry| copy.apply(entry));
        if let Some(how) = end.unlike(&ShownPosition::by(&*copy)) {
            return Err(format!("from here a copy comes to another end: {how}"));
        }
    }
    Ok(())
}

pub(super) fn draws(play: &Play, seen: &mut ObservedTraits) -> Verdict {
    let mut rng = play.rng(9);
    let draws = |state: &&dyn LawState| state.turn() == SeatTurn::Chance;
    for state in play.positions().filter(draws) {
        let before = ShownPosition::by(state);
        let mut drawn = Vec::new();
        for _ in 0..STREAMS {
            let seed = rng.next_u64();
            let (draw, allowed) = state.sample(&mut stream(seed));
            require!(
                allowed.is_ok(),
                "its own draw {draw} is refused: {allowed:?}"
            );
            let (again, _) = state.sample(&mut stream(seed));
            require!(draw == again, "the same seed draws {draw} and {again}");
            let redrawn = state.redrawn(&draw);
            let same = redrawn
                .as_ref()
                .is_ok_and(|(written, allowed)| *written == draw && allowed.is_ok());
            require!(same, "the draw {draw} is read back as {redrawn:?}");
            drawn.push(draw);
        }
        if let Some(how) = before.unlike(&ShownPosition::by(state)) {
            return Err(format!("drawing changes something: {how}"));
        }
        seen.lots |= drawn.iter().any(|draw| *draw != drawn[0]);
        for draw in drawn.iter().cycle().take(SLIPS) {
            slip_of_a_draw(state, draw, &mut rng)?;
        }
    }
    Ok(())
}

/// Some slips of draws are draws themselves. Then what they lead to is a state of this game.
fn slip_of_a_draw(state: &dyn LawState, draw: &str, rng: &mut dyn Rng) -> Result<(), String> {
    let json: Result<Value, _> = serde_json::from_str(draw);
    let mut slip = json.map_err(|error| format!("the draw {draw} is not JSON: {error}"))?;
    mutants::value(&mut slip, rng);
    let Ok((slip, Ok(()))) = state.redrawn(&slip.to_string()) else {
        return Ok(());
    };
    let mut next = state.copy();
    next.apply(&LawStep::Draw(slip.clone()));
    let view = next.view(Viewer::Open);
    match next.build(Viewer::Open, &view, rng) {
        Ok(built) if built.state.view(Viewer::Open) == view => Ok(()),
        Ok(_) => Err(format!(
            "the draw {slip} is allowed, and leads to a state that cannot be built"
        )),
        Err(why) => Err(format!(
            "the draw {slip} is allowed, but leads to no state: {why}"
        )),
    }
}

/// Whether there are lots, against what all matches showed.
pub(super) fn draws_vary(info: &Info, seen: &ObservedTraits) -> Result<(), String> {
    if info.chance && !seen.lots {
        Err("whatever the seed, the draws are the same".into())
    } else {
        Ok(())
    }
}
