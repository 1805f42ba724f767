//! A match drawn as text for a terminal.

use std::fmt::Display;

use super::cards::{CardSide, Face};
use super::groups::{self, GroupKind};
use super::state::{Phase10Reason, Stage};
use super::view::{GroupShown, Phase10View, PileShown};
use crate::seats::Seat;
use crate::words::{counted, joined};

/// Draws a view for a terminal.
pub(super) fn text(view: &Phase10View) -> String {
    let mut text = format!("{}\n", headline(view));
    for (seat, shown) in (0..).zip(&view.seats) {
        let cards = counted(shown.cards, "card");
        let down = if shown.laid { ", down" } else { "" };
        let deals = if view.dealer == Some(seat) {
            ", dealer"
        } else {
            ""
        };
        let letters = letters(shown.phase);
        text += &format!(
            "seat {seat}: {} points, phase {} {letters}{down}, {cards}{deals}\n",
            shown.score, shown.phase
        );
        if let Some(backs) = shown.backs.as_ref().filter(|backs| !backs.is_empty()) {
            text += &format!("    backs {}\n", words(backs));
        }
        for (side, faces) in open_hand(view, seat) {
            text += &format!("    {} side {}\n", side.name(), words(&faces));
        }
        for (number, group) in (1..).zip(&shown.groups) {
            let kind = kind_in_words(group);
            text += &format!("    {seat}.{number} {kind}: {}\n", words(&group.cards));
        }
    }
    for (name, seen, pile) in piles(view) {
        let top = pile
            .top
            .map_or(String::new(), |top| format!(", {seen} {top}"));
        text += &format!("{name}: {}{top}\n", counted(pile.cards, "card"));
    }
    if let Some(hand) = &view.hand {
        text += &format!("your hand: {}\n", words(hand));
    }
    text += &format!("{}\n", caption(view));
    text
}

fn words<T: Display>(cards: &[T]) -> String {
    joined(cards, " ")
}

/// Returns the letters of a phase, or nothing for a phase that a wrong view names.
pub(super) fn letters(phase: u8) -> &'static str {
    match phase {
        1..=groups::PHASES => groups::letters(phase),
        _ => "",
    }
}

fn kind_in_words(group: &GroupShown) -> String {
    match (group.kind, group.colour) {
        (GroupKind::Set, _) => "set".into(),
        (GroupKind::Run, None) => "run without colour".into(),
        (GroupKind::Run, Some(hue)) => format!("{} run", hue.name()),
    }
}

pub(super) fn piles(view: &Phase10View) -> [(&'static str, &'static str, PileShown); 2] {
    [
        ("draw pile", "its back", view.draw_pile),
        ("discard pile", "its top", view.discard_pile),
    ]
}

pub(super) fn headline(view: &Phase10View) -> String {
    if view.round == 0 {
        return "Phase 10 Flip, before the first round".into();
    }
    let deciding = match &view.deciding {
        None => String::new(),
        Some(seats) => format!(", the deciding round of seats {}", words(seats)),
    };
    format!(
        "Phase 10 Flip, round {}{deciding}, {} side in play, {} ended",
        view.round,
        view.side.name(),
        counted(view.turn, "turn")
    )
}

/// Describes in one line what the match waits for or how it ended.
pub(super) fn caption(view: &Phase10View) -> String {
    if let Some(over) = &view.over {
        let best = over.points.iter().max();
        let is_best = |(seat, points): (Seat, &i32)| (Some(points) == best).then_some(seat);
        let first: Vec<Seat> = (0..).zip(&over.points).filter_map(is_best).collect();
        let why = match over.reason {
            Phase10Reason::LastPhase => "completed the last phase",
            Phase10Reason::DecidingRound => "went out first in the deciding round",
            Phase10Reason::TenRounds => "lowest total after ten rounds",
            Phase10Reason::Limit => "ahead at the limit",
        };
        let points = words(&over.points);
        return match first[..] {
            [winner] => format!("seat {winner} wins: {why} (points by seat: {points})"),
            _ => format!(
                "seats {} tie: {why} (points by seat: {points})",
                words(&first)
            ),
        };
    }
    match (view.stage, view.to_move) {
        (Stage::Cards, _) => "chance draws the cards".into(),
        (Stage::Dealer, _) => "chance draws who deals first".into(),
        (Stage::Deal, _) => "chance deals the next round".into(),
        (Stage::Reshuffle, _) => "chance shuffles the discards into a new draw pile".into(),
        (Stage::Draw, Some(seat)) => format!("seat {seat} draws a card"),
        (_, Some(seat)) if is_laying(view, seat) => {
            format!("seat {seat} lays the next group of its phase")
        }
        (_, Some(seat)) => format!("seat {seat} lays, hits or discards"),
        (_, None) => "nobody is to move".into(),
    }
}

fn is_laying(view: &Phase10View, seat: Seat) -> bool {
    let shown = view.seats.get(usize::from(seat));
    shown.is_some_and(|shown| !shown.laid && !shown.groups.is_empty())
}

/// Returns the faces of a hand in an open view for each side, the side in play first, in the order of
/// the side in play.
pub(super) fn open_hand(view: &Phase10View, seat: Seat) -> Vec<(CardSide, Vec<Face>)> {
    let Some(open) = &view.open else {
        return Vec::new();
    };
    let hand = open.hands.get(usize::from(seat));
    let cards = hand
        .into_iter()
        .flatten()
        .map(|&card| open.cards.get(usize::from(card)));
    let mut cards: Vec<_> = cards.flatten().collect();
    if cards.is_empty() {
        return Vec::new();
    }
    cards.sort_by_key(|card| card[view.side as usize]);
    let faces = |side: CardSide| cards.iter().map(|card| card[side as usize]).collect();
    [view.side, view.side.other()]
        .map(|side| (side, faces(side)))
        .into()
}
