//! A match drawn as a card table for a page.
//!
//! A card shows its colour, its number and the symbol of its colour on the real cards, for people
//! who see few colours: ● red, ★ yellow, ▼ green, ■ blue.

use std::fmt::{Display, Write as _};

use super::action::{DISCARD_PILE, DRAW_PILE, group_mark};
use super::cards::{CardColor, CardSide, Face, PlayedCard};
use super::groups::{self, End, GroupKind};
use super::text::{caption, headline, letters, open_hand, piles};
use super::view::{GroupShown, Phase10View, SeatShown};
use crate::paint::{self, FAINT, INK, SEATS, tag};
use crate::seats::Seat;
use crate::words::counted;

/// The width of the table and of its margins.
const WIDTH: usize = 900;
const MARGIN: usize = 20;

/// The left edge of the rows of the seats, right of the piles.
const ROWS: usize = 190;

/// The heights of a line of words and of a row of cards.
const LINE: usize = 26;
const CARD_ROW: usize = 52;

/// A size of cards. `step` is the visible width of a card in a fan.
#[derive(Clone, Copy)]
struct SvgSize {
    width: usize,
    height: usize,
    step: usize,
}

const SMALL: SvgSize = SvgSize {
    width: 30,
    height: 42,
    step: 27,
};

const LARGE: SvgSize = SvgSize {
    width: 52,
    height: 74,
    step: 58,
};

/// The visible part of a card.
#[derive(Clone, Copy)]
enum Drawn {
    Face(Face),
    Played(PlayedCard),
    /// The card is covered.
    Covered,
}

/// Draws a view for a page.
pub(super) fn svg(view: &Phase10View) -> String {
    let mut table = String::new();
    let mut top = 84;
    for (seat, shown) in (0..).zip(&view.seats) {
        top = draw_seat(&mut table, view, seat, shown, top);
    }
    let below_piles = 84 + 2 * (LARGE.height + 60);
    top = top.max(below_piles);
    if let Some(hand) = &view.hand {
        words_at(&mut table, MARGIN, top + 6, FAINT, 13, "your hand");
        let faces: Vec<Drawn> = hand.iter().map(|&face| Drawn::Face(face)).collect();
        let (left, above) = (MARGIN + 110, top - 8);
        draw_cards(&mut table, left, above, LARGE, &faces);
        for (place, face) in hand.iter().enumerate() {
            let x = left + LARGE.step * place;
            draw_mark(&mut table, face, (x, above), (LARGE.width, LARGE.height));
        }
        top += LARGE.height + 8;
    }
    let mut svg = paint::open(
        &format!("{}; {}", headline(view), caption(view)),
        WIDTH,
        top + MARGIN,
    );
    draw_head(&mut svg, view);
    draw_piles(&mut svg, view);
    svg + &table + "</svg>"
}

fn draw_head(svg: &mut String, view: &Phase10View) {
    words_at(svg, MARGIN, 32, FAINT, 15, &headline(view));
    let strong = if view.over.is_some() { SEATS[0].0 } else { INK };
    tag!(svg, "text", x: MARGIN, y: 58, "font-size": 18, "font-weight": 600, fill: strong;
        caption(view));
}

fn draw_piles(svg: &mut String, view: &Phase10View) {
    for (place, (name, _, pile)) in piles(view).into_iter().enumerate() {
        let (x, y) = (MARGIN + 28, 92 + place * (LARGE.height + 60));
        // The thickness shows the number of cards.
        let under = usize::from(pile.cards.saturating_sub(1))
            .div_ceil(12)
            .min(6);
        for depth in (1..=under).rev() {
            tag!(svg, "rect", x: x + 2 * depth, y: y + 2 * depth, width: LARGE.width,
                height: LARGE.height, rx: 5, fill: "#59636d", stroke: paint::FRAME);
        }
        if place == 0 {
            // From here a script deals.
            paint::open_at(svg, "src", (x + LARGE.width / 2, y + LARGE.height / 2));
            svg.push_str("</g>");
        }
        match pile.top {
            Some(top) => draw_card(svg, x, y, LARGE, Drawn::Face(top)),
            None => {
                tag!(svg, "rect", x, y, width: LARGE.width, height: LARGE.height, rx: 5,
                    fill: "none", stroke: FAINT, "stroke-dasharray": "4 4");
            }
        }
        let mark = [DRAW_PILE, DISCARD_PILE][place];
        draw_mark(svg, mark, (x, y), (LARGE.width, LARGE.height));
        let line = format!("{name}: {}", pile.cards);
        words_at(svg, MARGIN, y + LARGE.height + 30, FAINT, 13, &line);
    }
}

