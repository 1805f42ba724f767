//! What the screen shows, for any size.

use flipside_games::words::counted;
use flipside_report::width::{cut, cut_name, left_name, right, width as columns_of};
use flipside_report::{LineKind as Kind, standings_table};
use flipside_runner::{LiveMatch, LiveSeat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Offset, Rect};
use ratatui::style::Stylize;
use ratatui::text::{Line, Text};
use ratatui::widgets::Widget;

use super::state::{StopState, WatchState};
use crate::progress;
use crate::stop_lines::{STOPPING_NOW, STOPPING_SOON};

/// The columns of the bar.
const BAR: usize = 20;
/// The narrowest screen with a bar.
const WIDE_ENOUGH_FOR_A_BAR: usize = 64;
/// The fewest rows that are set with blank lines between the parts.
const HIGH_ENOUGH_FOR_BLANKS: usize = 16;
/// The most of the last faults, pauses and voids.
const MAX_NEWS: usize = 4;
/// The rows that the standings have before the boards get any.
const MIN_STANDINGS: usize = 6;
/// The blanks between two boards.
const BETWEEN_BOARDS: usize = 3;
/// Boards are not set side by side in less than this.
const NARROWEST_BOARD: usize = 36;
/// With less room than this there is no part of a board.
const MIN_BOARD: usize = 8;
/// The most matches without a board.
const MAX_LISTED: usize = 4;
/// The columns of the time that a bot has used.
const USED: usize = 7;
/// The narrowest column of names.
const MIN_NAME: usize = 10;

/// A watched tournament on the screen: how far it is, the standings, the news, and the running matches.
pub(super) struct WatchScreen<'a>(pub(super) &'a WatchState);

impl Widget for WatchScreen<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        // What stands in the last column makes some terminals begin a new line.
        let area = area.resize((area.width.saturating_sub(1), area.height).into());
        let (lines, boards) = self.parts(area.width.into(), area.height.into());
        let below = Offset::new(area.x.into(), i32::from(area.y) + lines.len() as i32);
        Text::from(lines).render(area, buffer);
        for (place, text) in boards {
            text.render(place.offset(below).intersection(area), buffer);
        }
    }
}

impl WatchScreen<'_> {
    /// The lines for so many columns and rows, and the boards with their places below them.
    fn parts(&self, width: usize, rows: usize) -> (Vec<Line<'static>>, Vec<(Rect, Text<'static>)>) {
        let WatchScreen(state) = self;
        let blanks = usize::from(rows >= HIGH_ENOUGH_FOR_BLANKS);
        let line = |text: &str| Line::from(cut(text, width));
        let name = cut_name(&state.name, (width / 2).max(MIN_NAME));
        let mut lines = vec![
            line(&format!("{name}: {}", state.about)).bold(),
            line(&progress_line(state, width)),
        ];
        lines.extend(said(state.stopping).map(|said| line(said).bold()));
        lines.extend((0..blanks).map(|_| Line::default()));
        lines.truncate(rows);
        let room = rows - lines.len();
        let news = state.news.len().min(MAX_NEWS).min(room / 6);
        let above_news = if news > 0 { blanks } else { 0 };
        let room = room - news - above_news;
        let wanted = (state.standings.as_ref()).map_or(1, |table| 1 + table.rows.len());
        let share = if state.matches.is_empty() {
            room
        } else {
            MIN_STANDINGS.max(room / 3)
        };
        let least = wanted.min(share).min(room);
        let boards = boards(&state.matches, width, room - least, blanks);
        let boards_end = boards.iter().map(|(area, _)| area.bottom()).max();
        let room = room - usize::from(boards_end.unwrap_or(0));
        lines.extend(standings(state, width, room).into_iter().map(styled));
        lines.extend((0..above_news).map(|_| Line::default()));
        let news = state.news.iter().skip(state.news.len() - news);
        lines.extend(news.map(|news| line(news).dim()));
        (lines, boards)
    }
}

fn said(stopping: StopState) -> Option<&'static str> {
    match stopping {
        StopState::No => None,
        StopState::Soon => Some(STOPPING_SOON),
        StopState::Now => Some(STOPPING_NOW),
    }
}

/// How far it is, as much of it as fits.
pub(super) fn progress_line(state: &WatchState, width: usize) -> String {
    let WatchState {
        before,
        done,
        total,
        elapsed,
        ..
    } = *state;
    let mut text = String::new();
    if width >= WIDE_ENOUGH_FOR_A_BAR {
        let full = (done.min(total) * BAR as u64).checked_div(total);
        let full = full.unwrap_or(0) as usize;
        text = "█".repeat(full) + &"░".repeat(BAR - full) + " ";
    }
    text += &format!("{done}/{total}");
    let mut parts = Vec::new();
    if done > before {
        parts.push(pace(progress::rate(done, before, elapsed)));
        // Who has stopped it waits for what is running only.
        if state.stopping == StopState::No {
            let left = progress::left(done, before, total, elapsed);
            parts.push(format!("{left} left"));
        }
    }
    if state.faults > 0 {
        parts.push(counted(state.faults, "fault"));
    }
    if state.voids > 0 {
        parts.push(counted(state.voids, "void"));
    }
    for part in parts {
        if columns_of(&text) + 2 + columns_of(&part) <= width {
            text = text + "  " + &part;
        }
    }
    text
}

