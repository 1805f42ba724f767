//! Drawings of Phase 10 Flip: a table with a place for each seat, the piles above.

use std::fmt::Write as _;

use super::cards::{Face, Laid, Side, WILD};
use super::groups::{Kind, wanted};
use super::view::{PileView, SeatView};
use super::{Phase10, Reason, Stage, View};
use crate::paint::{self, FAINT, FRAME, INK, SEATS};
use crate::{Game as _, Seat};

// Lengths of the SVG.
const WIDTH: usize = 880;
const MARGIN: usize = 24;
const TOP: usize = 126;
const ROW: usize = 126;
const FOOT: usize = 44;
const LEFT: usize = 212;
const CARD_WIDTH: usize = 36;
const CARD_HEIGHT: usize = 50;
/// How far one card lies from the next, where there is room.
const STEP: usize = 40;
/// Between two groups.
const GAP: usize = 18;

// Colours of the SVG.
const SUITS: [(&str, &str); 5] = [
    ("#d8483a", "#fffdf8"),
    ("#f3c333", "#3a2c00"),
    ("#2f9e5b", "#fffdf8"),
    ("#3a76d2", "#fffdf8"),
    ("#7d70a8", "#fffdf8"),
];
const UNSEEN: &str = "#5b6670";
const FELT: &str = "#37434d";

impl View {
    fn caption(&self) -> String {
        if let Some(over) = &self.over {
            let most = over.points.iter().max();
            let first: Vec<String> = (0..over.points.len())
                .filter(|&seat| over.points.get(seat) == most)
                .map(|seat| format!("seat {seat}"))
                .collect();
            let why = match over.reason {
                Reason::LastPhase => "the last phase is completed",
                Reason::DecidingRound => "the deciding round is over",
                Reason::TenRounds => "ten rounds are over",
                Reason::Limit => "no rounds or turns are left",
            };
            return format!("{}: {} first", why, first.join(" and "));
        }
        match (self.stage, self.to_move) {
            (Stage::Draw, Some(seat)) => format!("seat {seat} draws a card"),
            (Stage::Lay, Some(seat)) => format!("seat {seat} lays its phase"),
            (Stage::Play, Some(seat)) => format!("seat {seat} plays"),
            (Stage::Reshuffle, _) => "the discard pile is shuffled".into(),
            (Stage::Cards, _) => "the cards are made".into(),
            (Stage::Dealer, _) => "the dealer is drawn".into(),
            _ if self.round == 0 => "the first round is dealt".into(),
            _ if self.deciding.is_some() => "the deciding round is dealt".into(),
            _ => "the next round is dealt".into(),
        }
    }

    fn side_in_words(&self) -> &'static str {
        match self.side {
            Side::Colour => "colour side in play",
            Side::Wild => "wild side in play",
        }
    }

    fn headline(&self) -> String {
        format!(
            "{}, round {}, turn {}: {}",
            Phase10::INFO.title,
            self.round,
            self.turn,
            self.caption()
        )
    }
}

/// What a phase asks for: `run of 3 + set of 2`.
fn phase_in_words(phase: u8) -> String {
    let words = wanted(phase).iter().map(|group| match group.kind {
        Kind::Run => format!("run of {}", group.cards),
        Kind::Set => format!("set of {}", group.cards),
    });
    words.collect::<Vec<_>>().join(" + ")
}

fn spelled<T: ToString>(cards: &[T]) -> String {
    let words: Vec<String> = cards.iter().map(T::to_string).collect();
    words.join(" ")
}

fn counted(cards: u8) -> String {
    match cards {
        1 => "1 card".into(),
        cards => format!("{cards} cards"),
    }
}

/// For a terminal.
pub(super) fn text(view: &View) -> String {
    let mut text = format!("{}\n{}", view.headline(), view.side_in_words());
    if let Some(deciding) = &view.deciding {
        let _ = write!(text, "; deciding round of seats {}", spelled(deciding));
    }
    text.push_str("\n\n");
    for (name, what, pile) in [
        ("draw pile", "its back", &view.draw_pile),
        ("discard pile", "on top", &view.discard_pile),
    ] {
        let _ = write!(text, "{name}: {}", counted(pile.cards));
        if let Some(top) = pile.top {
            let _ = write!(text, ", {what} {top}");
        }
        text.push('\n');
    }
    for (seat, player) in view.seats.iter().enumerate() {
        let mover = view.to_move == Some(seat as Seat);
        let _ = write!(
            text,
            "\n{} seat {seat}{}: phase {} ({}){}, score {}, {}\n",
            if mover { '>' } else { ' ' },
            if view.dealer == Some(seat as Seat) {
                " (dealer)"
            } else {
                ""
            },
            player.phase,
            phase_in_words(player.phase),
            if player.down { " is laid" } else { "" },
            player.score,
            counted(player.cards)
        );
        for (what, cards) in [("hand", &player.hand), ("backs", &player.backs)] {
            if let Some(cards) = cards.as_ref().filter(|cards| !cards.is_empty()) {
                let _ = writeln!(text, "    {what}: {}", spelled(cards));
            }
        }
        for (at, group) in player.groups.iter().enumerate() {
            let _ = writeln!(text, "    {seat}.{}: {}", at + 1, spelled(&group.cards));
        }
    }
    text.push_str("\nr y g b red, yellow, green, blue, w wild; * a star, ^ a flip symbol\n");
    text
}

