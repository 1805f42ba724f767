//! The three games drawn as text for a terminal.

use std::fmt::Write as _;

use super::scene::{Puissance4Scene, name};
use super::trays::{SIDES, Side, Tray, TrayKind};
use crate::words::{counted, joined};

/// The maximum number of letters of a stack. Of a higher stack only the top is shown.
const HIGHEST: usize = 4;

/// The meaning of the letters, and of those of tokens with powers.
const LEGEND: &str = "upper case Red, lower case Yellow, the last letter lies on top; T token";
const POWERS: &str = "B bomb, C cell, D double, L line";

/// Draws a headline, the trays, the sides and the legend.
pub(super) fn text(scene: &Puissance4Scene<'_>) -> String {
    let mut text = format!("{}\n", scene.headline());
    for tray in [Tray::Top, Tray::Bottom] {
        write_tray(&mut text, scene, tray);
    }
    text.push('\n');
    for side in SIDES {
        write_side(&mut text, scene, side);
    }
    let news = scene.news();
    if !news.is_empty() {
        let _ = writeln!(text, "{news}");
    }
    let _ = writeln!(text, "{LEGEND}");
    if scene.tick.is_none() {
        let _ = writeln!(text, "{POWERS}");
    }
    text
}

fn write_tray(text: &mut String, scene: &Puissance4Scene<'_>, tray: Tray) {
    let view = scene.tray(tray);
    let _ = writeln!(text, "\n  {tray} tray");
    for (rank, cells) in (1..=scene.size()).rev().zip(&view.ranks) {
        let _ = write!(text, "  {rank}");
        for stack in cells {
            let _ = write!(text, "  {:<5}", shortened(stack));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text.push_str("   ");
    for file in ('a'..).take(scene.size()) {
        let _ = write!(text, "  {file:<5}");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    if !view.rim.is_empty() {
        let _ = writeln!(text, "  on the rim: {}", view.rim);
    }
    for (side, line) in scene.lines.iter().filter(|(_, line)| line.tray == tray) {
        let cells = joined(&line.cells, " ");
        let _ = writeln!(text, "  {} has a line: {cells}", name(*side));
    }
}

fn shortened(stack: &str) -> String {
    match stack.len() {
        0 => ".".into(),
        high if high > HIGHEST => format!("+{}", &stack[high - HIGHEST..]),
        _ => stack.into(),
    }
}

fn write_side(text: &mut String, scene: &Puissance4Scene<'_>, side: Side) {
    let view = &scene.sides[usize::from(side)];
    let ready = if view.ready { ", ready" } else { "" };
    let _ = write!(
        text,
        "{:<6} {}, {}; seat {} has the launcher{ready}",
        name(side),
        counted(view.score, "point"),
        view.hand,
        view.holder
    );
    if !view.in_air.is_empty() {
        let tokens = view.in_air.iter().map(|token| {
            let age = token.ticks.map(|ticks| format!("for {ticks}"));
            let aim = token.aim.map(|aim| aim.to_string());
            let kind = (token.kind != TrayKind::Basic).then(|| token.kind.to_string());
            joined([kind, aim, age].into_iter().flatten(), " ")
        });
        let _ = write!(text, "; in the air: {}", joined(tokens, ", "));
    }
    if view.picked_up > 0 {
        let _ = write!(text, "; {} being picked up", view.picked_up);
    }
    if view.out > 0 {
        let _ = write!(text, "; {} out", view.out);
    }
    text.push('\n');
}
