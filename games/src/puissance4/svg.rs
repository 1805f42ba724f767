//! The three games drawn as SVG for a page.

use std::fmt::Write as _;

use super::scene::{Age, Puissance4Scene, name};
use super::trays::{
    Control, LandingSpot, SIDES, Side, Token, Tray, TrayCell, TrayKind, TraySpot, side_of,
};
use super::view::LineView;
use crate::game::SeatLook;
use crate::paint::{self, FAINT, FRAME, INK, tag};
use crate::seats::Seat;

// Lengths of the SVG.
const CELL: usize = 60;
const PANEL: usize = 132;
const EDGE: usize = 12;
const HEAD: usize = 40;
/// The height above a tray, with its name.
const LABEL: usize = 26;
/// The height below a tray, with the names of its files.
const FILES: usize = 24;
/// The height below a tray, with the tokens on its rim.
const RIM: usize = 22;
const FOOT: usize = 66;
const DISC: usize = 20;
/// The offset of a token in a stack from the one below.
const LIFT: usize = 4;
/// The maximum number of tokens drawn of a stack.
const DRAWN: usize = 4;

// Colours of the SVG.
const TRAY: &str = "#2f6db3";
const TRAY_EDGE: &str = "#1d4a80";
const WELL: &str = "#1b3a5e";
const SHADE: &str = "#3b4752";
const MARK: &str = "#2b1a0e";

/// The fill and the rim of the tokens of each side. They differ in brightness too.
const COLOURS: [(&str, &str); 2] = [("#d8433b", "#7d1712"), ("#f6cf3f", "#94700a")];

fn colours(side: Side) -> (&'static str, &'static str) {
    COLOURS[usize::from(side).min(1)]
}

/// Returns what the tokens of a seat look like.
pub(super) fn look(seat: Seat) -> SeatLook {
    let side = side_of(seat);
    let (fill, rim) = colours(side);
    SeatLook {
        name: Some(name(side)),
        fill,
        rim,
    }
}

/// The layout of the SVG.
struct SvgLayout {
    size: usize,
}

impl SvgLayout {
    fn width(&self) -> usize {
        2 * (PANEL + 2 * EDGE) + self.size * CELL + 2 * EDGE
    }

    fn left(&self) -> usize {
        PANEL + 3 * EDGE
    }

    fn tray_height(&self) -> usize {
        LABEL + self.size * CELL + FILES + RIM
    }

    /// Returns the upper edge of a tray's cells.
    fn above(&self, tray: Tray) -> usize {
        match tray {
            Tray::Top => HEAD + LABEL,
            Tray::Bottom => HEAD + LABEL + self.tray_height(),
        }
    }

    fn height(&self) -> usize {
        HEAD + 2 * self.tray_height() + FOOT
    }

    /// Returns the middle of a cell.
    fn middle(&self, spot: TraySpot) -> (usize, usize) {
        let TrayCell { file, rank } = spot.cell;
        let row = (self.size - 1).saturating_sub(usize::from(rank));
        (
            self.left() + usize::from(file) * CELL + CELL / 2,
            self.above(spot.tray) + row * CELL + CELL / 2,
        )
    }
}

/// Draws one `<svg>` element.
pub(super) fn svg(scene: &Puissance4Scene<'_>) -> String {
    let layout = SvgLayout { size: scene.size() };
    let mut svg = paint::open(&scene.headline(), layout.width(), layout.height());
    draw_head(&mut svg, scene, &layout);
    for tray in [Tray::Top, Tray::Bottom] {
        draw_tray(&mut svg, scene, &layout, tray);
    }
    for (side, line) in &scene.lines {
        draw_line(&mut svg, &layout, *side, line);
    }
    draw_aims(&mut svg, scene, &layout);
    for side in SIDES {
        draw_panel(&mut svg, scene, &layout, side);
    }
    draw_foot(&mut svg, scene, &layout);
    svg.push_str("</svg>");
    svg
}

fn draw_head(svg: &mut String, scene: &Puissance4Scene<'_>, layout: &SvgLayout) {
    let round = match scene.tick {
        Some(tick) => format!("round {}, tick {tick}", scene.round),
        None => format!("round {}", scene.round),
    };
    tag!(svg, "g" open, fill: FAINT);
    tag!(svg, "text", x: 2 * EDGE, y: 26; scene.title);
    tag!(svg, "text", x: layout.width() - 2 * EDGE, y: 26, "text-anchor": "end"; round);
    svg.push_str("</g>");
}