/// For a page.
pub(super) fn svg(view: &View) -> String {
    let height = TOP + view.seats.len() * ROW + FOOT;
    let mut svg = paint::open(&view.headline(), WIDTH, height);
    draw_head(&mut svg, view);
    for (seat, player) in view.seats.iter().enumerate() {
        draw_seat(&mut svg, view, seat, player, TOP + seat * ROW);
    }
    draw_foot(&mut svg, view, height - FOOT / 2 + 5);
    svg.push_str("</svg>");
    svg
}

/// The title and the piles.
fn draw_head(svg: &mut String, view: &View) {
    let _ = write!(
        svg,
        "<text x=\"{MARGIN}\" y=\"34\" fill=\"{INK}\" font-size=\"18\" font-weight=\"600\">{}</text>\
         <g fill=\"{FAINT}\"><text x=\"{MARGIN}\" y=\"58\">round {}, turn {}</text>\
         <text x=\"{MARGIN}\" y=\"80\">{}</text></g>",
        Phase10::INFO.title,
        view.round,
        view.turn,
        view.side_in_words()
    );
    let piles = [
        ("draw pile", &view.draw_pile),
        ("discard pile", &view.discard_pile),
    ];
    for (at, (name, pile)) in piles.into_iter().enumerate() {
        draw_pile(svg, name, pile, at == 0, LEFT + 60 + at * 230);
    }
}

/// A pile, the name and the number of cards beside it; a card that lies with its back up is dim.
fn draw_pile(svg: &mut String, name: &str, pile: &PileView, dim: bool, x: usize) {
    let y = 28;
    for under in (0..pile.cards.div_ceil(20).min(5)).rev() {
        let shift = 2 * usize::from(under);
        draw_blank(svg, x + shift, y + shift);
    }
    match pile.top {
        Some(top) => draw_card(svg, Shown::of(top), x, y, dim),
        None => {
            let _ = write!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CARD_WIDTH}\" height=\"{CARD_HEIGHT}\" rx=\"5\" \
                 fill=\"none\" stroke=\"{FAINT}\" stroke-dasharray=\"4 4\"/>"
            );
        }
    }
    let _ = write!(
        svg,
        "<g fill=\"{FAINT}\"><text x=\"{0}\" y=\"{1}\">{name}</text>\
         <text x=\"{0}\" y=\"{2}\">{3}</text></g>",
        x + CARD_WIDTH + 22,
        y + 20,
        y + 40,
        counted(pile.cards)
    );
}

/// A seat: who it is and how far, its hand above, its groups below.
fn draw_seat(svg: &mut String, view: &View, seat: usize, player: &SeatView, y: usize) {
    let mover = view.to_move == Some(seat as Seat);
    let _ = write!(
        svg,
        "<rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"{FELT}\" \
         stroke=\"{}\" stroke-width=\"2\"/>",
        MARGIN / 2,
        WIDTH - MARGIN,
        ROW - 8,
        if mover { INK } else { FELT }
    );
    let (fill, rim) = SEATS[seat % SEATS.len()];
    let _ = write!(
        svg,
        "<circle cx=\"{}\" cy=\"{}\" r=\"9\" fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"2\"/>\
         <text x=\"{}\" y=\"{}\" fill=\"{INK}\" font-weight=\"600\">seat {seat}{}</text>",
        MARGIN + 10,
        y + 22,
        MARGIN + 28,
        y + 27,
        if view.dealer == Some(seat as Seat) {
            ", dealer"
        } else {
            ""
        }
    );
    let state = if player.down { "laid" } else { "to lay" };
    let lines = [
        format!("phase {}, {state}", player.phase),
        phase_in_words(player.phase),
        format!("score {}, {}", player.score, counted(player.cards)),
    ];
    for (at, line) in lines.iter().enumerate() {
        let _ = write!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{}\" fill=\"{FAINT}\">{line}</text>",
            y + 52 + at * 22
        );
    }
    draw_hand(svg, player, y + 7);
    draw_groups(svg, player, y + 62);
}

/// The hand as it is seen: its faces, or the backs, dim, or nothing but how many there are.
fn draw_hand(svg: &mut String, player: &SeatView, y: usize) {
    let seen = player.hand.as_ref().or(player.backs.as_ref());
    let dim = player.hand.is_none();
    for at in 0..usize::from(player.cards) {
        let x = LEFT + at * STEP;
        match seen.and_then(|seen| seen.get(at)) {
            Some(&face) => draw_card(svg, Shown::of(face), x, y, dim),
            None => draw_blank(svg, x, y),
        }
    }
}