/// Draws a seat. Returns the upper edge of the next one.
fn draw_seat(
    svg: &mut String,
    view: &Phase10View,
    seat: Seat,
    shown: &SeatShown,
    top: usize,
) -> usize {
    let moves = view.to_move == Some(seat);
    let start = svg.len();
    draw_seat_line(svg, view, seat, shown, top);
    let mut at = top + LINE;
    let mut right = ROWS + 16;
    for (row, fan) in fans(view, seat, shown).into_iter().enumerate() {
        draw_cards(svg, ROWS + 16, at + row * CARD_ROW, SMALL, &fan);
        right = ROWS + 16 + fan.len() * SMALL.step + 30;
        at += row * CARD_ROW;
    }
    if right > ROWS + 16 || !shown.groups.is_empty() {
        at = draw_groups(svg, seat, &shown.groups, (right, at));
    }
    let bottom = at + 6;
    let (fill, edge) = if moves {
        ("#3d4a57", INK)
    } else {
        ("#35404b", "#465361")
    };
    let back = format!(
        "<rect x=\"{ROWS}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"{fill}\" stroke=\"{edge}\"/>",
        top - 8,
        WIDTH - ROWS - MARGIN,
        bottom - top
    );
    svg.insert_str(start, &back);
    bottom + 4
}

fn draw_seat_line(svg: &mut String, view: &Phase10View, seat: Seat, shown: &SeatShown, top: usize) {
    let (colour, rim) = SEATS[usize::from(seat) % SEATS.len()];
    let (x, y) = (ROWS + 24, top + 10);
    tag!(svg, "circle", cx: x, cy: y, r: 10, fill: colour, stroke: rim, "stroke-width": 2);
    tag!(svg, "text", x, y: y + 5, "font-size": 13, "font-weight": 700, "text-anchor": "middle",
        fill: "#1b2229"; seat);
    let phase = format!("phase {} {}", shown.phase, letters(shown.phase));
    words_at(svg, x + 22, y + 5, INK, 15, &phase);
    if shown.laid {
        words_at(svg, x + 198, y + 5, "#8fd694", 13, "down");
    }
    // One lamp for each completed phase.
    for phase in 0..groups::PHASES {
        let fill = if phase < shown.completed {
            colour
        } else {
            "none"
        };
        tag!(svg, "rect", x: x + 244 + 14 * usize::from(phase), y: y - 6, width: 10, height: 12,
            rx: 2, fill, stroke: rim);
    }
    let score = format!("{} points", shown.score);
    words_at(svg, x + 390, y + 5, INK, 15, &score);
    words_at(
        svg,
        x + 480,
        y + 5,
        FAINT,
        14,
        &counted(shown.cards, "card"),
    );
    if view.dealer == Some(seat) {
        words_at(svg, x + 550, y + 5, FAINT, 14, "dealer");
    }
    let mut points = view.over.iter().flat_map(|over| &over.points);
    if let Some(points) = points.nth(seat.into()) {
        let points = format!("{points:+}");
        words_at(svg, x + 610, y + 5, SEATS[0].0, 16, &points);
    }
}

/// Returns the rows of cards that show a hand.
fn fans(view: &Phase10View, seat: Seat, shown: &SeatShown) -> Vec<Vec<Drawn>> {
    let drawn = |faces: &[Face]| faces.iter().map(|&face| Drawn::Face(face)).collect();
    let open: Vec<Vec<Drawn>> = open_hand(view, seat)
        .iter()
        .map(|(_, faces)| drawn(faces))
        .collect();
    if !open.is_empty() {
        return open;
    }
    match (&shown.backs, &view.hand) {
        (Some(backs), _) if !backs.is_empty() => vec![drawn(backs)],
        // The viewer's own hand is drawn large below.
        (None, None) if shown.cards > 0 => vec![vec![Drawn::Covered; shown.cards.into()]],
        _ => Vec::new(),
    }
}