fn draw_tray(svg: &mut String, scene: &Puissance4Scene<'_>, layout: &SvgLayout, tray: Tray) {
    let (left, above, wide) = (layout.left(), layout.above(tray), layout.size * CELL);
    tag!(svg, "rect", x: left - 6, y: above - 6, width: wide + 12, height: wide + 12, rx: 10,
        fill: TRAY, stroke: TRAY_EDGE, "stroke-width": 3);
    tag!(svg, "text", x: left, y: above - 12, fill: INK, "font-weight": 600;
        format_args!("{tray} tray"));
    draw_names(svg, layout, tray);
    let view = scene.tray(tray);
    for (rank, cells) in (0..layout.size as u8).rev().zip(&view.ranks) {
        for (file, stack) in (0..).zip(cells) {
            let cell = TrayCell { file, rank };
            let spot = TraySpot { tray, cell };
            draw_cell(svg, scene, layout.middle(spot), spot, stack);
        }
    }
    draw_rim(svg, layout, tray, &view.rim);
}

fn draw_names(svg: &mut String, layout: &SvgLayout, tray: Tray) {
    let (left, above) = (layout.left(), layout.above(tray));
    tag!(svg, "g" open, fill: FAINT, "text-anchor": "middle", "font-size": 12);
    for (at, file) in ('a'..).take(layout.size).enumerate() {
        let middle = left + at * CELL + CELL / 2;
        let below = above + layout.size * CELL;
        tag!(svg, "text", x: middle, y: below + 21; file);
        let row = below - at * CELL - CELL / 2 + 4;
        tag!(svg, "text", x: left - 15, y: row; at + 1);
    }
    svg.push_str("</g>");
}

/// Draws a cell with its tokens. Its ring has the colour of the side that controls it.
fn draw_cell(
    svg: &mut String,
    scene: &Puissance4Scene<'_>,
    (x, y): (usize, usize),
    spot: TraySpot,
    stack: &str,
) {
    let half = CELL / 2 - 3;
    let tokens: Vec<Token> = stack.chars().filter_map(Token::lettered).collect();
    let ring = match controller(&tokens, scene.control) {
        Some(side) => format!("stroke=\"{}\" stroke-width=\"3\"", colours(side).0),
        None if tokens.is_empty() => format!("stroke=\"{TRAY_EDGE}\" stroke-width=\"1.5\""),
        None => format!("stroke=\"{FAINT}\" stroke-width=\"3\" stroke-dasharray=\"5 4\""),
    };
    let _ = write!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{WELL}\" {ring} \
         data-mark=\"{}\"/>",
        x - half,
        y - half,
        2 * half,
        2 * half,
        spot.mark()
    );
    let drawn = &tokens[tokens.len().saturating_sub(DRAWN)..];
    let lowest = y + LIFT * drawn.len().saturating_sub(1) / 2;
    for (height, token) in drawn.iter().enumerate() {
        draw_token(svg, *token, (x, lowest - LIFT * height), DISC);
    }
    if tokens.len() > 1 {
        draw_count(svg, (x + half - 9, y + half - 8), tokens.len());
    }
    let came_down = scene.landed_now
        && scene
            .landed
            .iter()
            .any(|(_, place)| *place == LandingSpot::In(spot));
    if came_down {
        tag!(svg, "circle", cx: x - half + 7, cy: y - half + 7, r: 4, fill: INK);
    }
    if scene.marked == Some(spot) {
        tag!(svg, "circle", cx: x, cy: y, r: half - 1, fill: "none", stroke: INK,
            "stroke-width": "2.5", "stroke-dasharray": "3 4");
    }
}

/// Returns the side that controls a cell, if one does.
fn controller(tokens: &[Token], control: Control) -> Option<Side> {
    let top = tokens.last()?.side;
    if control == Control::Topmost {
        return Some(top);
    }
    let [red, yellow] = SIDES.map(|side| tokens.iter().filter(|it| it.side == side).count());
    match red.cmp(&yellow) {
        std::cmp::Ordering::Greater => Some(0),
        std::cmp::Ordering::Less => Some(1),
        std::cmp::Ordering::Equal => None,
    }
}

