//! Plots in SVG. Colours are classes of the site's style, so that they fit the light and the dark theme; sizes are
//! attributes. There is no script and no style inside.

use std::fmt::Write;

use super::table::tint;

/// The size of a plot, in pixels of its own.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 280.0;

/// The room for numbers at the left, at the bottom, and at the other edges.
const LEFT: f64 = 52.0;
const BELOW: f64 = 48.0;
const EDGE: f64 = 12.0;

/// The most points of a line: more can hardly be told apart, and a page has several plots.
const MAX_POINTS: usize = 80;

/// The most lines of a plot; there are as many colours.
pub(crate) const MAX_LINES: usize = 6;

/// How many times as far as the shortest line the longest may go, for both to be read on an even scale.
const MOST_EVEN: f64 = 5.0;

/// About how many lines with numbers cross a plot.
const GRID_LINES: f64 = 5.0;

/// A line with a band around it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlotLine {
    /// What it is called.
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// A point of a line, with the bounds of its band; without a band, they are its own height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Point {
    /// A point without a band.
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Point {
            x,
            y,
            low: y,
            high: y,
        }
    }
}

/// A level across a plot, with its name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) name: &'static str,
    pub(crate) y: f64,
}

/// From values to pixels.
struct Scale {
    /// Logarithms where it is logarithmic.
    x: (f64, f64),
    is_logarithmic: bool,
    y: (f64, f64),
}

impl Scale {
    fn x(&self, x: f64) -> f64 {
        let x = if self.is_logarithmic { x.ln() } else { x };
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - EDGE)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BELOW - (y - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - BELOW - EDGE)
    }
}