/// Draws groups side by side in as many rows as they need. Returns their lower edge.
fn draw_groups(
    svg: &mut String,
    seat: Seat,
    groups: &[GroupShown],
    (mut x, mut y): (usize, usize),
) -> usize {
    let left = ROWS + 16;
    for (number, group) in (1..).zip(groups) {
        // The cards of a long group overlap more.
        let room = WIDTH - MARGIN - left - 60;
        let count = group.cards.len();
        let step = SMALL.step.min((room - SMALL.width) / count.max(1));
        let width = step * count.saturating_sub(1) + SMALL.width;
        if x > left && x + 34 + width > WIDTH - MARGIN - 8 {
            (x, y) = (left, y + CARD_ROW);
        }
        let name = format!("{seat}.{number}");
        words_at(svg, x, y + 27, FAINT, 13, &name);
        let cards: Vec<Drawn> = group
            .cards
            .iter()
            .map(|&card| Drawn::Played(card))
            .collect();
        draw_cards(svg, x + 28, y, SvgSize { step, ..SMALL }, &cards);
        let mark = |end| group_mark(seat, number, end);
        let (half, height) = (width / 2, SMALL.height);
        match group.kind {
            GroupKind::Set => draw_mark(svg, mark(None), (x + 28, y), (width, height)),
            GroupKind::Run => {
                draw_mark(svg, mark(Some(End::Low)), (x + 28, y), (half, height));
                let middle = (x + 28 + half, y);
                draw_mark(svg, mark(Some(End::High)), middle, (width - half, height));
            }
        }
        x += 28 + width + 22;
    }
    y + CARD_ROW
}

fn draw_cards(svg: &mut String, x: usize, y: usize, size: SvgSize, cards: &[Drawn]) {
    for (place, &card) in cards.iter().enumerate() {
        draw_card(svg, x + size.step * place, y, size, card);
    }
}

/// Marks what can be pointed at: a box with this upper left corner and size.
fn draw_mark(
    svg: &mut String,
    mark: impl Display,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
) {
    tag!(svg, "rect", x, y, width, height, fill: "none", "data-mark": mark);
}

fn words_at(svg: &mut String, x: usize, y: usize, fill: &str, size: usize, words: &str) {
    tag!(svg, "text", x, y, "font-size": size, fill; words);
}

/// Returns the colours of a card and of its symbols.
fn colours(hue: CardColor) -> (&'static str, &'static str) {
    match hue {
        CardColor::Red => ("#c8372d", "#ffffff"),
        CardColor::Yellow => ("#f2c230", "#2b2410"),
        CardColor::Green => ("#2a8c4f", "#ffffff"),
        CardColor::Blue => ("#2b62c0", "#ffffff"),
        CardColor::Wild => ("#f4f1ea", "#24292f"),
    }
}

/// Draws a card, which may move, with its upper left corner here.
fn draw_card(svg: &mut String, x: usize, y: usize, size: SvgSize, card: Drawn) {
    let at = (x + size.width / 2, y + size.height / 2);
    let kind = match card {
        Drawn::Covered => "covered".into(),
        Drawn::Face(face) => face.to_string(),
        Drawn::Played(card) => card.face().to_string(),
    };
    paint::open_part(svg, kind, "card", size.width / 2, at);
    draw_sheet(svg, size, card);
    svg.push_str("</g>");
}