/// So many matches a second, in the unit in which that is a number of some size.
fn pace(rate: f64) -> String {
    match rate {
        1.0.. => format!("{rate:.1}/s"),
        0.02.. => format!("{:.1}/min", rate * 60.0),
        _ => format!("{:.1}/h", rate * 3600.0),
    }
}

/// The first of the standings, with their heading.
pub(super) fn standings(state: &WatchState, width: usize, room: usize) -> Vec<(Kind, String)> {
    let Some(standings) = &state.standings else {
        let soon = cut("the standings come with the first results", width);
        return [(Kind::Heading, soon)].into_iter().take(room).collect();
    };
    let mut table = standings_table(standings);
    let paused = |at: usize| state.is_paused(&standings.rows[at].bot);
    table.mark("bot", |at| if paused(at) { " (paused)" } else { "" });
    table.screen(width, room)
}

fn styled((kind, text): (Kind, String)) -> Line<'static> {
    match kind {
        Kind::Heading => Line::from(text).dim(),
        Kind::Row => Line::from(text),
    }
}

/// As many running matches as fit, beside and below each other; if no board fits, a list of them. Each with its place
/// below the news.
fn boards(
    matches: &[LiveMatch],
    width: usize,
    room: usize,
    blanks: usize,
) -> Vec<(Rect, Text<'static>)> {
    let cells = |most: usize| -> Vec<Text<'static>> {
        matches.iter().map(|running| cell(running, most)).collect()
    };
    let whole = cells(usize::MAX);
    let half = width.saturating_sub(BETWEEN_BOARDS) / 2;
    // Better two boards with a few letters cut than one.
    let most = if whole.len() > 1 && half >= NARROWEST_BOARD {
        half
    } else {
        width
    };
    let widest = whole.iter().map(Text::width).max().unwrap_or(0);
    let wide = widest.min(most);
    let cells = cells(wide);
    let beside = (width + BETWEEN_BOARDS) / (wide + BETWEEN_BOARDS);
    let mut placed = Vec::new();
    let mut end = 0;
    for row in cells.chunks(beside.max(1)) {
        let high = row.iter().map(Text::height).max().unwrap_or(0);
        // Below a board only whole ones; of the first, as much as fits.
        if blanks + high > room - end && (end > 0 || room < MIN_BOARD) {
            break;
        }
        let high = high.min(room - end - blanks);
        for (column, cell) in row.iter().enumerate() {
            let left = column * (wide + BETWEEN_BOARDS);
            placed.push((rect(left, end + blanks, wide, high), cell.clone()));
        }
        end += blanks + high;
    }
    if placed.is_empty() {
        let listed = matches.iter().take(room.min(MAX_LISTED));
        let listed = listed.map(|running| Line::from(cut(&in_a_line(running, width), width)));
        let list = Text::from_iter(listed);
        placed.push((rect(0, 0, width, list.height()), list));
    }
    placed
}

/// A part of a screen, none of whose sides is longer than a screen can be.
fn rect(x: usize, y: usize, width: usize, height: usize) -> Rect {
    let [x, y, width, height] =
        [x, y, width, height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    Rect::new(x, y, width, height)
}

/// A match with its board; names are cut where it would be wider than this.
fn cell(running: &LiveMatch, width: usize) -> Text<'static> {
    let names = running.seats.iter().map(|seat| columns_of(&seat.name));
    // The mark, the number of the seat, the time, and a blank between each.
    let room = width.saturating_sub(3 + 1 + 1 + USED).max(1);
    let name = names.max().unwrap_or(0).min(room);
    let line = |text: &str| Line::from(cut(text, width));
    let seats = running.seats.iter().enumerate().map(|(number, seat)| {
        let (mark, bot) = (mark(seat), left_name(&seat.name, name));
        line(&format!(
            "{mark} {number} {bot} {}",
            right(&used(seat), USED)
        ))
    });
    let head = line(&headline(running, width)).dim();
    let board = running.board.trim_end().lines().map(line);
    std::iter::once(head).chain(seats).chain(board).collect()
}