/// Lines with their bands. `label` says what is plotted, and `x` and `y` what their axes are.
pub(crate) fn lines(label: &str, x: &str, lines: &[PlotLine], levels: &[Level]) -> String {
    let lines: Vec<PlotLine> = lines.iter().take(MAX_LINES).map(thinned).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let xs = points().map(|point| point.x);
    let ys = points().flat_map(|point| [point.low, point.high]);
    let ys = ys.chain(levels.iter().map(|level| level.y));
    let colours = colours(&lines);
    let is_logarithmic = differ_much(&lines);
    let xs = xs.map(|x| if is_logarithmic { x.ln() } else { x });
    let scale = Scale {
        x: bounds(xs, 0.0),
        is_logarithmic,
        y: bounds(ys, 0.04),
    };
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(label)
    );
    add_grid(&mut svg, &scale, x);
    for (colour, line) in colours.iter().zip(&lines) {
        if line.points.iter().any(|point| point.low < point.high) {
            let high = line.points.iter().map(|point| (point.x, point.high));
            let low = line.points.iter().rev().map(|point| (point.x, point.low));
            let path = path(&scale, high.chain(low));
            let _ = writeln!(svg, "<path class=\"band {colour}\" d=\"{path}Z\"/>");
        }
    }
    for level in levels {
        let y = scale.y(level.y);
        let _ = writeln!(
            svg,
            "<path class=\"level\" d=\"M{LEFT} {y:.1}H{}\"/><text class=\"t\" x=\"{}\" y=\"{:.1}\">{}</text>",
            WIDTH - EDGE,
            // A line ends at the level that it has reached, and begins far from all.
            LEFT + 6.0,
            y - 4.0,
            escaped(level.name)
        );
    }
    for (colour, line) in colours.iter().zip(&lines) {
        let path = path(&scale, line.points.iter().map(|point| (point.x, point.y)));
        let _ = writeln!(svg, "<path class=\"line {colour}\" d=\"{path}\"/>");
        if let Some(last) = line.points.last() {
            let (x, y) = (scale.x(last.x), scale.y(last.y));
            let name = escaped(&line.name);
            let _ = writeln!(
                svg,
                "<circle class=\"dot {colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{name}</title></circle>"
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The classes with the colours of lines: those that their bots have everywhere, where these are different; otherwise
/// one after the other.
fn colours(lines: &[PlotLine]) -> Vec<String> {
    let tints: Vec<u32> = lines.iter().map(|line| tint(&line.name)).collect();
    let are_different = (1..tints.len()).all(|at| !tints[..at].contains(&tints[at]));
    let colour = |(at, tint)| match are_different {
        true => format!("b{tint}"),
        false => format!("s{at}"),
    };
    tints.into_iter().enumerate().map(colour).collect()
}

/// The names of the lines with their colours, for below a plot.
pub(crate) fn keys(lines: &[PlotLine]) -> Vec<(String, String)> {
    let lines = &lines[..lines.len().min(MAX_LINES)];
    let keys = colours(lines).into_iter().zip(lines);
    keys.map(|(colour, line)| (format!("key {colour}"), line.name.clone()))
        .collect()
}

fn add_grid(svg: &mut String, scale: &Scale, x: &str) {
    for y in ticks(scale.y) {
        let at = scale.y(y);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/><text class=\"t\" x=\"{}\" y=\"{at:.1}\" \
             text-anchor=\"end\" dominant-baseline=\"central\">{}</text>",
            WIDTH - EDGE,
            LEFT - 6.0,
            number(y)
        );
    }
    let marks = match scale.is_logarithmic {
        true => decades(scale.x),
        // They count matches or blocks.
        false => ticks(scale.x)
            .into_iter()
            .filter(|x| x.fract() == 0.0)
            .collect(),
    };
    for x in marks {
        let _ = writeln!(
            svg,
            "<text class=\"t\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            scale.x(x),
            HEIGHT - BELOW + 18.0,
            number(x)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"t\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        WIDTH - EDGE,
        HEIGHT - 7.0,
        match scale.is_logarithmic {
            true => format!("{}, on a logarithmic scale", escaped(x)),
            false => escaped(x),
        }
    );
}

/// A bar from `low` to `high` with a dot at the value, between the bounds of all.
pub(crate) fn interval(bounds: (f64, f64), low: f64, value: f64, high: f64) -> String {
    const WIDTH: f64 = 160.0;
    const MIDDLE: f64 = 8.0;
    let span = (bounds.1 - bounds.0).max(1.0);
    let at = |value: f64| 4.0 + (value - bounds.0) / span * (WIDTH - 8.0);
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 160 16\" width=\"160\" height=\"16\" role=\"img\" \
         aria-label=\"{low:.0} to {high:.0}\"><path class=\"range\" d=\"M{:.1} {MIDDLE}H{:.1}\"/>\
         <circle class=\"mark\" cx=\"{:.1}\" cy=\"{MIDDLE}\" r=\"3.5\"/></svg>",
        at(low),
        at(high),
        at(value)
    )
}

/// The shares of matches won, drawn and lost as one bar.
pub(crate) fn outcomes(won: u64, drawn: u64, lost: u64) -> String {
    let all = (won + drawn + lost).max(1) as f64;
    let mut svg = format!(
        "<svg class=\"bar\" viewBox=\"0 0 160 16\" width=\"160\" height=\"16\" role=\"img\" \
         aria-label=\"{won} won, {drawn} drawn, {lost} lost\">"
    );
    let mut x = 0.0;
    for (count, class) in [(won, "won"), (drawn, "drawn"), (lost, "lost")] {
        let width = 160.0 * count as f64 / all;
        if count > 0 {
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"2\" width=\"{width:.1}\" height=\"12\"/>"
            );
        }
        x += width;
    }
    svg.push_str("</svg>");
    svg
}

/// The least and the greatest of some values, with a margin as a share of their distance.
pub(crate) fn bounds(values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (0.0, 1.0);
    }
    let room = if low < high {
        margin * (high - low)
    } else {
        1.0
    };
    (low - room, high + room)
}

/// Round numbers between two bounds.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / GRID_LINES;
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).take(20).map(|at| at as f64 * step).collect()
}

/// Whether some lines go so much further than others that these would be dots at the left of an even scale.
fn differ_much(lines: &[PlotLine]) -> bool {
    let ends = || lines.iter().filter_map(|line| Some(line.points.last()?.x));
    let shortest = ends().fold(f64::MAX, f64::min);
    let longest = ends().fold(0.0, f64::max);
    let mut xs = lines.iter().flat_map(|line| &line.points);
    shortest * MOST_EVEN < longest && xs.all(|point| point.x >= 1.0)
}

