//! A match on the terminal, step by step, with the keys of a person.

mod keys;
mod layout;

use std::io::stdout;
use std::time::{Duration, Instant};

use flipside_operations::{Failure, MatchReplay, Result};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use self::keys::{KeyOutcome, KeyState};
use crate::output::writing;
use crate::screen::{self, Keys, Screen};

/// How long a signal waits at most.
const LOOK: Duration = Duration::from_millis(250);

/// Shows a match until the person quits.
///
/// # Errors
/// When the terminal cannot be read or written.
pub(crate) fn show(replay: &MatchReplay) -> Result<()> {
    let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT];
    let mut signals = Signals::new(signals).map_err(writing)?;
    let mut screen = Screen::open(&stdout(), Keys::Program).map_err(writing)?;
    let mut frames = replay.frames().map_err(Failure::new)?;
    let mut state = KeyState::of(replay);
    let mut since = Instant::now();
    loop {
        for signal in signals.pending() {
            match signal {
                SIGTSTP => suspend()?,
                // The shell may have written over it.
                SIGCONT => screen::redraw(),
                _ => return Ok(()),
            }
        }
        let board = frames.text(state.at, replay.viewers()[state.view])?;
        screen
            .draw(|frame| layout::draw(frame, replay, &mut state, &board))
            .map_err(writing)?;
        let left = if state.is_playing {
            state.pause().saturating_sub(since.elapsed())
        } else {
            LOOK
        };
        if !event::poll(left.min(LOOK)).map_err(writing)? {
            if state.is_playing && since.elapsed() >= state.pause() {
                state.tick();
                since = Instant::now();
            }
            continue;
        }
        let was_playing = state.is_playing;
        match event::read().map_err(writing)? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match state.press(key) {
                KeyOutcome::Draw => {}
                KeyOutcome::Quit => return Ok(()),
                KeyOutcome::Suspend => suspend()?,
            },
            // Whatever else comes, such as another size, the screen is drawn again.
            _ => {}
        }
        if state.is_playing && !was_playing {
            since = Instant::now();
        }
    }
}

/// Stops the process until it is continued.
fn suspend() -> Result<()> {
    screen::while_away(|| emulate_default_handler(SIGTSTP)).map_err(writing)
}