/// Draws a token that may move.
fn draw_token(svg: &mut String, token: Token, at: (usize, usize), size: usize) {
    paint::open_part(svg, token.letter(), "", size, at);
    draw_face(svg, token, size);
    svg.push_str("</g>");
}

/// Draws a token around the origin.
fn draw_face(svg: &mut String, token: Token, radius: usize) {
    let (fill, rim) = colours(token.side);
    paint::disc(svg, radius, fill, rim);
    let ink = match token.side {
        0 => INK,
        _ => MARK,
    };
    // The marks are drawn for a token of radius 20.
    let shrink = radius as f64 / 20.0;
    let mark = match token.kind {
        TrayKind::Basic => return,
        TrayKind::Bomb => "<circle cy=\"2\" r=\"7\" fill=\"INK\"/><path d=\"M4-4l5-6\"/>",
        TrayKind::Cell => "<path d=\"M-7-7h14v14h-14z\"/>",
        TrayKind::Double => "<path d=\"M-9 6l7-12M-9-6l7 12M3-4c1-4 7-3 6 1l-6 9h7\"/>",
        TrayKind::Line => "<path d=\"M-10 0h20M0-10v20\"/>",
    };
    let _ = write!(
        svg,
        "<g transform=\"scale({shrink})\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"3\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\">{}</g>",
        mark.replace("INK", ink)
    );
}

fn draw_count(svg: &mut String, (x, y): (usize, usize), count: usize) {
    tag!(svg, "circle", cx: x, cy: y, r: 9, fill: FRAME);
    tag!(svg, "text", x, y: y + 4, fill: INK, "font-size": 11, "text-anchor": "middle"; count);
}

fn draw_rim(svg: &mut String, layout: &SvgLayout, tray: Tray, rim: &str) {
    if rim.is_empty() {
        return;
    }
    let y = layout.above(tray) + layout.size * CELL + FILES + 10;
    let left = layout.left();
    tag!(svg, "text", x: left, y: y + 4, fill: FAINT, "font-size": 12; "rim");
    for (at, token) in rim.chars().filter_map(Token::lettered).enumerate() {
        draw_token(svg, token, (left + 36 + 12 * at, y), 7);
    }
}

/// Draws a line through the middles of its cells.
fn draw_line(svg: &mut String, layout: &SvgLayout, side: Side, line: &LineView) {
    let tray = line.tray;
    let ends = [line.cells.first(), line.cells.last()];
    let [Some(&first), Some(&last)] = ends else {
        return;
    };
    let [from, to] = [first, last].map(|cell| layout.middle(TraySpot { tray, cell }));
    let path = format!("M{} {}L{} {}", from.0, from.1, to.0, to.1);
    tag!(svg, "path", d: path, stroke: INK, "stroke-width": 9, "stroke-linecap": "round",
        opacity: "0.85");
    tag!(svg, "path", d: path, stroke: colours(side).1, "stroke-width": 4,
        "stroke-linecap": "round");
}

/// Draws each visible aim as a ring with a cross in the side's colour.
fn draw_aims(svg: &mut String, scene: &Puissance4Scene<'_>, layout: &SvgLayout) {
    for side in SIDES {
        let aims = scene.sides[usize::from(side)].in_air.iter();
        for aim in aims.filter_map(|token| token.aim) {
            let (x, y) = layout.middle(aim);
            tag!(svg, "g" open, fill: "none", "stroke-linecap": "round");
            tag!(svg, "g" open, stroke: FRAME, "stroke-width": 6);
            tag!(svg, "circle", cx: x, cy: y, r: 15);
            svg.push_str("</g>");
            tag!(svg, "g" open, stroke: colours(side).0, "stroke-width": 3);
            tag!(svg, "circle", cx: x, cy: y, r: 15);
            tag!(svg, "path", d: format_args!("M{x} {y}m-22 0h12m20 0h12m-22-22v12m0 20v12"));
            svg.push_str("</g>");
            svg.push_str("</g>");
        }
    }
}

