//! SVG drawn as pixels in bounded time and memory: drawings of game programs are by strangers. The games say what a
//! drawing may be made of (`not_svg`): it has no link, style or filter, and names nothing outside of itself. Here is
//! how much of that is drawn.

use std::sync::{Arc, LazyLock};

use flipside_games::not_svg;
use resvg::tiny_skia::{PathSegment, Pixmap, PixmapPaint, Point, Rect, Transform};
use resvg::usvg::{self, Group, ImageHrefResolver, Node, Options, Path, Tree, fontdb, roxmltree};

/// The most bytes of a drawing.
const MAX_BYTES: usize = 512 << 10;

/// The most elements within each other.
const MAX_DEPTH: usize = 32;

/// The most characters of its texts.
const MAX_LETTERS: usize = 20_000;

/// The most steps of drawing one, about: a second or a few.
const MAX_WORK: f64 = 1e9;

/// About the steps of a pixel of a line that is thinner than one.
const THIN_PIXEL: f64 = 1e3;

/// Elements that draw others again for each use, and with their uses within each other as often as they like.
const REPEATING: [&str; 3] = ["clipPath", "mask", "pattern"];

const SANS: &str = "DejaVu Sans";
const MONO: &str = "DejaVu Sans Mono";

/// How drawings are read: with our fonts, and without pictures from elsewhere.
static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    let files: [&'static [u8]; 3] = [
        include_bytes!("../../../fonts/DejaVuSans.ttf"),
        include_bytes!("../../../fonts/DejaVuSans-Bold.ttf"),
        include_bytes!("../../../fonts/DejaVuSansMono.ttf"),
    ];
    for file in files {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(file)));
    }
    fonts.set_serif_family(SANS);
    fonts.set_sans_serif_family(SANS);
    fonts.set_monospace_family(MONO);
    Options {
        font_family: SANS.to_owned(),
        fontdb: Arc::new(fonts),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    }
});

