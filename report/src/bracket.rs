//! The match-ups of a knockout or a double elimination as a picture: a column for each round, a box for each match-up,
//! and a line from each box to that in which its winner plays next.

use std::fmt::Write;

use flipside_games::words::{counted, joined};
use flipside_tournament::Encounter;

use crate::cross::decided_by;
use crate::html::escaped;
use crate::plain::plain_line;
use crate::width::cut_name;

/// The most match-ups of a bracket that is drawn. A larger one is shown as a table.
const MAX_DRAWN: usize = 256;

/// A box, in pixels: each of its two lines has a bot and its points.
const LINE: usize = 22;
const BOX: usize = 2 * LINE;
/// Between two boxes of a round, and between two rounds.
const GAP: usize = 24;
const ROOM: usize = 36;
const MARGIN: usize = 12;
/// The line above the boxes that names their round.
const HEAD: usize = 26;
/// The width of a character in a wide font, bold: of most, and of the widest. Then that of a bot's points.
const CHARACTER: usize = 9;
const WIDE_CHARACTER: usize = 15;
const POINTS: usize = 40;
/// The least room for names, in pixels: their round must be named above them.
const MIN_NAME_WIDTH: usize = 64;
/// The most characters of a name that are shown; its box's tooltip has all.
const MAX_NAME: usize = 24;

/// Where a match-up leads who clicks on it: an address, if there is one.
pub type EncounterLink<'a> = &'a dyn Fn(&Encounter) -> Option<String>;

/// Returns the drawing; nothing if there are no match-ups or more than [`MAX_DRAWN`].
pub(super) fn bracket(encounters: &[Encounter]) -> Option<String> {
    linked_bracket(encounters, &|_| None)
}

