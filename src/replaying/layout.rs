//! What the screen of a replay shows, for any size.

use flipside_operations::{MatchReplay, ReplayAct, ReplayStep, StepKind, in_ms};
use flipside_report::plain_line;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Stylize;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{LineGauge, Paragraph, Wrap};

use super::keys::{HELP, KeyState};

/// The list of moves beside the board is at least so wide; on a narrower screen it is left out.
const MIN_MOVES: u16 = 26;

/// The list is at most so wide.
const MAX_MOVES: u16 = 48;

/// The most lines about a step.
const MAX_ABOUT: u16 = 7;

/// A screen at least so high has a line of keys and the bar.
const HIGH: u16 = 10;

/// Draws the step that is shown, with its board.
pub(super) fn draw(frame: &mut Frame<'_>, replay: &MatchReplay, state: &mut KeyState, board: &str) {
    let area = frame.area();
    let about = about_lines(replay, state);
    let is_high = area.height >= HIGH;
    let about_height = if is_high {
        height_of(&about, area.width).min(MAX_ABOUT)
    } else {
        1
    };
    let [title, body, about_area, bar, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(about_height),
        Constraint::Length(is_high.into()),
        Constraint::Length(is_high.into()),
    ])
    .areas(area);
    frame.render_widget(title_line(replay, state), title);
    let moves = if state.has_help {
        0
    } else {
        moves_width(board, area.width)
    };
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(moves)]).areas(body);
    if state.has_help {
        frame.render_widget(help(), left);
    } else {
        draw_board(frame, state, board, left);
    }
    if moves > 0 {
        draw_moves(frame, replay, state, right);
    }
    let about = Paragraph::new(Text::from(about)).wrap(Wrap { trim: false });
    frame.render_widget(about, about_area);
    if bar.height > 0 {
        let ratio = state.at as f64 / state.last().max(1) as f64;
        let step = &replay.steps[state.at];
        let label = format!("step {} of {}, ply {}", state.at, state.last(), step.ply);
        frame.render_widget(LineGauge::default().ratio(ratio).label(label), bar);
    }
    frame.render_widget(foot_line(state), foot);
}

/// The width of the list of moves beside a board; 0 where there is no room for both. The board's own lines are
/// indented; the words above and below it can be wrapped.
fn moves_width(board: &str, width: u16) -> u16 {
    let own = board.lines().filter(|line| line.starts_with(' '));
    let widest = own.map(|line| Line::from(line).width()).max();
    let board = u16::try_from(widest.unwrap_or(0)).unwrap_or(u16::MAX);
    let left = width.saturating_sub(board.saturating_add(2));
    if left < MIN_MOVES {
        0
    } else {
        left.min(MAX_MOVES)
    }
}

/// About the number of rows that lines take on a screen of this width.
fn height_of(lines: &[Line<'_>], width: u16) -> u16 {
    let rows = |line: &Line<'_>| line.width().div_ceil(usize::from(width.max(1))).max(1);
    let rows: usize = lines.iter().map(rows).sum();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

fn title_line(replay: &MatchReplay, state: &KeyState) -> Line<'static> {
    let header = &replay.header;
    let seats: Vec<&str> = header.seats.iter().map(|seat| &*seat.bot).collect();
    let mut line = vec![
        plain_line(header.title.as_str()).bold(),
        Span::raw(format!("  {}", plain_line(&seats.join(" - ")))),
    ];
    let viewers = replay.viewers();
    if viewers.len() > 1 {
        let view = replay.viewer_in_words(viewers[state.view]);
        line.push(plain_line(&format!("  view: {view}")).dim());
    }
    Line::from(line)
}

fn draw_board(frame: &mut Frame<'_>, state: &mut KeyState, board: &str, area: Rect) {
    let lines: Vec<Line<'_>> = board.lines().map(|line| plain_line(line).into()).collect();
    let most = height_of(&lines, area.width).saturating_sub(area.height);
    state.scroll = state.scroll.min(usize::from(most));
    let board = Paragraph::new(lines).wrap(Wrap { trim: false });
    frame.render_widget(board.scroll((state.scroll as u16, 0)), area);
}

/// The steps around the one that is shown.
fn draw_moves(frame: &mut Frame<'_>, replay: &MatchReplay, state: &KeyState, area: Rect) {
    let height = usize::from(area.height).max(1);
    let most = replay.steps.len().saturating_sub(height);
    let first = state.at.saturating_sub(height / 2).min(most);
    let steps = replay.steps.iter().enumerate().skip(first).take(height);
    let line = |(number, step): (usize, &ReplayStep)| {
        let mark = if number == state.at { '>' } else { ' ' };
        let ply = match step.kind {
            StepKind::Acts | StepKind::Opening => step.ply.to_string(),
            _ => String::new(),
        };
        let text = format!("{mark}{ply:>4} {}", plain_line(&replay.sentence(step)));
        match step.kind {
            _ if number == state.at => Line::from(text.bold()),
            StepKind::Fault => Line::from(text.bold()),
            StepKind::Chance | StepKind::Start | StepKind::Ready => Line::from(text.dim()),
            StepKind::Acts | StepKind::Opening | StepKind::Over => Line::from(text),
        }
    };
    frame.render_widget(Paragraph::new(steps.map(line).collect::<Vec<_>>()), area);
}

/// What happened in the step; with the times, the clocks and the notes.
fn about_lines(replay: &MatchReplay, state: &KeyState) -> Vec<Line<'static>> {
    let step = &replay.steps[state.at];
    let mut lines = vec![Line::from(plain_line(&replay.sentence(step)).bold())];
    for act in &step.acts {
        lines.extend(times(act).map(|times| Line::from(times.dim())));
        if let Some(paused) = &act.paused {
            let paused = plain_line(&paused.to_string());
            lines.push(Line::from(format!("seat {} {paused}", act.seat).dim()));
        }
        if let Some(note) = act.note.as_ref().filter(|_| state.has_notes) {
            let note = plain_line(note);
            lines.push(Line::from(format!("seat {} notes: \"{note}\"", act.seat)));
        }
    }
    if step.kind == StepKind::Over {
        let ending = replay.ending();
        let places = ending.lines().skip(1);
        lines.extend(places.map(|line| Line::from(line.to_owned())));
    }
    lines
}

