//! A match drawn, as text and as a page's drawing.

use super::View;

/// Draws a view for a terminal.
pub(super) fn text(view: &View) -> String {
    format!("round {}\n", view.round)
}

/// Draws a view for a page.
pub(super) fn svg(view: &View) -> String {
    let mut svg = crate::paint::open("Phase 10 Flip", 100, 100);
    svg += &view.round.to_string();
    svg + "</svg>"
}