/// Which match it is, in so many columns if the number of its plies leaves room.
fn headline(running: &LiveMatch, width: usize) -> String {
    let over = if running.is_over { ", over" } else { "" };
    let plies = format!(", ply {}{over}", running.plies);
    let id = cut_name(&running.id, width.saturating_sub(plies.len()).max(1));
    id + &plies
}

/// A match without its board; names are cut alike where it would be wider than this.
pub(super) fn in_a_line(running: &LiveMatch, width: usize) -> String {
    let set = |name: usize| {
        let seats = running.seats.iter().map(|seat| {
            let mark = mark(seat).trim();
            format!("{mark}{} {}", cut_name(&seat.name, name), used(seat))
        });
        let seats = seats.collect::<Vec<_>>().join(", ");
        let plies = headline(running, usize::MAX).len() - running.id.len();
        format!("{}: {seats}", headline(running, name.saturating_add(plies)))
    };
    let longest = (running.seats.iter()).map(|seat| columns_of(&seat.name));
    let longest = longest.max().unwrap_or(0).max(columns_of(&running.id));
    let fits = |name: &usize| columns_of(&set(*name)) <= width;
    let name = (MIN_NAME..=longest).rev().find(fits);
    set(name.unwrap_or(MIN_NAME))
}

/// Whether the match waits for a seat, or its bot is disqualified.
fn mark(seat: &LiveSeat) -> &'static str {
    match (seat.is_disqualified, seat.is_asked) {
        (true, _) => "x",
        (_, true) => ">",
        (_, false) => " ",
    }
}