/// Draws the tokens of a side beside the trays: red on the left, yellow on the right.
fn draw_panel(svg: &mut String, scene: &Puissance4Scene<'_>, layout: &SvgLayout, side: Side) {
    let view = &scene.sides[usize::from(side)];
    let (fill, rim) = colours(side);
    let x = match side {
        0 => EDGE,
        _ => layout.width() - EDGE - PANEL,
    };
    let high = layout.height() - HEAD - FOOT;
    let outline = if scene.about == Some(side) {
        fill
    } else {
        SHADE
    };
    tag!(svg, "rect", x, y: HEAD, width: PANEL, height: high, rx: 10, fill: SHADE, stroke: outline,
        "stroke-width": 2);
    tag!(svg, "rect", x, y: HEAD, width: PANEL, height: 8, rx: 4, fill);
    tag!(svg, "text", x: x + 12, y: HEAD + 34, fill: INK, "font-size": 18, "font-weight": 600;
        name(side));
    tag!(svg, "text", x: x + PANEL - 12, y: HEAD + 37, fill: INK, "font-size": 26,
        "font-weight": 700, "text-anchor": "end"; view.score);
    let (lamp, words) = if view.ready {
        (fill, ", ready")
    } else {
        ("none", "")
    };
    tag!(svg, "circle", cx: x + 18, cy: HEAD + 58, r: 6, fill: lamp, stroke: rim,
        "stroke-width": 2);
    tag!(svg, "text", x: x + 32, y: HEAD + 63, fill: INK, "font-size": 13;
        format_args!("seat {}{words}", view.holder));
    let mut panel = Panel {
        svg,
        side,
        x,
        y: HEAD + 92,
    };
    panel.hand(&view.tokens);
    panel.in_air(&view.in_air);
    panel.row("picked up", view.picked_up);
    panel.row("out", view.out);
}

/// The rows of a side's panel, from the top down.
struct Panel<'a> {
    svg: &'a mut String,
    side: Side,
    x: usize,
    y: usize,
}

impl Panel<'_> {
    /// The number of tokens in a row.
    const ROW: usize = 5;

    fn words(&mut self, words: &str) {
        tag!(self.svg, "text", x: self.x + 12, y: self.y, fill: FAINT, "font-size": 12; words);
    }

    fn hand(&mut self, tokens: &str) {
        self.words(&format!("in hand {}", tokens.len()));
        self.y += 20;
        let kinds = tokens.chars().filter_map(Token::lettered);
        for (at, token) in kinds.enumerate() {
            let token = Token {
                side: self.side,
                ..token
            };
            let place = (
                self.x + 22 + 22 * (at % Self::ROW),
                self.y + 24 * (at / Self::ROW),
            );
            draw_token(self.svg, token, place, 10);
        }
        self.y += 24 * tokens.len().div_ceil(Self::ROW) + 16;
    }

    fn in_air(&mut self, tokens: &[Age]) {
        if tokens.is_empty() {
            return;
        }
        let is_timed = tokens.iter().any(|token| token.ticks.is_some());
        self.words(if is_timed {
            "in the air, for ticks"
        } else {
            "in the air"
        });
        self.y += 22;
        for (at, token) in tokens.iter().enumerate() {
            let place = (self.x + 24 + 28 * (at % 4), self.y + 28 * (at / 4));
            let side = self.side;
            let kind = token.kind;
            draw_token(self.svg, Token { side, kind }, place, 11);
            let Some(ticks) = token.ticks else {
                continue;
            };
            let ink = if self.side == 0 { INK } else { MARK };
            tag!(self.svg, "text", x: place.0, y: place.1 + 4, fill: ink, "font-size": 12,
                "font-weight": 600, "text-anchor": "middle"; ticks);
        }
        self.y += 28 * tokens.len().div_ceil(4) + 12;
    }

    fn row(&mut self, words: &str, count: usize) {
        if count == 0 {
            return;
        }
        self.words(&format!("{words} {count}"));
        self.y += 18;
        for at in 0..count {
            let place = (self.x + 16 + 13 * (at % 9), self.y + 13 * (at / 9));
            draw_token(self.svg, Token::plain(self.side), place, 5);
        }
        self.y += 13 * count.div_ceil(9) + 16;
    }
}

fn draw_foot(svg: &mut String, scene: &Puissance4Scene<'_>, layout: &SvgLayout) {
    let y = layout.height() - FOOT + 28;
    let mut x = 2 * EDGE;
    if let Some(side) = scene.about {
        paint::open_at(svg, "side", (x + 8, y - 5));
        draw_face(svg, Token::plain(side), 8);
        svg.push_str("</g>");
        x += 26;
    }
    tag!(svg, "text", x, y, fill: INK, "font-weight": 600; scene.caption);
    tag!(svg, "text", x: 2 * EDGE, y: y + 22, fill: FAINT, "font-size": 12; scene.news());
}