/// 1, 2 and 5 times the powers of ten between two bounds, which are given as logarithms; powers of ten alone where
/// these are many.
fn decades((low, high): (f64, f64)) -> Vec<f64> {
    let powers = 0..20;
    let factors: &[f64] = match high - low {
        wide if wide > 7.0 => &[1.0],
        _ => &[1.0, 2.0, 5.0],
    };
    let marks = powers.flat_map(|power| {
        factors
            .iter()
            .map(move |factor| factor * 10_f64.powi(power))
    });
    let is_inside = |mark: &f64| (low - 1e-9..=high + 1e-9).contains(&mark.ln());
    marks.filter(is_inside).collect()
}

/// A number of an axis, as short as it can be.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

fn path(scale: &Scale, points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{:.1} {:.1}", scale.x(x), scale.y(y));
    }
    path
}

/// The line with no more points than can be seen; the last one stays.
fn thinned(line: &PlotLine) -> PlotLine {
    let count = line.points.len();
    let points = if count <= MAX_POINTS {
        line.points.clone()
    } else {
        let at = |point: usize| line.points[point * (count - 1) / (MAX_POINTS - 1)];
        (0..MAX_POINTS).map(at).collect()
    };
    PlotLine {
        name: line.name.clone(),
        points,
    }
}

/// A text inside of SVG.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: usize) -> PlotLine {
        let point = |x: usize| Point {
            x: x as f64,
            y: 1500.0,
            low: 1400.0,
            high: 1600.0,
        };
        PlotLine {
            name: "<a>@1".into(),
            points: (0..points).map(point).collect(),
        }
    }

    #[test]
    fn a_plot_is_bounded_and_holds_no_markup_of_others() {
        let svg = lines("<b>", "matches", &vec![line(100_000); 20], &[]);
        assert!(svg.len() < 25_000, "{}", svg.len());
        assert!(!svg.contains("<b>") && !svg.contains("<a>"));
        assert_eq!(svg.matches("class=\"line").count(), MAX_LINES);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn a_plot_of_one_point_or_none_is_a_plot() {
        for points in [0, 1] {
            let svg = lines(
                "rating",
                "matches",
                &[line(points)],
                &[Level { name: "H1", y: 2.9 }],
            );
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn numbers_of_an_axis_are_round() {
        assert_eq!(ticks((0.0, 10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((1444.0, 1556.0)), [1450.0, 1500.0, 1550.0]);
        assert_eq!(
            [number(-0.0), number(2.50), number(1500.0)],
            ["0", "2.5", "1500"]
        );
    }

    #[test]
    fn lines_of_very_different_lengths_are_on_a_logarithmic_scale() {
        let of = |first: usize, points: usize| PlotLine {
            points: line(first + points).points.split_off(first),
            ..line(0)
        };
        let even = lines("rating", "matches", &[of(1, 20), of(1, 60)], &[]);
        assert!(!even.contains("logarithmic"));
        let wide = lines("rating", "matches", &[of(1, 20), of(1, 2_000)], &[]);
        assert!(
            wide.contains("logarithmic") && !wide.contains("NaN"),
            "{wide}"
        );
        // Nothing can be shown of a match of number 0 there.
        let from_nothing = lines("rating", "matches", &[of(0, 20), of(0, 2_000)], &[]);
        assert!(!from_nothing.contains("logarithmic"));
        assert_eq!(
            decades((1_f64.ln(), 2_000_f64.ln())),
            [1.0, 10.0, 100.0, 1_000.0]
        );
        assert_eq!(
            decades((4_f64.ln(), 100_f64.ln())),
            [5.0, 10.0, 20.0, 50.0, 100.0]
        );
    }

    #[test]
    fn the_shares_of_outcomes_fill_the_bar() {
        let svg = outcomes(1, 1, 2);
        for part in [
            "width=\"40.0\"",
            "x=\"40.0\"",
            "x=\"80.0\" y=\"2\" width=\"80.0\"",
        ] {
            assert!(svg.contains(part), "{part} {svg}");
        }
    }
}
