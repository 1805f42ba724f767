//! Pictures of a tournament. The cross table is one: a square for every two bots, from orange (all lost) to blue (all
//! won), and struck through where they have not met.

use std::fmt::Write;

use flipside_tournament::{CrossTable, Standings};

use crate::bracket::bracket;
use crate::cross::{against, left_out};
use crate::html::{DRAWING_STYLE, escaped, opening};

/// The side of a square, and the margin around all, in pixels.
const SQUARE: usize = 44;
const MARGIN: usize = 12;

/// The width of a character of a name, about.
const CHARACTER: usize = 8;

/// The most bots whose squares have numbers in them; with more there is no room to read them.
const MAX_WITH_NUMBERS: usize = 40;

/// The key below the squares: the height of its line and the side of its squares, in pixels.
const KEY_LINE: usize = 32;
const KEY_SQUARE: usize = 14;

/// What the key says, with the room for it in pixels: in a wide font (DejaVu Sans) it takes 158 and 88.
const SHARE_OF_POINTS: (&str, usize) = ("0 to 100 % of the points", 180);
const HAVE_NOT_MET: (&str, usize) = ("have not met", 100);

/// The classes of the squares of two bots that have not met, and of a bot against itself. A stroke keeps the first
/// apart from one half of the points.
const NOT_MET: &str = "class=\"unmet\"";
const SELF: &str = "class=\"self\"";

/// The most bots of a picture; the rows below say how many more there are.
const MAX_PICTURED: usize = 100;

/// A square's side where there are more bots than that.
const SMALL_SQUARE: usize = 12;

/// The picture of a tournament, as a file: its bracket, if it has one that can be drawn, and its cross table if not.
pub fn picture(standings: &Standings) -> String {
    let drawing = bracket(&standings.encounters).unwrap_or_else(|| cross_table(&standings.cross));
    let (opening, rest) = drawing.split_once('\n').unwrap_or((&drawing, ""));
    format!("{opening}\n<style>{DRAWING_STYLE}</style>\n{rest}")
}