/// The time that a seat has used for its moves.
fn used(seat: &LiveSeat) -> String {
    let seconds = seat.used.as_secs_f64();
    match seconds {
        ..10.0 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;

    use super::super::state::tests::{HOSTILE, running, state};
    use super::*;

    const BOARD: &str = "White to move\n\n  2   .   b\n  1   R   .\n      a   b\n\n";

    /// The rows of the screen, down to the last that is not empty, without blanks at their ends.
    fn lines(state: &WatchState, columns: u16, rows: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        WatchScreen(state).render(buffer.area, &mut buffer);
        let row = |cells: &[Cell]| {
            let (mut text, mut hidden) = (String::new(), 0);
            for symbol in cells.iter().map(Cell::symbol) {
                // The next cell lies under a wide character.
                if hidden == 0 {
                    text += symbol;
                    hidden = columns_of(symbol);
                }
                hidden = hidden.saturating_sub(1);
            }
            text.trim_end_matches(' ').to_owned()
        };
        let cells = buffer.content().chunks(usize::from(columns).max(1));
        let mut lines: Vec<String> = cells.map(row).collect();
        let last = lines.iter().rposition(|line| !line.is_empty());
        lines.truncate(last.map_or(0, |last| last + 1));
        lines
    }

    fn text(state: &WatchState, columns: u16, rows: u16) -> String {
        let lines = lines(state, columns, rows);
        lines.into_iter().map(|line| line + "\n").collect()
    }

    #[test]
    fn the_screen_at_the_usual_size() {
        let matches = vec![
            running("cup-20", &["greedy@1", "random@1"], BOARD),
            running("cup-21", &["mcts@12", "greedy@1"], BOARD),
        ];
        let mut state = state(&["mcts@12", "greedy@1", "random@1"], matches);
        state.faults = 1;
        state
            .news
            .push_back("random@1 late: its answer came after its time was up (cup-3)".into());
        insta::assert_snapshot!(text(&state, 80, 24), @r"
        cup: flipfour, 3 bots, round-robin, clock move=1s
        ████░░░░░░░░░░░░░░░░ 20/90  2.0/s  35 s left  1 fault  1 void

           bot       rating  95 %  games  won-drawn-lost  score  faults
        1  mcts@12     1650   ±78     20          12-1-7   12.5       0
        2  greedy@1    1600   ±78     20          12-1-7   12.5       1
        3  random@1    1550   ±78     20          12-1-7   12.5       2

        random@1 late: its answer came after its time was up (cup-3)

        cup-20, ply 12         cup-21, ply 12
        > 0 greedy@1  1.23 s   > 0 mcts@12   1.23 s
          1 random@1  2.47 s     1 greedy@1  2.47 s
        White to move          White to move

          2   .   b              2   .   b
          1   R   .              1   R   .
              a   b                  a   b
        ");
    }

    #[test]
    fn versions_of_a_bot_stay_apart_wherever_they_are_shown() {
        let bots = [1, 12].map(|version| format!("{}@{version}", "n".repeat(64)));
        let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
        let id = format!("{}-4711", "n".repeat(64));
        let state = state(&bots, vec![running(&id, &bots, BOARD); 2]);
        for (columns, rows) in [(80, 24), (60, 24), (80, 9)] {
            let text = text(&state, columns, rows);
            // In the standings, and at each match.
            for name in ["n@1 ", "n@12 "] {
                assert!(text.matches(name).count() >= 2, "{columns}: {text}");
            }
            assert!(text.contains("4711, ply 12"), "{columns}: {text}");
            assert!(text.contains(" 1.23 s"), "{columns}: {text}");
        }
    }

    #[test]
    fn the_screen_where_there_is_little_room() {
        let matches = vec![running("cup-20", &["greedy@1", "random@1", "a@1"], BOARD)];
        let mut state = state(&["mcts@12", "greedy@1", "random@1", "a@1", "b@1"], matches);
        state.stopping = StopState::Soon;
        insta::assert_snapshot!(text(&state, 40, 8), @r"
        cup: flipfour, 3 bots, round-robin, cl…
        20/90  2.0/s  1 void
        stopping: waiting for the running matc…
           bot       rating  games  score
        1  mcts@12     1650     20   12.5
        2  greedy@1    1600     20   12.5
        3  random@1    1550     20   12.5
        and 2 more
        ");
        assert_eq!(text(&state, 12, 1), "cup: flipf…\n");
        assert_eq!(text(&state, 80, 0), "");
    }

    #[test]
    fn whatever_is_shown_keeps_to_the_size_and_steers_nothing() {
        keeps_to_sizes(false);
    }

    #[test]
    #[ignore = "long: every size, and the edges in every state"]
    fn whatever_is_shown_keeps_to_every_size_and_steers_nothing() {
        keeps_to_sizes(true);
    }

    fn keeps_to_sizes(all: bool) {
        let names = [
            HOSTILE,
            "五子棋五子棋五子棋五子棋",
            "a",
            HOSTILE,
            "b",
            "c",
            "d",
            "e",
        ];
        let hostile = HOSTILE.repeat(30);
        for many in 0..5 {
            let seen =
                |number: usize| running(&hostile, &names[..number + 1], &HOSTILE.repeat(number));
            let mut state = state(&names[..many + 1], (0..many).map(seen).collect());
            for _ in 0..many {
                state.news.push_back(flipside_report::plain_line(&hostile));
            }
            for stopping in [StopState::No, StopState::Soon, StopState::Now] {
                state.stopping = stopping;
                // Small sizes once, and the edges in every state or in three.
                let full = (many, stopping) == (4, StopState::Soon);
                let few = [(0, StopState::No), (2, StopState::Now)];
                if !all && !full && !few.contains(&(many, stopping)) {
                    continue;
                }
                let edges = |sizes: &[u16], small: u16, each: usize| {
                    let small =
                        (0..if full { small } else { 0 }).step_by(if all { 1 } else { each });
                    small.chain(sizes.iter().copied()).collect::<Vec<_>>()
                };
                for columns in edges(&[0, 1, 2, 20, 39, 80, 133, 300], 40, 3) {
                    for rows in edges(&[0, 1, 2, 10, 29, 200], 30, 4) {
                        keeps_to(&state, columns.into(), rows.into());
                        lines(&state, columns, rows);
                    }
                }
            }
        }
    }

    /// Of what is built nothing needs to be cut when it is drawn.
    fn keeps_to(state: &WatchState, columns: usize, rows: usize) {
        let width = columns.saturating_sub(1);
        let (lines, boards) = WatchScreen(state).parts(width, rows);
        let size = format!("{columns} x {rows}");
        assert!(lines.len() <= rows, "{size}: {lines:?}");
        for (place, text) in &boards {
            assert!(usize::from(place.right()) <= width, "{size}: {place:?}");
            let bottom = lines.len() + usize::from(place.bottom());
            assert!(bottom <= rows, "{size}: {place:?}");
            let wide = text.width();
            assert!(wide <= place.width.into(), "{size}: {wide}, {text:?}");
        }
        let boards = boards.iter().flat_map(|(_, text)| &text.lines);
        for line in lines.iter().chain(boards) {
            assert!(line.width() < columns.max(1), "{size}: {line:?}");
            let mut letters = line.iter().flat_map(|span| span.content.chars());
            assert!(!letters.any(char::is_control), "{size}: {line:?}");
        }
    }

    #[test]
    fn before_the_first_result_there_is_a_word_instead_of_the_standings() {
        let mut state = state(&[], Vec::new());
        state.standings = None;
        state.done = state.before;
        assert!(text(&state, 80, 24).contains("the standings come with the first results"));
        assert!(!text(&state, 80, 24).contains("left"));
        (state.done, state.total) = (0, 0);
        assert!(text(&state, 80, 24).contains("0/0"));
    }

    #[test]
    fn a_pace_has_a_unit_that_fits() {
        assert_eq!(
            [pace(41.23), pace(0.5), pace(0.001)],
            ["41.2/s", "30.0/min", "3.6/h"]
        );
    }
}
