//! The three games drawn for people: as text for a terminal, and as SVG for a page.

use std::fmt::Write as _;

use super::trays::{Cell, Control, Kind, Place, SIDES, Side, Spot, Token, Tray, side_of};
use super::view::{LineView, Over, Reason, Scored, TrayView};
use crate::Seat;
use crate::paint::{self, FAINT, FRAME, INK};

/// Everything that a drawing shows.
pub(super) struct Scene<'a> {
    pub(super) title: &'static str,
    pub(super) round: u32,
    pub(super) tick: Option<u32>,
    pub(super) control: Control,
    pub(super) top: &'a TrayView,
    pub(super) bottom: &'a TrayView,
    pub(super) sides: [SideScene; 2],
    /// The lines that stand, and whose they are.
    pub(super) lines: Vec<(Side, &'a LineView)>,
    /// What came down last.
    pub(super) landed: Vec<(Side, Place)>,
    /// Whether it came down just now.
    pub(super) landed_now: bool,
    /// The cell of a power that has yet to be used.
    pub(super) marked: Option<Spot>,
    /// One line: who is to do what, or how it ended.
    pub(super) caption: String,
    pub(super) scored: Option<&'a Scored>,
    /// The side that the caption is about.
    pub(super) about: Option<Side>,
}

/// What a side has, for a drawing.
#[derive(Default)]
pub(super) struct SideScene {
    pub(super) score: u8,
    pub(super) holder: Seat,
    /// The tokens in hand, in words.
    pub(super) hand: String,
    /// The tokens in hand, a letter each.
    pub(super) tokens: String,
    pub(super) ready: bool,
    pub(super) in_air: Vec<Age>,
    pub(super) picked_up: usize,
    pub(super) out: usize,
}

/// A token in the air.
pub(super) struct Age {
    /// For how many ticks; none in a game without ticks.
    pub(super) ticks: Option<u32>,
    pub(super) kind: Kind,
    pub(super) aim: Option<Spot>,
}

/// The name of a side.
pub(super) const fn name(side: Side) -> &'static str {
    if side == 0 { "Red" } else { "Yellow" }
}

/// Seats with their sides: `Red (seat 0) and Yellow (seat 1)`.
pub(super) fn seats_in_words(seats: &[Seat]) -> String {
    let words = seats
        .iter()
        .map(|&seat| format!("{} (seat {seat})", name(side_of(seat))));
    words.collect::<Vec<_>>().join(" and ")
}

/// The side that won, if one did.
pub(super) fn winner(over: &Over) -> Option<Side> {
    let winner = over.points.iter().position(|&points| points > 0);
    winner.map(|seat| side_of(seat as Seat))
}

/// How a match ended.
pub(super) fn over_in_words(over: &Over) -> String {
    let reason = match over.reason {
        Reason::Line => "line",
        Reason::Points => "points",
        Reason::Limit => "limit",
    };
    match winner(over) {
        Some(side) => format!("{} wins: {reason}", name(side)),
        None => format!("Draw: {reason}"),
    }
}

/// The letters of a stack in a text; of a higher one only its top is shown.
const HIGHEST: usize = 4;

/// What the letters of the text mean, and those of the tokens with powers.
const LEGEND: &str = "upper case Red, lower case Yellow, the last letter lies on top; T token";
const POWERS: &str = "B bomb, C cell, D double, L line";