/// A drawing in SVG, still without its style.
pub(super) fn cross_table(table: &CrossTable) -> String {
    let plan = SvgPlan::of(table);
    let SvgPlan {
        bots,
        square,
        left,
        top,
        ..
    } = plan;
    let left_out = left_out(table.bots.len(), MAX_PICTURED);
    let pairs = || (0..bots).flat_map(|row| (0..bots).map(move |column| (row, column)));
    let met = |(row, column)| against(table, row, column);
    let all_met = pairs().all(|(row, column)| row == column || met((row, column)).is_some());
    let below = top + bots * square;
    let (key, key_end) = key(below + KEY_LINE / 2, !all_met);
    let width = (left + bots * square).max(key_end) + MARGIN;
    let line = if left_out.is_some() { SQUARE } else { 0 };
    let height = below + KEY_LINE + MARGIN + line;
    let font_size = if plan.with_numbers { 13 } else { 9 };
    let mut svg = opening(width, height, font_size, "cross table");
    for (row, bot) in table.bots[..bots].iter().enumerate() {
        plan.add_names(&mut svg, row, bot);
        for column in 0..bots {
            plan.add_square(&mut svg, table, row, column);
        }
    }
    let not_met = pairs().filter(|&(row, column)| row != column && met((row, column)).is_none());
    let strokes: String = not_met
        .map(|(row, column)| stroke(left + column * square, top + row * square, square - 1))
        .collect();
    if !strokes.is_empty() {
        let _ = writeln!(svg, "<path d=\"{strokes}\" class=\"line\"/>");
    }
    svg.push_str(&key);
    if let Some(left_out) = left_out {
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{}\" font-size=\"13\" class=\"ink\">{left_out}</text>",
            height - MARGIN
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Where the squares stand, in pixels.
struct SvgPlan {
    bots: usize,
    with_numbers: bool,
    square: usize,
    left: usize,
    top: usize,
}

impl SvgPlan {
    fn of(table: &CrossTable) -> Self {
        let bots = table.bots.len().min(MAX_PICTURED);
        let with_numbers = bots <= MAX_WITH_NUMBERS;
        let square = if with_numbers { SQUARE } else { SMALL_SQUARE };
        let longest = table.bots[..bots]
            .iter()
            .map(|bot| bot.chars().count())
            .max();
        let names = (longest.unwrap_or(0) + 4) * CHARACTER;
        SvgPlan {
            bots,
            with_numbers,
            square,
            left: MARGIN + names,
            top: MARGIN + square.min(24),
        }
    }

    /// The name beside a row, and its number above its column.
    fn add_names(&self, svg: &mut String, row: usize, bot: &str) {
        let middle = row * self.square + self.square / 2;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" dominant-baseline=\"central\" text-anchor=\"end\" \
             class=\"ink\">{} {}</text>",
            self.left - 8,
            self.top + middle,
            escaped(bot),
            row + 1
        );
        if self.with_numbers {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"ink\">{}</text>",
                self.left + middle,
                self.top - 8,
                row + 1
            );
        }
    }

    fn add_square(&self, svg: &mut String, table: &CrossTable, row: usize, column: usize) {
        let (x, y) = (
            self.left + column * self.square,
            self.top + row * self.square,
        );
        let met = against(table, row, column);
        let fill = match met {
            Some((score, matches)) => filled(score / f64::from(matches)),
            None if row == column => SELF.into(),
            None => NOT_MET.into(),
        };
        let side = self.square - 1;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" {fill}>"
        );
        if let Some((score, matches)) = met {
            let [bot, rival] = [row, column].map(|at| escaped(&table.bots[at]));
            let _ = write!(
                svg,
                "<title>{bot} - {rival}: {score:.1} of {matches}</title>"
            );
        }
        svg.push_str("</rect>\n");
        if let (Some((score, matches)), true) = (met, self.with_numbers) {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" dominant-baseline=\"central\" text-anchor=\"middle\" \
                 fill=\"#111111\">{:.0}%</text>",
                x + self.square / 2,
                y + self.square / 2,
                100.0 * score / f64::from(matches)
            );
        }
    }
}

/// A stroke through a square, as a part of a path.
fn stroke(x: usize, y: usize, side: usize) -> String {
    format!("M{x} {}l{side}-{side}", y + side)
}

/// What the squares mean, in a line around this height; and where it ends, from the left.
fn key(middle: usize, some_have_not_met: bool) -> (String, usize) {
    let mut svg = String::from("<g font-size=\"13\" class=\"ink\">\n");
    let mut x = MARGIN;
    let shares = [0.0, 0.25, 0.5, 0.75, 1.0].map(filled);
    let not_met = [NOT_MET.to_owned()];
    let mut parts = vec![(&shares[..], SHARE_OF_POINTS)];
    parts.extend(some_have_not_met.then_some((&not_met[..], HAVE_NOT_MET)));
    for (squares, (text, room)) in parts {
        for fill in squares {
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{}\" width=\"{KEY_SQUARE}\" height=\"{KEY_SQUARE}\" {fill} \
                 stroke=\"#d9d9d9\"/>",
                middle - KEY_SQUARE / 2
            );
            if fill == NOT_MET {
                let stroke = stroke(x, middle - KEY_SQUARE / 2, KEY_SQUARE);
                let _ = writeln!(svg, "<path d=\"{stroke}\" class=\"line\"/>");
            }
            x += KEY_SQUARE + 1;
        }
        x += CHARACTER;
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{middle}\" dominant-baseline=\"central\">{text}</text>"
        );
        x += room;
    }
    svg.push_str("</g>\n");
    (svg, x)
}

/// The attribute that fills a square with the colour of a share of the points.
fn filled(share: f64) -> String {
    format!("fill=\"{}\"", colour(share))
}