/// The same with links.
pub fn linked_bracket(encounters: &[Encounter], link: EncounterLink<'_>) -> Option<String> {
    if !(1..=MAX_DRAWN).contains(&encounters.len()) {
        return None;
    }
    let plan = BracketPlan::of(encounters);
    let mut body = String::new();
    for (at, encounter) in encounters.iter().enumerate() {
        let address = link(encounter);
        if let Some(address) = &address {
            let _ = writeln!(body, "<a href=\"{}\">", escaped(address));
        }
        plan.add_box(&mut body, at, encounter);
        if address.is_some() {
            body.push_str("</a>\n");
        }
    }
    for (from, next) in plan.next.iter().enumerate() {
        if let &Some(next) = next {
            plan.add_line(&mut body, from, next);
        }
    }
    let mut svg = crate::html::opening(plan.width, plan.height, 13, "bracket");
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// The match-up in which the winner of this one plays next.
fn next(encounters: &[Encounter], at: usize) -> Option<usize> {
    let Encounter { round, winner, .. } = &encounters[at];
    let winner = winner.as_ref()?;
    let follows = |later: &Encounter| later.round > *round && later.bots.contains(winner);
    encounters.iter().position(follows)
}

/// What a box's tooltip says.
fn in_words(encounter: &Encounter) -> String {
    let mut text = format!("{}: {}", encounter.stage, encounter.bots.join(" against "));
    if !encounter.points.is_empty() {
        let points = joined(&encounter.points, " to ");
        let blocks = counted(encounter.blocks, "block");
        let _ = write!(text, ", {points} after {blocks}");
    }
    if encounter.decided_by.is_some() {
        let _ = write!(text, ", decided by {}", decided_by(encounter));
    }
    text
}

/// A name, without its middle if it is too long for a box.
fn shortened(name: &str) -> String {
    cut_name(&plain_line(name), MAX_NAME)
}

/// The room that a text takes at most, in pixels.
fn width_of(text: &str) -> usize {
    let is_narrow =
        |letter: char| letter.is_ascii() && !matches!(letter, 'A'..='Z' | 'm' | 'w' | '@' | '%');
    let widths = text.chars().map(|letter| {
        if is_narrow(letter) {
            CHARACTER
        } else {
            WIDE_CHARACTER
        }
    });
    widths.sum()
}

/// Where the boxes stand.
struct BracketPlan {
    /// By match-up, the one in which its winner plays next.
    next: Vec<Option<usize>>,
    /// By match-up, its left upper corner, in pixels.
    corners: Vec<(usize, usize)>,
    /// Whether the round is named above this box, because it is the first of its column and bracket.
    named: Vec<bool>,
    box_width: usize,
    width: usize,
    height: usize,
}

impl BracketPlan {
    fn of(encounters: &[Encounter]) -> Self {
        let next: Vec<Option<usize>> = (0..encounters.len())
            .map(|at| next(encounters, at))
            .collect();
        let names = encounters.iter().flat_map(|encounter| &encounter.bots);
        let widest = names.map(|name| width_of(&shortened(name))).max();
        let box_width = widest.unwrap_or(0).max(MIN_NAME_WIDTH) + POINTS + CHARACTER;
        let mut rows = BracketRows {
            encounters,
            next: &next,
            middles: vec![0; encounters.len()],
            free: MARGIN + HEAD,
        };
        rows.place(false);
        let upper_end = rows.free;
        if encounters.iter().any(Encounter::is_lower) {
            rows.free = upper_end + HEAD;
            rows.place(true);
        }
        let BracketRows { middles, free, .. } = rows;
        let column =
            |encounter: &Encounter| MARGIN + (encounter.round as usize - 1) * (box_width + ROOM);
        let corners: Vec<(usize, usize)> = encounters
            .iter()
            .zip(&middles)
            .map(|(encounter, &middle)| (column(encounter), middle - BOX / 2))
            .collect();
        let named = (0..encounters.len()).map(|at| {
            let (x, y) = corners[at];
            let same = |other: usize| {
                corners[other].0 == x && encounters[other].is_lower() == encounters[at].is_lower()
            };
            !(0..encounters.len()).any(|other| same(other) && corners[other].1 < y)
                || (at > 0 && encounters[at].stage != encounters[at - 1].stage && same(at - 1))
        });
        let named = named.collect();
        let right = corners.iter().map(|&(x, _)| x + box_width).max();
        BracketPlan {
            next,
            named,
            box_width,
            width: right.unwrap_or(0) + MARGIN,
            height: free - GAP + MARGIN,
            corners,
        }
    }

    fn add_box(&self, svg: &mut String, at: usize, encounter: &Encounter) {
        let (x, y) = self.corners[at];
        let width = self.box_width;
        if self.named[at] {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{}\" class=\"faint\">{}</text>",
                y - 7,
                escaped(&encounter.stage)
            );
        }
        let _ = writeln!(
            svg,
            "<g><title>{}</title>\n\
             <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"4\" class=\"box\"/>\n\
             <path d=\"M{x} {}h{width}\" class=\"line\"/>",
            escaped(&in_words(encounter)),
            y + LINE
        );
        for line in 0..2 {
            let baseline = y + line * LINE + LINE / 2;
            let Some(bot) = encounter.bots.get(line) else {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{baseline}\" dominant-baseline=\"central\" class=\"faint\">bye</text>",
                    x + CHARACTER
                );
                continue;
            };
            let weight = if encounter.winner.as_ref() == Some(bot) {
                " font-weight=\"bold\""
            } else {
                ""
            };
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{baseline}\" dominant-baseline=\"central\" class=\"ink\"{weight}>{}</text>",
                x + CHARACTER,
                escaped(&shortened(bot))
            );
            if let Some(points) = encounter.points.get(line) {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{baseline}\" dominant-baseline=\"central\" text-anchor=\"end\" \
                     class=\"ink\"{weight}>{points}</text>",
                    x + width - CHARACTER
                );
            }
        }
        svg.push_str("</g>\n");
    }

    /// A line from the right side of a box to the left side of a later one.
    fn add_line(&self, svg: &mut String, from: usize, to: usize) {
        let ((left, high), (right, low)) = (self.corners[from], self.corners[to]);
        let (x, y) = (left + self.box_width, high + BOX / 2);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {y}H{}V{}H{right}\" class=\"line\"/>",
            right - ROOM / 2,
            low + BOX / 2
        );
    }
}

/// Finds the rows of the boxes: one after the other in the first round, then each between those that lead to it.
struct BracketRows<'a> {
    encounters: &'a [Encounter],
    next: &'a [Option<usize>],
    /// By match-up, the height of its middle.
    middles: Vec<usize>,
    /// Where the next box without a predecessor begins.
    free: usize,
}

impl BracketRows<'_> {
    /// Places the boxes of one of the brackets: each tree from its last match-up, that for the third place below.
    fn place(&mut self, lower: bool) {
        let same = |at: usize| self.encounters[at].is_lower() == lower;
        let is_root = |&at: &usize| same(at) && !self.next[at].is_some_and(same);
        let roots: Vec<usize> = (0..self.encounters.len()).filter(is_root).collect();
        for root in roots {
            self.place_tree(root, lower);
        }
    }

    fn place_tree(&mut self, at: usize, lower: bool) {
        let leads = |&from: &usize| {
            self.next[from] == Some(at) && self.encounters[from].is_lower() == lower
        };
        let before: Vec<usize> = (0..at).filter(leads).collect();
        for &from in &before {
            self.place_tree(from, lower);
        }
        self.middles[at] = if let (Some(&first), Some(&last)) = (before.first(), before.last()) {
            usize::midpoint(self.middles[first], self.middles[last])
        } else {
            let middle = self.free + BOX / 2;
            self.free += BOX + GAP;
            middle
        };
    }
}