impl Scene<'_> {
    fn headline(&self) -> String {
        let Scene {
            title,
            round,
            caption,
            ..
        } = self;
        match self.tick {
            Some(tick) => format!("{title}, round {round}, tick {tick}: {caption}"),
            None => format!("{title}, round {round}: {caption}"),
        }
    }

    fn tray(&self, tray: Tray) -> &TrayView {
        match tray {
            Tray::Top => self.top,
            Tray::Bottom => self.bottom,
        }
    }

    fn size(&self) -> usize {
        self.top.ranks.len()
    }

    /// The last line that counted, and what came down last, in words.
    fn news(&self) -> String {
        let mut news = Vec::new();
        if !self.landed.is_empty() {
            let landed = self
                .landed
                .iter()
                .map(|(side, place)| format!("{} {place}", name(*side)));
            news.push(format!("down: {}", landed.collect::<Vec<_>>().join(", ")));
        }
        if let Some(Scored { round, side, line }) = self.scored {
            let cells: Vec<String> = line.cells.iter().map(Cell::to_string).collect();
            news.push(format!(
                "{} had {} {} in round {round}",
                name(*side),
                line.tray,
                cells.join(" ")
            ));
        }
        news.join("; ")
    }
}

/// For a terminal: a headline, the trays, the sides, the legend.
pub(super) fn text(scene: &Scene<'_>) -> String {
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

fn write_tray(text: &mut String, scene: &Scene<'_>, tray: Tray) {
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
        let cells: Vec<String> = line.cells.iter().map(Cell::to_string).collect();
        let _ = writeln!(text, "  {} has a line: {}", name(*side), cells.join(" "));
    }
}

fn shortened(stack: &str) -> String {
    match stack.len() {
        0 => ".".into(),
        high if high > HIGHEST => format!("+{}", &stack[high - HIGHEST..]),
        _ => stack.into(),
    }
}

fn points(score: u8) -> String {
    match score {
        1 => "1 point".into(),
        score => format!("{score} points"),
    }
}

fn write_side(text: &mut String, scene: &Scene<'_>, side: Side) {
    let view = &scene.sides[usize::from(side)];
    let ready = if view.ready { ", ready" } else { "" };
    let _ = write!(
        text,
        "{:<6} {}, {}; seat {} has the launcher{ready}",
        name(side),
        points(view.score),
        view.hand,
        view.holder
    );
    if !view.in_air.is_empty() {
        let tokens = view.in_air.iter().map(|token| {
            let age = token.ticks.map(|ticks| format!("for {ticks}"));
            let aim = token.aim.map(|aim| aim.to_string());
            let kind = (token.kind != Kind::Basic).then(|| token.kind.to_string());
            let words = [kind, aim, age].into_iter().flatten();
            words.collect::<Vec<_>>().join(" ")
        });
        let tokens: Vec<String> = tokens.collect();
        let _ = write!(text, "; in the air: {}", tokens.join(", "));
    }
    if view.picked_up > 0 {
        let _ = write!(text, "; {} being picked up", view.picked_up);
    }
    if view.out > 0 {
        let _ = write!(text, "; {} out", view.out);
    }
    text.push('\n');
}

// Lengths of the SVG.
const CELL: usize = 60;
const PANEL: usize = 132;
const EDGE: usize = 12;
const HEAD: usize = 40;
/// Above a tray, with its name.
const LABEL: usize = 26;
/// Below a tray, with the names of its files.
const FILES: usize = 24;
/// Below a tray, with what lies on its rim.
const RIM: usize = 22;
const FOOT: usize = 66;
const DISC: usize = 20;
/// By how much a token of a stack is drawn above the one below.
const LIFT: usize = 4;
/// The tokens of a stack that are drawn.
const DRAWN: usize = 4;

// Colours of the SVG.
const TRAY: &str = "#2f6db3";
const TRAY_EDGE: &str = "#1d4a80";
const WELL: &str = "#1b3a5e";
const SHADE: &str = "#3b4752";
const MARK: &str = "#2b1a0e";

/// Fill and rim of the tokens of each side. They differ in brightness too.
const COLOURS: [(&str, &str); 2] = [("#d8433b", "#7d1712"), ("#f6cf3f", "#94700a")];

fn colours(side: Side) -> (&'static str, &'static str) {
    COLOURS[usize::from(side).min(1)]
}

/// Where things stand in the SVG.
struct Layout {
    size: usize,
}

impl Layout {
    fn width(&self) -> usize {
        2 * (PANEL + 2 * EDGE) + self.size * CELL + 2 * EDGE
    }