/// From orange (0) over white to blue (1): a pair that people tell apart who do not tell red from green.
fn colour(part: f64) -> String {
    let (low, middle, high) = ([230.0, 140.0, 60.0], [250.0; 3], [90.0, 150.0, 220.0]);
    let (from, to, at) = if part < 0.5 {
        (low, middle, part * 2.0)
    } else {
        (middle, high, part * 2.0 - 1.0)
    };
    let mixed = [0, 1, 2].map(|i: usize| (from[i] + (to[i] - from[i]) * at).round() as u8);
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

#[cfg(test)]
mod tests {
    use flipside_tournament::Cell;

    use super::*;

    #[test]
    fn a_square_tells_who_has_won() {
        let cell = |wins, draws, losses| Cell {
            wins,
            draws,
            losses,
        };
        let table = CrossTable {
            bots: vec!["a<b".into(), "c".into(), "late".into()],
            cells: vec![
                vec![cell(0, 0, 0), cell(3, 1, 0), cell(0, 0, 0)],
                vec![cell(0, 1, 3), cell(0, 0, 0), cell(0, 0, 0)],
                vec![cell(0, 0, 0), cell(0, 0, 0), cell(0, 0, 0)],
            ],
        };
        let svg = cross_table(&table);
        assert!(svg.contains(">88%<") && svg.contains(">12%<"), "{svg}");
        assert!(svg.contains("<title>a&lt;b - c: 3.5 of 4</title>"));
        assert!(!svg.contains("a<b"));
        let (squares, key) = svg.split_once("<g ").unwrap();
        assert_eq!(squares.matches("<rect").count(), 1 + 9);
        assert_eq!(squares.matches('%').count(), 2);
        // A share of one half is another thing than none, and the key tells both.
        assert_eq!(squares.matches(&format!("{NOT_MET}>")).count(), 4);
        let strokes = squares.split_once("<path d=\"").unwrap().1;
        assert_eq!(strokes.split('"').next().unwrap().matches('M').count(), 4);
        for fill in [&filled(0.5), NOT_MET] {
            assert_eq!(key.matches(fill).count(), 1, "{key}");
        }
    }

    #[test]
    fn the_key_is_whole_and_says_only_what_is_there() {
        let cell = |met: bool| Cell {
            wins: met.into(),
            ..Cell::default()
        };
        for all_met in [true, false] {
            let table = CrossTable {
                bots: vec!["a".into(), "b".into()],
                cells: vec![vec![cell(all_met); 2]; 2],
            };
            let svg = cross_table(&table);
            assert_eq!(svg.contains(HAVE_NOT_MET.0), !all_met, "{svg}");
            let number = |text: &str, before: &str| -> usize {
                let (_, behind) = text.rsplit_once(before).unwrap();
                behind.split('"').next().unwrap().parse().unwrap()
            };
            let width = number(svg.split_once(" height=").unwrap().0, "width=\"");
            let begins = number(&svg, "<text x=\"");
            let room = if all_met {
                SHARE_OF_POINTS.1
            } else {
                HAVE_NOT_MET.1
            };
            assert_eq!(width, begins + room + MARGIN, "{svg}");
        }
    }

    #[test]
    fn a_picture_is_bounded_and_says_what_is_not_in_it() {
        let table = |bots: usize| CrossTable {
            bots: (1..=bots).map(|bot| format!("bot{bot}")).collect(),
            cells: vec![vec![Cell::default(); bots]; bots],
        };
        let all = cross_table(&table(MAX_PICTURED));
        assert!(all.contains(">bot100 100<") && !all.contains(" of 100 bots"));
        let some = cross_table(&table(MAX_PICTURED + 900));
        assert!(some.contains(">the first 100 of 1000 bots<"));
        assert!(!some.contains("bot101") && some.len() < all.len() + 200);
    }

    #[test]
    fn colours_go_from_one_to_the_other() {
        assert_eq!(colour(0.0), "#e68c3c");
        assert_eq!(colour(0.5), "#fafafa");
        assert_eq!(colour(1.0), "#5a96dc");
    }

    #[test]
    fn a_table_of_nobody_is_a_picture() {
        let none = CrossTable {
            bots: Vec::new(),
            cells: Vec::new(),
        };
        assert!(cross_table(&none).ends_with("</svg>\n"));
    }
}