fn times(act: &ReplayAct) -> Option<String> {
    let thought = in_ms(act.us?);
    let action = act.action.as_deref().unwrap_or("(hidden)");
    let left = act
        .clock_us
        .map_or(String::new(), |us| format!(", {} left", in_ms(us)));
    let action = plain_line(action);
    Some(format!("seat {}: {action} after {thought}{left}", act.seat))
}

fn help() -> Paragraph<'static> {
    let line = |(keys, does): (&'static str, &'static str)| {
        Line::from(vec![format!("{keys:>9}  ").bold(), Span::raw(does)])
    };
    Paragraph::new(HELP.map(line).to_vec())
}

fn foot_line(state: &KeyState) -> Line<'static> {
    if let Some(message) = &state.message {
        return Line::from(message.clone().bold());
    }
    if !state.typed.is_empty() {
        return Line::from(format!("ply {}, then Enter", state.typed).bold());
    }
    let playing = if state.is_playing { "pause" } else { "play" };
    let keys = format!(
        "? keys  q quit  ←→ step  space {playing} ({} ms)  c chance  f fault  v view  n notes",
        state.pause().as_millis()
    );
    Line::from(keys.dim())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use flipside_games::Viewer;
    use insta::assert_snapshot;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    fn replay(name: &str) -> MatchReplay {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/record/");
        let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
        MatchReplay::read(&text, Viewer::Open).unwrap()
    }

    /// The screen of this size after these keys: letters, and `>` for the right arrow, `$` for End.
    fn screen(replay: &MatchReplay, keys: &str, (width, height): (u16, u16)) -> String {
        let mut frames = replay.frames().unwrap();
        let mut state = KeyState::of(replay);
        for key in keys.chars() {
            let code = match key {
                '>' => KeyCode::Right,
                '$' => KeyCode::End,
                '!' => KeyCode::Enter,
                key => KeyCode::Char(key),
            };
            state.press(KeyEvent::new(code, KeyModifiers::NONE));
        }
        let viewer = replay.viewers()[state.view];
        let board = frames.text(state.at, viewer).unwrap();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, replay, &mut state, &board))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for y in 0..height {
            let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            let _ = writeln!(text, "{}", row.trim_end());
        }
        text
    }

    #[test]
    fn a_usual_screen_has_the_board_and_the_moves() {
        assert_snapshot!(screen(&replay("yonmoque-2"), "5!", (80, 24)), @r#"
    Yonmoque  sample:random - sample:random
    Yonmoque, ply 5: White to move        The match begins
                                          sample:random (seat 0) is ready
      5   B  [ ] ( ) [ ]  W               sample:random (seat 1) is ready
      4  [ ] (W) [ ] ( ) [ ]            1 sample:random (seat 0) places a piece on a
      3  ( ) [ ]  .  [ ] ( )            2 sample:random (seat 1) places a piece on b
      2  [B] ( ) [ ] ( ) [ ]            3 sample:random (seat 0) places a piece on a
      1   B  [ ] ( ) [ ]  .             4 sample:random (seat 1) places a piece on e
          a   b   c   d   e         >   5 sample:random (seat 0) places a piece on a
                                        6 sample:random (seat 1) places a piece on c
    in hand: Blue 3, White 4            7 sample:random (seat 0) places a piece on d
    ( ) blue squares, [ ] white         8 sample:random (seat 1) places a piece on e
    squares, the others neutral; B      9 sample:random (seat 0) places a piece on b
    blue pieces, W white               10 sample:random (seat 1) moves e3 to e4
                                       11 sample:random (seat 0) moves b3 to b2
                                       12 sample:random (seat 1) moves b4 to a3
                                       13 sample:random (seat 0) places a piece on d
                                       14 sample:random (seat 1) moves e4 to d3
                                       15 sample:random (seat 0) moves d2 to e1
                                       16 sample:random (seat 1) moves e5 to d5
    sample:random (seat 0) places a piece on a5
    seat 0: a5 after 0.014 ms, 10000.000 ms left
    step 7 of 23, ply 5 ────────────────────────────────────────────────────────────
    ? keys  q quit  ←→ step  space play (1000 ms)  c chance  f fault  v view  n note
    "#);
    }

    #[test]
    fn a_small_screen_has_the_board_and_what_happened() {
        assert_snapshot!(screen(&replay("flip4-2"), ">>>>", (40, 20)), @r#"
    FLIP 4  sample:random - sample:random
    FLIP 4, turn 1: seat 1 to place on 1 or
    2 or 3

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   |      |      |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1* |   3* |  36  |
      |      |      |      |      |      |
      +------+------+------+------+------+
      |  30  |   2* |   5  |   0  |  20  |
      |      |      |      |      |      |
    Chance: the dice show 2 and 1: 2+1=3,
    2-1=1, 2x1=2
    step 4 of 31, ply 0 ────────────────────
    ? keys  q quit  ←→ step  space play (100
    "#);
    }

    #[test]
    fn the_end_has_the_places() {
        assert_snapshot!(screen(&replay("yonmoque-2"), "$", (80, 20)), @r#"
    Yonmoque  sample:random - sample:random
    Yonmoque, ply 20: Draw: limit       8 sample:random (seat 1) places a piece on e
                                        9 sample:random (seat 0) places a piece on b
      5   .  [ ] ( ) [W]  .            10 sample:random (seat 1) moves e3 to e4
      4  [B] ( ) [ ] (W) [ ]           11 sample:random (seat 0) moves b3 to b2
      3  (W) [W]  .  [ ] ( )           12 sample:random (seat 1) moves b4 to a3
      2  [ ] (W) [W] ( ) [ ]           13 sample:random (seat 0) places a piece on d
      1   B  [B] (W) [ ]  B            14 sample:random (seat 1) moves e4 to d3
          a   b   c   d   e            15 sample:random (seat 0) moves d2 to e1
                                       16 sample:random (seat 1) moves e5 to d5
    in hand: Blue 0, White 1           17 sample:random (seat 0) moves a2 to b1
    ( ) blue squares, [ ] white        18 sample:random (seat 1) moves d3 to c2
    squares, the others neutral; B     19 sample:random (seat 0) moves a5 to a4
    blue pieces, W white               20 sample:random (seat 1) places a piece on b
                                    >     Over: draw: limit
    Over: draw: limit
    place 1: seat 0, sample:random, points ½
    place 1: seat 1, sample:random, points ½
    step 23 of 23, ply 20 ──────────────────────────────────────────────────────────
    ? keys  q quit  ←→ step  space play (1000 ms)  c chance  f fault  v view  n note
    "#);
    }

    #[test]
    fn keys_are_listed() {
        assert_snapshot!(screen(&replay("yonmoque-2"), "?", (60, 20)), @r#"
    Yonmoque  sample:random - sample:random
          → l  next step
          ← h  previous step
    PgDn PgUp  ten steps
     Home End  start, end
     12 Enter  ply 12
          c C  next, previous chance event
          x X  next, previous fault
          v V  another view
            n  notes
        space  play, pause
          + -  faster, slower
          ↑ ↓  scroll; q quits




    The match begins
    step 0 of 23, ply 0 ────────────────────────────────────────
    ? keys  q quit  ←→ step  space play (1000 ms)  c chance  f f
    "#);
    }

    #[test]
    fn every_size_and_every_step_of_every_game_can_be_drawn() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/record");
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap_or_default();
            let Ok(replay) = MatchReplay::read(&text, Viewer::Open) else {
                continue;
            };
            let mut keys = String::new();
            for _ in 0..replay.steps.len() {
                for size in [(1, 1), (3, 12), (40, 20), (80, 24), (200, 60)] {
                    screen(&replay, &keys, size);
                    screen(&replay, &format!("{keys}v?"), size);
                }
                keys.push('>');
            }
        }
    }
}
