//! The terminal while a screen is drawn on it: another page than the one with the shell's lines, no cursor,
//! no echo of keys; signals come through as ever. However the process ends that can be caught, the terminal
//! is as it was.

use std::io::{Write, stderr};
use std::sync::{Mutex, MutexGuard, Once};

use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{cursor, queue};
use flipside_sandbox::lock::lock;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::layout::{ScreenLine, TextStyle};
use crate::output;

/// The size where the terminal does not tell one.
const USUAL_SIZE: (u16, u16) = (80, 24);

/// How the terminal was before the screen; none: there is no screen.
static BEFORE: Mutex<Option<TerminalBefore>> = Mutex::new(None);

struct TerminalBefore {
    /// The terminal's settings, if standard error can tell them.
    settings: Option<Termios>,
    /// Whether the process is stopped, or ends: nobody draws then.
    is_away: bool,
}

/// A screen that can be drawn on.
pub(super) struct Screen(());

impl Screen {
    /// # Errors
    /// When the terminal cannot be written.
    pub(super) fn open() -> std::io::Result<Self> {
        static PANICS: Once = Once::new();
        PANICS.call_once(|| {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // Whoever panics may hold it.
                if let Ok(mut before) = BEFORE.try_lock() {
                    give_back(&mut before);
                }
                tell(panic);
            }));
        });
        let mut before = before();
        let settings = enter()?;
        *before = Some(TerminalBefore {
            settings,
            is_away: false,
        });
        output::hold();
        Ok(Screen(()))
    }

    /// Columns and rows, as they are now.
    pub(super) fn size(&self) -> (usize, usize) {
        let told = terminal_size::terminal_size_of(stderr());
        let (width, height) = told.map_or(USUAL_SIZE, |(width, height)| (width.0, height.0));
        (width.into(), height.into())
    }

    /// Draws all lines, as one piece.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(super) fn draw(&mut self, lines: &[ScreenLine]) -> std::io::Result<()> {
        let before = before();
        if before.as_ref().is_none_or(|before| before.is_away) {
            return Ok(());
        }
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate, cursor::MoveTo(0, 0))?;
        for (row, line) in (0..).zip(lines) {
            queue!(out, cursor::MoveTo(0, row))?;
            let attribute = match line.look {
                TextStyle::Plain => Attribute::Reset,
                TextStyle::Strong => Attribute::Bold,
                TextStyle::Faint => Attribute::Dim,
            };
            queue!(out, SetAttribute(attribute))?;
            out.write_all(line.text.as_bytes())?;
            queue!(
                out,
                SetAttribute(Attribute::Reset),
                Clear(ClearType::UntilNewLine)
            )?;
        }
        queue!(out, Clear(ClearType::FromCursorDown), EndSynchronizedUpdate)?;
        let mut terminal = stderr().lock();
        terminal.write_all(&out)?;
        terminal.flush()
    }
}

/// Gives the terminal back, if there is a screen; what was said meanwhile is said now.
pub(crate) fn leave() {
    give_back(&mut before());
}

fn give_back(before: &mut Option<TerminalBefore>) {
    if let Some(before) = before.take() {
        restore(&before);
        output::release();
    }
}

/// Does something with the terminal given back, as stopping the process; after that the screen is back.
pub(crate) fn while_away(what: impl FnOnce()) {
    if let Some(before) = &mut *before() {
        before.is_away = true;
        restore(before);
    }
    what();
    if let Some(before) = &mut *self::before() {
        if let Ok(settings) = enter() {
            before.settings = settings;
        }
        before.is_away = false;
    }
}

fn before() -> MutexGuard<'static, Option<TerminalBefore>> {
    lock(&BEFORE)
}

/// Turns to the other page, and the echo off; gives the settings as they were.
fn enter() -> std::io::Result<Option<Termios>> {
    let mut out = stderr();
    queue!(
        out,
        EnterAlternateScreen,
        cursor::Hide,
        Clear(ClearType::All)
    )?;
    out.flush()?;
    let settings = tcgetattr(&out).ok();
    if let Some(mut quiet) = settings.clone() {
        quiet.local_modes.remove(LocalModes::ECHO);
        // Keys that are seen are no harm.
        let _ = tcsetattr(&out, OptionalActions::Now, &quiet);
    }
    Ok(settings)
}

fn restore(before: &TerminalBefore) {
    let mut out = stderr();
    if let Some(settings) = &before.settings {
        // There is nobody to tell.
        let _ = tcsetattr(&out, OptionalActions::Now, settings);
    }
    let _ = queue!(
        out,
        SetAttribute(Attribute::Reset),
        cursor::Show,
        LeaveAlternateScreen
    );
    let _ = out.flush();
}
