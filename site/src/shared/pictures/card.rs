//! What a picture shows: a drawing on the left, and on the right what it is, who sat there and what came of it.

use askama::Template;
use flipside_games::SeatLook;
use flipside_report::plain_line;
use resvg::tiny_skia::Pixmap;

use super::draw::{Frame, NotDrawn, draw, png};

/// The size of every picture in pixels: what sites show beside a link at full width.
pub(crate) const WIDTH: u32 = 1_200;
pub(crate) const HEIGHT: u32 = 630;

/// Where the drawing is.
const BOARD: Frame = Frame {
    left: 36.0,
    top: 36.0,
    width: 700.0,
    height: 558.0,
};

/// Where lines begin and end.
const LEFT: usize = 776;
const RIGHT: usize = 1_164;

/// The largest and the smallest letters of a title and of a bot.
const TITLE: (usize, usize) = (36, 28);
const NAME: (usize, usize) = (30, 17);
const WORDS: usize = 24;

/// The most lines of a title and of the words below.
const MOST_LINES: (usize, usize) = (3, 7);

/// How far the words go down at most, and where the site is named.
const LAST_WORDS: usize = 540;
const SITE: usize = 586;

/// The width of a letter in units of its size, about.
const LETTER: f64 = 0.62;
const BOLD_LETTER: f64 = 0.7;

/// What a picture shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct PictureCard {
    /// A drawing, as SVG.
    pub(crate) board: String,
    pub(crate) title: String,
    pub(crate) seats: Vec<CardSeat>,
    pub(crate) words: String,
    /// What the site is called.
    pub(crate) site: String,
}

/// Who sat at a seat.
#[derive(Clone, Debug)]
pub(crate) struct CardSeat {
    pub(crate) look: Option<SeatLook>,
    pub(crate) bot: String,
    pub(crate) points: String,
    pub(crate) has_won: bool,
}

#[derive(Template)]
#[template(path = "card.svg")]
struct Words<'a> {
    width: u32,
    height: u32,
    paper: &'a str,
    left: usize,
    right: usize,
    lines: Vec<CardLine<'a>>,
}

struct CardLine<'a> {
    look: Option<SeatLook>,
    x: usize,
    y: usize,
    size: usize,
    fill: &'a str,
    is_bold: bool,
    text: String,
    /// What stands at the right edge.
    end: Option<String>,
}

impl PictureCard {
    /// Draws it as PNG.
    ///
    /// # Errors
    /// When the drawing has too much of something, or is none.
    pub(crate) fn png(&self) -> Result<Vec<u8>, NotDrawn> {
        let mut picture = Pixmap::new(WIDTH, HEIGHT).expect("the size is not 0");
        let whole = Frame {
            left: 0.0,
            top: 0.0,
            width: WIDTH as f32,
            height: HEIGHT as f32,
        };
        let words = self.words().render().expect("writes into memory");
        draw(&words, &mut picture, whole)?;
        draw(&self.board, &mut picture, BOARD)?;
        png(&picture)
    }

    fn words(&self) -> Words<'_> {
        let [paper, ink, quiet] = ["paper", "ink", "quiet"].map(light);
        let line = |y, size, text| CardLine {
            look: None,
            x: LEFT,
            y,
            size,
            fill: ink,
            is_bold: false,
            text,
            end: None,
        };
        let mut lines = Vec::new();
        let mut y = 50;
        let title = plain_line(&self.title);
        let longest = title.split(' ').map(letters).max().unwrap_or(0);
        let size = fitting(longest, TITLE, BOLD_LETTER);
        for text in wrapped(&title, columns(size, BOLD_LETTER), MOST_LINES.0) {
            y += size + 8;
            lines.push(CardLine {
                is_bold: true,
                ..line(y, size, text)
            });
        }
        y += 20;
        let step = if self.seats.len() > 4 { 48 } else { 60 };
        for seat in &self.seats {
            y += step;
            let (bot, points) = (plain_line(&seat.bot), &seat.points);
            // The sign, and a space before the points.
            let count = letters(&bot) + letters(points) + 4;
            let size = fitting(count, NAME, BOLD_LETTER);
            let room = columns(size, BOLD_LETTER).saturating_sub(letters(points) + 4);
            lines.push(CardLine {
                look: seat.look,
                x: LEFT + 40,
                is_bold: seat.has_won,
                end: Some(points.clone()),
                ..line(y, size, cut(&bot, room))
            });
        }
        y += 24;
        let words = plain_line(&self.words);
        for text in wrapped(&words, columns(WORDS, LETTER), MOST_LINES.1) {
            y += WORDS + 10;
            if y > LAST_WORDS {
                break;
            }
            lines.push(CardLine {
                fill: quiet,
                ..line(y, WORDS, text)
            });
        }
        let site = cut(&plain_line(&self.site), columns(20, LETTER));
        lines.push(CardLine {
            fill: quiet,
            ..line(SITE, 20, site)
        });
        Words {
            width: WIDTH,
            height: HEIGHT,
            paper,
            left: LEFT,
            right: RIGHT,
            lines,
        }
    }
}