/// Why a drawing is not drawn.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotDrawn {
    #[error("the drawing has more than {} kB", MAX_BYTES >> 10)]
    Long,
    #[error("the drawing {0}")]
    Foreign(String),
    #[error("the drawing has more than {MAX_DEPTH} elements within each other")]
    Deep,
    #[error("the drawing has more than {MAX_LETTERS} characters in texts")]
    Wordy,
    #[error("the drawing repeats parts by the element {0}")]
    Repeating(String),
    #[error("the drawing takes too long to draw")]
    Costly,
    #[error("the drawing has no size")]
    Flat,
    #[error(transparent)]
    Xml(#[from] roxmltree::Error),
    #[error(transparent)]
    Svg(#[from] usvg::Error),
    #[error("the picture cannot be packed: {0}")]
    Png(String),
}

/// A part of a picture, in pixels.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// Draws SVG onto a picture, as large as it fits into a part of it, in the middle.
///
/// # Errors
/// When the drawing is none, or has too much of something.
pub(super) fn draw(svg: &str, onto: &mut Pixmap, frame: Frame) -> Result<(), NotDrawn> {
    let tree = read(svg)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = (frame.width / width).min(frame.height / height);
    let (width, height) = (width * scale, height * scale);
    if work(tree.root(), scale, (width, height)) > MAX_WORK {
        return Err(NotDrawn::Costly);
    }
    // One of its own, since a drawing may go beyond its edges.
    let drawn = Pixmap::new(width.round() as u32, height.round() as u32);
    let mut drawn = drawn.ok_or(NotDrawn::Flat)?;
    let scaled = Transform::from_scale(scale, scale);
    resvg::render(&tree, scaled, &mut drawn.as_mut());
    let left = frame.left + (frame.width - width) / 2.0;
    let top = frame.top + (frame.height - height) / 2.0;
    onto.draw_pixmap(
        left.round() as i32,
        top.round() as i32,
        drawn.as_ref(),
        &PixmapPaint::default(),
        Transform::identity(),
        None,
    );
    Ok(())
}

/// Packs a picture as PNG.
pub(super) fn png(picture: &Pixmap) -> Result<Vec<u8>, NotDrawn> {
    picture
        .encode_png()
        .map_err(|error| NotDrawn::Png(error.to_string()))
}

fn read(svg: &str) -> Result<Tree, NotDrawn> {
    if svg.len() > MAX_BYTES {
        return Err(NotDrawn::Long);
    }
    if let Some(why) = not_svg(svg) {
        return Err(NotDrawn::Foreign(why));
    }
    let xml = roxmltree::Document::parse(svg)?;
    let mut letters = 0;
    for node in xml.descendants() {
        if node.ancestors().take(MAX_DEPTH + 2).count() > MAX_DEPTH + 1 {
            return Err(NotDrawn::Deep);
        }
        let name = node.tag_name().name();
        // A drawing within a drawing is cut at its edges, as by a clip path.
        let is_within = name == "svg" && node != xml.root_element();
        if is_within || REPEATING.contains(&name) {
            return Err(NotDrawn::Repeating(name.to_owned()));
        }
        letters += node.text().filter(|_| node.is_text()).map_or(0, str::len);
    }
    if letters > MAX_LETTERS {
        return Err(NotDrawn::Wordy);
    }
    Ok(Tree::from_xmltree(&xml, &OPTIONS)?)
}

/// About how many steps it takes to draw a group at this scale onto so many pixels: those that are painted, and the
/// edges that are sorted in each row.
fn work(group: &Group, scale: f32, canvas: (f32, f32)) -> f64 {
    let layer = match group.should_isolate() {
        true => f64::from(canvas.0 * canvas.1),
        false => 0.0,
    };
    let parts = group.children().iter().map(|node| match node {
        Node::Group(group) => work(group, scale, canvas),
        Node::Text(text) => work(text.flattened(), scale, canvas),
        Node::Path(path) => work_of_path(path, scale, canvas),
        Node::Image(_) => f64::INFINITY,
    });
    layer + parts.sum::<f64>()
}

fn work_of_path(path: &Path, scale: f32, canvas: (f32, f32)) -> f64 {
    let at = path.abs_transform().post_scale(scale, scale);
    let Some(data) = path.data().clone().transform(at) else {
        return 0.0;
    };
    let stroke = path.stroke().map_or(0.0, |stroke| stroke.width().get());
    let (across, down) = at.get_scale();
    let rim = stroke * across.max(down) / 2.0;
    let rows = canvas.1.ceil() as usize;
    // How many edges begin in a row, less those that ended in the row before: one counts in every row that it touches.
    let mut changes = vec![0.0; rows + 2];
    let row = |y: f32| (y.max(0.0) as usize).min(rows);
    let mut length = 0.0;
    let (mut start, mut last) = (Point::zero(), Point::zero());
    for segment in data.segments() {
        let points: &[Point] = match &segment {
            PathSegment::MoveTo(point) => {
                (start, last) = (*point, *point);
                continue;
            }
            PathSegment::LineTo(point) => &[*point],
            PathSegment::QuadTo(one, two) => &[*one, *two],
            PathSegment::CubicTo(one, two, three) => &[*one, *two, *three],
            PathSegment::Close => &[start],
        };
        let ys = || points.iter().map(|point| point.y).chain([last.y]);
        changes[row(ys().fold(f32::INFINITY, f32::min) - rim)] += 1.0;
        changes[row(ys().fold(f32::NEG_INFINITY, f32::max) + rim) + 1] -= 1.0;
        for &point in points {
            length += f64::from(point.distance(last));
            last = point;
        }
    }
    // A stroke has two edges and its ends, and so has each of its dashes.
    let stroked = path.stroke().map_or(0.0, |stroke| {
        let period: f32 = stroke.dasharray().map_or(0.0, |dashes| dashes.iter().sum());
        let dashes = match period > 0.0 {
            true => length / f64::from(period * across.min(down)),
            false => 0.0,
        };
        4.0 * (1.0 + dashes)
    });
    let bounds = data.bounds();
    let seen = Rect::from_ltrb(
        (bounds.left() - rim).max(0.0),
        (bounds.top() - rim).max(0.0),
        (bounds.right() + rim).min(canvas.0),
        (bounds.bottom() + rim).min(canvas.1),
    );
    let Some(seen) = seen else {
        // It is beyond the edges, but its dashes are made.
        return data.len() as f64 + stroked * stroked;
    };
    let thin = match stroke > 0.0 && rim <= 0.5 {
        true => length * THIN_PIXEL,
        false => 0.0,
    };
    let mut edges = 0.0;
    let sorted: f64 = (changes.iter().take(row(seen.bottom()) + 1))
        .skip(row(seen.top()))
        .map(|change| {
            edges += change;
            edges * edges
        })
        .sum();
    let painted = f64::from(seen.width() * seen.height());
    sorted * (1.0 + stroked * stroked) + painted * 8.0 + thin + data.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inside: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             viewBox=\"0 0 90 60\">{inside}</svg>"
        )
    }

    fn drawn(svg: &str) -> Result<Pixmap, NotDrawn> {
        let mut picture = Pixmap::new(120, 120).unwrap();
        let frame = Frame {
            left: 10.0,
            top: 10.0,
            width: 90.0,
            height: 90.0,
        };
        draw(svg, &mut picture, frame).map(|()| picture)
    }

    fn colour(picture: &Pixmap, x: u32, y: u32) -> [u8; 4] {
        let pixel = picture.pixel(x, y).unwrap().demultiply();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    }

    #[test]
    fn a_drawing_fits_into_its_frame_and_is_cut_at_its_edges() {
        let all = svg("<rect x=\"-99\" y=\"-99\" width=\"999\" height=\"999\" fill=\"#f00\"/>");
        let picture = drawn(&all).unwrap();
        let red = [255, 0, 0, 255];
        for (x, y, is_red) in [
            (10, 25, true),
            (99, 84, true),
            (9, 50, false),
            (100, 50, false),
            (50, 24, false),
            (50, 85, false),
        ] {
            assert_eq!(colour(&picture, x, y) == red, is_red, "{x} {y}");
        }
    }

    #[test]
    fn texts_of_every_weight_and_kind_are_drawn_with_our_fonts() {
        let dark = |letter: char, style: &str| {
            let text = format!("<text x=\"5\" y=\"40\" font-size=\"40\" {style}>{letter}</text>");
            let picture = drawn(&svg(&text)).unwrap();
            let pixels = picture.pixels().iter();
            pixels.filter(|one| one.alpha() > 127).count()
        };
        let plain = dark('M', "font-family=\"system-ui, sans-serif\"");
        let bold = dark('M', "font-weight=\"600\"");
        let mono = dark('M', "font-family=\"monospace\"");
        assert!(plain > 100 && bold > plain, "{plain} {bold}");
        assert!(mono > 100 && mono != plain, "{plain} {mono}");
        // Pieces, suits, dice and lines of boards in text.
        for letter in ['♞', '♥', '⚄', '│'] {
            assert!(dark(letter, "font-family=\"monospace\"") > 30, "{letter}");
        }
    }

    #[test]
    fn a_drawing_names_nothing_outside_of_itself() {
        for inside in [
            "<image href=\"/etc/passwd\" width=\"9\" height=\"9\"/>",
            "<image xlink:href=\"http://127.0.0.1/a.png\" width=\"9\" height=\"9\"/>",
            "<image href=\"data:image/svg+xml;base64,PHN2Zy8+\" width=\"9\" height=\"9\"/>",
            "<style>@import url(http://127.0.0.1/a.css);</style>",
            "<g style=\"fill:url(http://127.0.0.1/a.svg#b)\"/>",
            "<g filter=\"blur(900px)\"/>",
            "<g id=\"a\"/><use href=\"#a\"/>",
        ] {
            assert!(
                matches!(drawn(&svg(inside)), Err(NotDrawn::Foreign(_))),
                "{inside}"
            );
        }
    }

    #[test]
    fn what_would_take_too_long_or_too_much_is_not_drawn() {
        let nested = |depth| svg(&("<g>".repeat(depth) + &"</g>".repeat(depth)));
        assert!(drawn(&nested(MAX_DEPTH - 1)).is_ok());
        assert!(matches!(drawn(&nested(MAX_DEPTH)), Err(NotDrawn::Deep)));
        assert!(matches!(drawn(&nested(20_000)), Err(NotDrawn::Deep)));
        let bombs = (0..9).map(|at| {
            let uses = format!("<rect fill=\"url(#p{})\"/>", at + 1).repeat(9);
            format!("<pattern id=\"p{at}\" width=\"9\" height=\"9\">{uses}</pattern>")
        });
        let bomb = svg(&bombs.collect::<String>());
        assert!(matches!(drawn(&bomb), Err(NotDrawn::Repeating(_))));
        let within = svg("<svg width=\"9\" height=\"9\"/>");
        assert!(matches!(drawn(&within), Err(NotDrawn::Repeating(_))));
        let words = svg(&format!("<text>{}</text>", "w".repeat(MAX_LETTERS + 1)));
        assert!(matches!(drawn(&words), Err(NotDrawn::Wordy)));
        let long = svg(&format!("<path d=\"M0 0{}\"/>", "h1".repeat(MAX_BYTES / 2)));
        assert!(matches!(drawn(&long), Err(NotDrawn::Long)));
        let entity = "<!DOCTYPE svg [<!ENTITY a \"aaaa\">]><svg>&a;</svg>";
        assert!(matches!(drawn(entity), Err(NotDrawn::Foreign(_))));
        assert!(matches!(drawn("<svg"), Err(NotDrawn::Foreign(_))));
    }

    #[test]
    fn the_work_of_a_drawing_is_bounded() {
        let large = Frame {
            left: 0.0,
            top: 0.0,
            width: 720.0,
            height: 480.0,
        };
        let is_costly = |inside: &str| {
            let mut picture = Pixmap::new(720, 480).unwrap();
            matches!(
                draw(&svg(inside), &mut picture, large),
                Err(NotDrawn::Costly)
            )
        };
        let all = "<rect width=\"90\" height=\"60\" opacity=\"0.5\"/>";
        assert!(!is_costly(&all.repeat(50)) && is_costly(&all.repeat(2_000)));
        // Lines that all cross each other in each row.
        let zigzag = format!(
            "<path fill=\"none\" stroke=\"#000\" d=\"M0 0{}\"/>",
            "L90 60L1 0".repeat(5_000)
        );
        assert!(is_costly(&zigzag));
        let dashes = "<path d=\"M0 0H90\" stroke=\"#000\" stroke-dasharray=\"0.001\"/>";
        assert!(is_costly(dashes));
        // Many thin lines, few in each row.
        let rows: String = (0..4_000)
            .map(|row| format!("M0 {0}H90", row % 60))
            .collect();
        let thin = format!("<path d=\"{rows}\" stroke=\"#000\" stroke-width=\"0.1\"/>");
        assert!(is_costly(&thin));
        // Also within one row, and beyond the edges.
        for y in ["30.05", "-50"] {
            let line = format!(
                "<path d=\"M0 {y}H90\" stroke=\"#000\" stroke-width=\"0.01\" stroke-dasharray=\"0.0001\"/>"
            );
            assert!(is_costly(&line), "{y}");
        }
        let usual = "<path d=\"M0 0H90\" stroke=\"#000\" stroke-dasharray=\"4 4\"/>";
        assert!(!is_costly(usual));
        // Beyond the edges and of no size.
        assert!(drawn(&svg("<rect x=\"1e30\" width=\"1e30\" height=\"1e30\"/>")).is_ok());
        let flat = svg("").replace("0 0 90 60", "0 0 1e9 1");
        assert!(matches!(drawn(&flat), Err(NotDrawn::Flat)));
    }
}