#[cfg(test)]
mod tests {
    use flipside_referee::MatchResult;
    use flipside_tournament::formats::{DoubleElimination, Knockout};
    use flipside_tournament::{Format, Next, Settings};

    use super::*;

    /// The match-ups after each match of a tournament, in which now one bot wins, now the other, now nobody.
    fn states(format: Format, bots: usize) -> Vec<Vec<Encounter>> {
        let names: Vec<String> = (0..bots).map(|bot| format!("bot<{bot}>")).collect();
        let settings = Settings {
            format,
            game: "flipfour".into(),
            rounds: 1,
            seed: 7,
            ..Settings::default()
        };
        let mut director = settings.director(bots).unwrap();
        let mut states = Vec::new();
        while let Next::Match(pairing) = director.next() {
            let told = director.encounters().into_iter();
            states.push(told.map(|encounter| encounter.named(&names)).collect());
            let places = [vec![1, 2], vec![2, 1], vec![1, 1]][pairing.index as usize % 3].clone();
            director.take(pairing.index, &MatchResult::of_places(places));
        }
        let told = director.encounters().into_iter();
        states.push(told.map(|encounter| encounter.named(&names)).collect());
        states
    }

    fn formats() -> [Format; 3] {
        let knockout = |third_place| {
            Format::Knockout(Knockout {
                third_place,
                ..Knockout::default()
            })
        };
        let double = Format::DoubleElimination(DoubleElimination::default());
        [knockout(false), knockout(true), double]
    }

    #[test]
    fn boxes_never_overlap_and_lines_go_from_left_to_right() {
        for format in formats() {
            for bots in 2..=17 {
                for state in states(format, bots) {
                    let plan = BracketPlan::of(&state);
                    let apart = |a: usize, b: usize, room: usize| a.abs_diff(b) >= room;
                    for (one, &(x, y)) in plan.corners.iter().enumerate() {
                        assert!(x + plan.box_width <= plan.width && y + BOX <= plan.height);
                        assert!(y >= MARGIN + HEAD);
                        for &(right, low) in &plan.corners[..one] {
                            let aside = apart(x, right, plan.box_width + ROOM);
                            assert!(
                                aside || apart(y, low, BOX + GAP),
                                "{format} {bots} {state:?}"
                            );
                        }
                        if let Some(next) = plan.next[one] {
                            assert!(plan.corners[next].0 > x);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_bot_is_drawn_and_every_winner_advances() {
        for format in formats() {
            let states = states(format, 6);
            let last = states.last().unwrap();
            let svg = bracket(last).unwrap();
            assert_eq!(svg.matches("class=\"box\"").count(), last.len());
            for encounter in last {
                assert_eq!(svg.matches(&escaped(&in_words(encounter))).count(), 1);
                for bot in &encounter.bots {
                    assert!(svg.contains(&format!(">{}</text>", escaped(bot))));
                }
            }
            // All winners advance but those of the last match-up and of the one for the third place.
            let plan = BracketPlan::of(last);
            let ends = plan.next.iter().filter(|next| next.is_none()).count();
            let third = last.iter().filter(|one| one.stage == "third place").count();
            assert_eq!(ends, 1 + third);
            assert!(!svg.contains("bot<"));
        }
    }

    #[test]
    fn a_box_has_room_for_wide_names() {
        let mut wide = states(formats()[0], 2).pop().unwrap();
        let narrow = BracketPlan::of(&wide).box_width;
        wide[0].bots[0] = "W".repeat(MAX_NAME);
        assert_eq!(
            BracketPlan::of(&wide).box_width,
            MAX_NAME * WIDE_CHARACTER + POINTS + CHARACTER
        );
        wide[0].bots[0] = "W".repeat(64);
        assert!(BracketPlan::of(&wide).box_width > narrow);
        assert!(BracketPlan::of(&wide).box_width <= MAX_NAME * WIDE_CHARACTER + POINTS + CHARACTER);
    }

    #[test]
    fn a_bracket_that_is_too_large_is_not_drawn() {
        let one = states(formats()[0], 2).pop().unwrap().remove(0);
        assert!(bracket(&[]).is_none());
        assert!(bracket(&vec![one.clone(); MAX_DRAWN]).is_some());
        assert!(bracket(&vec![one; MAX_DRAWN + 1]).is_none());
    }
}