    fn left(&self) -> usize {
        PANEL + 3 * EDGE
    }

    fn tray_height(&self) -> usize {
        LABEL + self.size * CELL + FILES + RIM
    }

    /// The upper edge of a tray's cells.
    fn above(&self, tray: Tray) -> usize {
        match tray {
            Tray::Top => HEAD + LABEL,
            Tray::Bottom => HEAD + LABEL + self.tray_height(),
        }
    }

    fn height(&self) -> usize {
        HEAD + 2 * self.tray_height() + FOOT
    }

    /// The middle of a cell.
    fn middle(&self, spot: Spot) -> (usize, usize) {
        let Cell { file, rank } = spot.cell;
        let row = (self.size - 1).saturating_sub(usize::from(rank));
        (
            self.left() + usize::from(file) * CELL + CELL / 2,
            self.above(spot.tray) + row * CELL + CELL / 2,
        )
    }
}

/// For a page: one `<svg>` element.
pub(super) fn svg(scene: &Scene<'_>) -> String {
    let layout = Layout { size: scene.size() };
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

fn draw_head(svg: &mut String, scene: &Scene<'_>, layout: &Layout) {
    let round = match scene.tick {
        Some(tick) => format!("round {}, tick {tick}", scene.round),
        None => format!("round {}", scene.round),
    };
    let _ = write!(
        svg,
        "<g fill=\"{FAINT}\"><text x=\"{}\" y=\"26\">{}</text>\
         <text x=\"{}\" y=\"26\" text-anchor=\"end\">{round}</text></g>",
        2 * EDGE,
        paint::escaped(scene.title),
        layout.width() - 2 * EDGE
    );
}

fn draw_tray(svg: &mut String, scene: &Scene<'_>, layout: &Layout, tray: Tray) {
    let (left, above, wide) = (layout.left(), layout.above(tray), layout.size * CELL);
    let _ = write!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"{TRAY}\" \
         stroke=\"{TRAY_EDGE}\" stroke-width=\"3\"/>\
         <text x=\"{left}\" y=\"{}\" fill=\"{INK}\" font-weight=\"600\">{tray} tray</text>",
        left - 6,
        above - 6,
        wide + 12,
        wide + 12,
        above - 12
    );
    draw_names(svg, layout, tray);
    let view = scene.tray(tray);
    for (rank, cells) in (0..layout.size as u8).rev().zip(&view.ranks) {
        for (file, stack) in (0..).zip(cells) {
            let cell = Cell { file, rank };
            let spot = Spot { tray, cell };
            draw_cell(svg, scene, layout.middle(spot), spot, stack);
        }
    }
    draw_rim(svg, layout, tray, &view.rim);
}

fn draw_names(svg: &mut String, layout: &Layout, tray: Tray) {
    let (left, above) = (layout.left(), layout.above(tray));
    let _ = write!(
        svg,
        "<g fill=\"{FAINT}\" text-anchor=\"middle\" font-size=\"12\">"
    );
    for (at, file) in ('a'..).take(layout.size).enumerate() {
        let middle = left + at * CELL + CELL / 2;
        let below = above + layout.size * CELL;
        let _ = write!(
            svg,
            "<text x=\"{middle}\" y=\"{}\">{file}</text>",
            below + 21
        );
        let row = below - at * CELL - CELL / 2 + 4;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{row}\">{}</text>",
            left - 15,
            at + 1
        );
    }
    svg.push_str("</g>");
}