/// Draws a card around the origin.
fn draw_sheet(svg: &mut String, size: SvgSize, card: Drawn) {
    let SvgSize { width, height, .. } = size;
    let [x, y] = [width, height].map(|length| -(length as i32 / 2));
    let (face, number) = match card {
        Drawn::Covered => {
            tag!(svg, "rect", x, y, width, height, rx: 4, fill: "#59636d", stroke: "#1b2229");
            tag!(svg, "rect", x: x + 4, y: y + 4, width: width - 8, height: height - 8, rx: 2,
                fill: "none", stroke: FAINT);
            return;
        }
        Drawn::Face(face) => (face, face.number()),
        Drawn::Played(card) => (card.face(), Some(card.number())),
    };
    let star = face.is_star();
    let (ground, ink) = colours(face.hue());
    tag!(svg, "rect", x, y, width, height, rx: 4, fill: ground, stroke: "#1b2229");
    // In a fan only the left part of a card is visible.
    let seen = size.step.min(width);
    let centre = f64::from(x) + seen as f64 / 2.0;
    let unit = height as f64;
    let at = |part: f64| f64::from(y) + unit * part;
    if star {
        draw_star(
            svg,
            centre,
            at(if number.is_some() { 0.25 } else { 0.38 }),
            unit * if number.is_some() { 0.19 } else { 0.24 },
            ink,
        );
    }
    if let Some(number) = number {
        let (base, letters) = if star { (0.7, 0.32) } else { (0.52, 0.42) };
        let letters = if number > 9 { letters * 0.86 } else { letters };
        let (y, size) = (tenth(at(base)), tenth(unit * letters));
        tag!(svg, "text", x: tenth(centre), y, "font-size": size, "font-weight": 700,
            "text-anchor": "middle", fill: ink; number);
    }
    draw_symbol(svg, face.hue(), centre, at(0.86), unit * 0.08, ink);
    if face.flips() {
        draw_flip(svg, centre, at(0.67), unit * 0.085, ink);
    }
}

/// Draws the symbol of a colour, or all four for the wild side.
fn draw_symbol(svg: &mut String, hue: CardColor, x: f64, y: f64, r: f64, ink: &str) {
    match hue {
        CardColor::Red => tag!(svg, "circle", cx: tenth(x), cy: tenth(y), r: tenth(r), fill: ink),
        CardColor::Yellow => draw_star(svg, x, y, r * 1.3, ink),
        CardColor::Green => {
            let [left, top] = [x - r * 1.1, y - r].map(tenth);
            let [width, half, height] = [r * 2.2, -r * 1.1, r * 2.0].map(tenth);
            tag!(svg, "path", d: format_args!("M{left} {top}h{width}l{half} {height}z"), fill: ink);
        }
        CardColor::Blue => {
            let [x, y, width] = [x - r, y - r, r * 2.0].map(tenth);
            tag!(svg, "rect", x, y, width, height: width, fill: ink);
        }
        CardColor::Wild => {
            for (place, hue) in (0..).zip(CardSide::Colour.hues()) {
                let x = tenth(x + (f64::from(place) - 2.0) * r * 1.3);
                let [y, width, height] = [y - r * 0.6, r * 1.3, r * 1.2].map(tenth);
                tag!(svg, "rect", x, y, width, height, fill: colours(*hue).0);
            }
        }
    }
}

/// Writes a length with one decimal.
fn tenth(length: f64) -> String {
    format!("{length:.1}")
}

/// Draws a star of five points.
fn draw_star(svg: &mut String, x: f64, y: f64, r: f64, ink: &str) {
    /// The distances of the points and notches from the middle, clockwise from the top.
    const OUTLINE: [(f64, f64); 10] = [
        (0.0, -1.0),
        (0.235, -0.324),
        (0.951, -0.309),
        (0.380, 0.124),
        (0.588, 0.809),
        (0.0, 0.4),
        (-0.588, 0.809),
        (-0.380, 0.124),
        (-0.951, -0.309),
        (-0.235, -0.324),
    ];
    let points = OUTLINE.map(|(right, down)| format!("{:.1},{:.1}", x + r * right, y + r * down));
    tag!(svg, "polygon", points: points.join(" "), fill: ink);
}

/// Draws the flip symbol: an arrow up beside one down.
fn draw_flip(svg: &mut String, x: f64, y: f64, r: f64, ink: &str) {
    for (side, up) in [(-1.0, 1.0), (1.0, -1.0)] {
        let [x, y] = [x + side * r * 1.1 - r * 0.9, y + up * r * 0.8].map(tenth);
        let [half, rise, fall] = [r * 0.9, -up * r * 1.6, up * r * 1.6].map(tenth);
        let path = format!("M{x} {y}l{half} {rise}l{half} {fall}z");
        tag!(svg, "path", d: path, fill: ink);
    }
}