fn draw_groups(svg: &mut String, player: &SeatView, y: usize) {
    let cards: usize = player.groups.iter().map(|group| group.cards.len()).sum();
    let room = WIDTH
        - LEFT
        - MARGIN
        - CARD_WIDTH
        - player.groups.len() * (GAP + CARD_WIDTH - STEP.min(CARD_WIDTH));
    let step = (room / cards.max(1)).min(STEP);
    let mut x = LEFT;
    for group in &player.groups {
        for &laid in &group.cards {
            draw_card(svg, Shown::laid(laid), x, y, false);
            x += step;
        }
        x += GAP + CARD_WIDTH - step.min(CARD_WIDTH);
    }
}

/// A face as it is drawn.
#[derive(Clone, Copy)]
struct Shown {
    suit: u8,
    /// What it shows; a star that is laid shows the number it stands for.
    number: Option<u8>,
    star: bool,
    flips: bool,
}

impl Shown {
    fn of(face: Face) -> Self {
        Shown {
            suit: face.suit(),
            number: face.number(),
            star: face.is_star(),
            flips: face.flips(),
        }
    }

    fn laid(laid: Laid) -> Self {
        Shown {
            number: Some(laid.number),
            ..Shown::of(laid.face)
        }
    }
}

/// A card of which nothing is seen.
fn draw_blank(svg: &mut String, x: usize, y: usize) {
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{CARD_WIDTH}\" height=\"{CARD_HEIGHT}\" rx=\"5\" \
         fill=\"{UNSEEN}\" stroke=\"{FRAME}\"/>"
    );
}

fn draw_card(svg: &mut String, card: Shown, x: usize, y: usize, dim: bool) {
    let (fill, ink) = SUITS[usize::from(card.suit)];
    let opacity = if dim { "0.5" } else { "1" };
    let (middle, foot) = (x + CARD_WIDTH / 2, y + CARD_HEIGHT - 11);
    let _ = write!(
        svg,
        "<g opacity=\"{opacity}\"><rect x=\"{x}\" y=\"{y}\" width=\"{CARD_WIDTH}\" \
         height=\"{CARD_HEIGHT}\" rx=\"5\" fill=\"{fill}\" stroke=\"{FRAME}\"/>"
    );
    match card.number {
        Some(number) => {
            let _ = write!(
                svg,
                "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"18\" \
                 font-weight=\"700\" fill=\"{ink}\">{number}</text>",
                y + 23
            );
        }
        None => draw_star(svg, middle, y + 18, 11, ink),
    }
    match card.number {
        Some(_) if card.star => draw_star(svg, middle, foot, 6, ink),
        _ => draw_symbol(svg, card.suit, middle, foot, ink),
    }
    if card.flips {
        let _ = write!(
            svg,
            "<path d=\"M{} {}a4.5 4.5 0 1 1 1.6 4.6m-1.8-1.2l1.6 1.4 1.4-1.8\" fill=\"none\" \
             stroke=\"{ink}\" stroke-width=\"1.7\" stroke-linecap=\"round\"/>",
            x + CARD_WIDTH - 12,
            y + CARD_HEIGHT - 14
        );
    }
    svg.push_str("</g>");
}

/// A star with eight points: a card that stands for any number.
fn draw_star(svg: &mut String, x: usize, y: usize, radius: usize, ink: &str) {
    let slant = radius * 7 / 10;
    let _ = write!(
        svg,
        "<path d=\"M{x} {y}m-{radius} 0h{0}M{x} {y}m0-{radius}v{0}M{x} {y}m-{slant}-{slant}l{1} {1}\
         m0-{1}l-{1} {1}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"3\" \
         stroke-linecap=\"round\"/>",
        2 * radius,
        2 * slant
    );
}

/// The mark of a colour for those who do not see it, as on the cards: a disc, a star, a triangle,
/// a square. Wild cards have none.
fn draw_symbol(svg: &mut String, suit: u8, x: usize, y: usize, ink: &str) {
    let path = match suit {
        0 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        1 => "m0-5l1.5 3.2 3.5.4-2.6 2.4.7 3.5-3.1-1.8-3.1 1.8.7-3.5-2.6-2.4 3.5-.4z",
        2 => "m-5-4h10l-5 8.5z",
        3 => "m-4-4h8v8h-8z",
        WILD.. => return,
    };
    let _ = write!(svg, "<path d=\"M{x} {y}{path}\" fill=\"{ink}\"/>");
}

fn draw_foot(svg: &mut String, view: &View, y: usize) {
    let _ = write!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{INK}\" font-size=\"16\" font-weight=\"600\">{}</text>",
        view.caption()
    );
}