/// A cell is a well; its ring has the colour of the side that controls it.
fn draw_cell(svg: &mut String, scene: &Scene<'_>, (x, y): (usize, usize), spot: Spot, stack: &str) {
    let half = CELL / 2 - 3;
    let tokens: Vec<Token> = stack.chars().filter_map(Token::lettered).collect();
    let ring = match controller(&tokens, scene.control) {
        Some(side) => format!("stroke=\"{}\" stroke-width=\"3\"", colours(side).0),
        None if tokens.is_empty() => format!("stroke=\"{TRAY_EDGE}\" stroke-width=\"1.5\""),
        None => format!("stroke=\"{FAINT}\" stroke-width=\"3\" stroke-dasharray=\"5 4\""),
    };
    let _ = write!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{WELL}\" {ring}/>",
        x - half,
        y - half,
        2 * half,
        2 * half
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
            .any(|(_, place)| *place == Place::In(spot));
    if came_down {
        let _ = write!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{INK}\"/>",
            x - half + 7,
            y - half + 7
        );
    }
    if scene.marked == Some(spot) {
        let _ = write!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"{INK}\" \
             stroke-width=\"2.5\" stroke-dasharray=\"3 4\"/>",
            half - 1
        );
    }
}

/// The side that controls a cell, if one does.
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

fn draw_token(svg: &mut String, token: Token, (x, y): (usize, usize), radius: usize) {
    let (fill, rim) = colours(token.side);
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{rim}\" \
         stroke-width=\"2\"/>"
    );
    let ink = match token.side {
        0 => INK,
        _ => MARK,
    };
    // The marks are drawn for a token of radius 20.
    let shrink = radius as f64 / 20.0;
    let mark = match token.kind {
        Kind::Basic => return,
        Kind::Bomb => "<circle cy=\"2\" r=\"7\" fill=\"INK\"/><path d=\"M4-4l5-6\"/>",
        Kind::Cell => "<path d=\"M-7-7h14v14h-14z\"/>",
        Kind::Double => "<path d=\"M-9 6l7-12M-9-6l7 12M3-4c1-4 7-3 6 1l-6 9h7\"/>",
        Kind::Line => "<path d=\"M-10 0h20M0-10v20\"/>",
    };
    let _ = write!(
        svg,
        "<g transform=\"translate({x} {y}) scale({shrink})\" fill=\"none\" stroke=\"{ink}\" \
         stroke-width=\"3\" stroke-linecap=\"round\" stroke-linejoin=\"round\">{}</g>",
        mark.replace("INK", ink)
    );
}

fn draw_count(svg: &mut String, (x, y): (usize, usize), count: usize) {
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"{FRAME}\"/>\
         <text x=\"{x}\" y=\"{}\" fill=\"{INK}\" font-size=\"11\" \
         text-anchor=\"middle\">{count}</text>",
        y + 4
    );
}

fn draw_rim(svg: &mut String, layout: &Layout, tray: Tray, rim: &str) {
    if rim.is_empty() {
        return;
    }
    let y = layout.above(tray) + layout.size * CELL + FILES + 10;
    let left = layout.left();
    let _ = write!(
        svg,
        "<text x=\"{left}\" y=\"{}\" fill=\"{FAINT}\" font-size=\"12\">rim</text>",
        y + 4
    );
    for (at, token) in rim.chars().filter_map(Token::lettered).enumerate() {
        draw_token(svg, token, (left + 36 + 12 * at, y), 7);
    }
}

/// A line is drawn through the middles of its cells.
fn draw_line(svg: &mut String, layout: &Layout, side: Side, line: &LineView) {
    let tray = line.tray;
    let ends = [line.cells.first(), line.cells.last()];
    let [Some(&first), Some(&last)] = ends else {
        return;
    };
    let [from, to] = [first, last].map(|cell| layout.middle(Spot { tray, cell }));
    let _ = write!(
        svg,
        "<path d=\"M{} {}L{} {}\" stroke=\"{INK}\" stroke-width=\"9\" stroke-linecap=\"round\" \
         opacity=\"0.85\"/>\
         <path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\"/>",
        from.0,
        from.1,
        to.0,
        to.1,
        from.0,
        from.1,
        to.0,
        to.1,
        colours(side).1
    );
}