/// A colour of light pages.
fn light(name: &str) -> &'static str {
    let (_, rest) = { crate::THEME.split_once(&format!("--{name}: ")) }.expect("the theme has it");
    rest.split(';').next().expect("a text has a first part")
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// How many letters of a size a line has.
fn columns(size: usize, letter: f64) -> usize {
    ((RIGHT - LEFT) as f64 / (size as f64 * letter)) as usize
}

/// The largest size at which so many letters fit into a line.
fn fitting(count: usize, (largest, least): (usize, usize), letter: f64) -> usize {
    let sizes = (least..=largest).rev();
    { sizes.into_iter() }
        .find(|size| columns(*size, letter) >= count)
        .unwrap_or(least)
}

/// A text of at most so many letters, without what is too much.
fn cut(text: &str, most: usize) -> String {
    if letters(text) <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    kept + "…"
}

/// A text in lines of at most so many letters.
fn wrapped(text: &str, most: usize, most_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = cut(word, most);
        match lines.last_mut() {
            Some(line) if letters(line) + 1 + letters(&word) <= most => {
                *line += " ";
                *line += &word;
            }
            _ => lines.push(word),
        }
    }
    if lines.len() > most_lines {
        lines.truncate(most_lines);
        let last = lines.last_mut().expect("there are lines");
        *last = cut(&format!("{last} …"), most);
    }
    lines
}

#[cfg(test)]
mod tests {
    use flipside_games::GAMES;
    use flipside_operations::sample_scenes;
    use resvg::tiny_skia::Pixmap;

    use super::*;

    fn card(game: &dyn flipside_games::AnyGame, board: String) -> PictureCard {
        let seat = |seat: u8| CardSeat {
            look: game.look(seat),
            bot: [
                "sample:alphabeta",
                "ada@12",
                "bob@3",
                "cy",
                "dan",
                "eve-with-a-very-long-name-indeed@104",
            ][usize::from(seat)]
            .to_owned(),
            points: ["0", "1", "0.5", "0", "0", "0.25"][usize::from(seat)].to_owned(),
            has_won: seat == 1,
        };
        PictureCard {
            board,
            title: game.info().title.to_owned(),
            seats: game
                .info()
                .seats
                .last()
                .map_or(0..0, |most| 0..*most)
                .map(seat)
                .collect(),
            words: "no pieces, 42 plies".to_owned(),
            site: "Class 10b".to_owned(),
        }
    }

    #[test]
    fn every_game_has_a_picture_of_the_right_size() {
        for game in GAMES {
            let id = game.info().id;
            let [_, end] = sample_scenes(*game).unwrap();
            let png = card(*game, end.svg).png().unwrap();
            let picture = Pixmap::decode_png(&png).unwrap();
            assert_eq!((picture.width(), picture.height()), (WIDTH, HEIGHT), "{id}");
            assert!(png.len() < 200_000, "{id}: {}", png.len());
            // The board is there: its middle is not the paper.
            let paper = picture.pixel(5, 5).unwrap();
            let (x, y) = (
                BOARD.left + BOARD.width / 2.0,
                BOARD.top + BOARD.height / 2.0,
            );
            assert_ne!(picture.pixel(x as u32, y as u32).unwrap(), paper, "{id}");
        }
    }

    #[test]
    fn lines_are_as_long_as_there_is_room() {
        assert_eq!(wrapped("one two three", 7, 9), ["one two", "three"]);
        assert_eq!(wrapped("a very-long-word b", 6, 9), ["a", "very-…", "b"]);
        assert_eq!(wrapped("one two three", 5, 2), ["one", "two …"]);
        assert_eq!(wrapped(" ", 5, 2), Vec::<String>::new());
        assert_eq!(columns(fitting(20, (60, 10), 0.5), 0.5), 20);
        assert_eq!(fitting(4_000, (60, 10), 0.5), 10);
    }

    #[test]
    fn names_of_strangers_are_words_of_a_picture() {
        let words = PictureCard {
            title: "<b> & \u{1}\u{202e}".to_owned(),
            words: "]]> &amp;".to_owned(),
            board: crate::shared::assets::MARK.to_owned(),
            ..PictureCard::default()
        };
        assert!(words.png().is_ok());
        let none = PictureCard {
            board: "<svg>".to_owned(),
            ..words
        };
        assert!(none.png().is_err());
    }
}