/// What is aimed at, as far as it may be known: a ring with a cross in the side's colour.
fn draw_aims(svg: &mut String, scene: &Scene<'_>, layout: &Layout) {
    for side in SIDES {
        let aims = scene.sides[usize::from(side)].in_air.iter();
        for aim in aims.filter_map(|token| token.aim) {
            let (x, y) = layout.middle(aim);
            let _ = write!(
                svg,
                "<g fill=\"none\" stroke-linecap=\"round\"><g stroke=\"{FRAME}\" \
                 stroke-width=\"6\"><circle cx=\"{x}\" cy=\"{y}\" r=\"15\"/></g>\
                 <g stroke=\"{}\" stroke-width=\"3\"><circle cx=\"{x}\" cy=\"{y}\" r=\"15\"/>\
                 <path d=\"M{x} {y}m-22 0h12m20 0h12m-22-22v12m0 20v12\"/></g></g>",
                colours(side).0
            );
        }
    }
}

/// What a side has, beside the trays: red on the left, yellow on the right.
fn draw_panel(svg: &mut String, scene: &Scene<'_>, layout: &Layout, side: Side) {
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
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{HEAD}\" width=\"{PANEL}\" height=\"{high}\" rx=\"10\" \
         fill=\"{SHADE}\" stroke=\"{outline}\" stroke-width=\"2\"/>\
         <rect x=\"{x}\" y=\"{HEAD}\" width=\"{PANEL}\" height=\"8\" rx=\"4\" fill=\"{fill}\"/>\
         <text x=\"{}\" y=\"{}\" fill=\"{INK}\" font-size=\"18\" font-weight=\"600\">{}</text>\
         <text x=\"{}\" y=\"{}\" fill=\"{INK}\" font-size=\"26\" font-weight=\"700\" \
         text-anchor=\"end\">{}</text>",
        x + 12,
        HEAD + 34,
        name(side),
        x + PANEL - 12,
        HEAD + 37,
        view.score
    );
    let (lamp, words) = match view.ready {
        true => (fill, ", ready"),
        false => ("none", ""),
    };
    let _ = write!(
        svg,
        "<circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"{lamp}\" stroke=\"{rim}\" \
         stroke-width=\"2\"/><text x=\"{}\" y=\"{}\" fill=\"{INK}\" font-size=\"13\">seat {}{words}</text>",
        x + 18,
        HEAD + 58,
        x + 32,
        HEAD + 63,
        view.holder
    );
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

/// The rows of a side's panel, from above down.
struct Panel<'a> {
    svg: &'a mut String,
    side: Side,
    x: usize,
    y: usize,
}

impl Panel<'_> {
    /// Tokens that stand in a row of a panel.
    const ROW: usize = 5;

    fn words(&mut self, words: &str) {
        let _ = write!(
            self.svg,
            "<text x=\"{}\" y=\"{}\" fill=\"{FAINT}\" font-size=\"12\">{words}</text>",
            self.x + 12,
            self.y
        );
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
        self.words(match is_timed {
            true => "in the air, for ticks",
            false => "in the air",
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
            let _ = write!(
                self.svg,
                "<text x=\"{}\" y=\"{}\" fill=\"{ink}\" font-size=\"12\" font-weight=\"600\" \
                 text-anchor=\"middle\">{}</text>",
                place.0,
                place.1 + 4,
                ticks
            );
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

fn draw_foot(svg: &mut String, scene: &Scene<'_>, layout: &Layout) {
    let y = layout.height() - FOOT + 28;
    let mut x = 2 * EDGE;
    if let Some(side) = scene.about {
        draw_token(svg, Token::plain(side), (x + 8, y - 5), 8);
        x += 26;
    }
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" fill=\"{INK}\" font-weight=\"600\">{}</text>\
         <text x=\"{}\" y=\"{}\" fill=\"{FAINT}\" font-size=\"12\">{}</text>",
        paint::escaped(&scene.caption),
        2 * EDGE,
        y + 22,
        paint::escaped(&scene.news())
    );
}
