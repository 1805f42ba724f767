//! The terminal while ratatui draws on it: another page than the one with the shell's lines, no cursor, no echo of
//! keys. When the screen is dropped, when any thread panics, and when a caller calls `leave` or `while_away` for a
//! signal, the terminal is as it was. What is drawn is the caller's.

use std::fs::File;
use std::io::{Result, Write};
use std::mem::{replace, take};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, Once};

use flipside_sandbox::lock::lock;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use ratatui::crossterm::{cursor, execute, queue};
use ratatui::{Frame, Terminal};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use terminal_size::terminal_size_of;

use crate::output;

/// The terminal of the screen; none: there is no screen.
static TAKEN: Mutex<Option<TakenTerminal>> = Mutex::new(None);

/// Held while a frame is drawn, and by those who give the terminal back, who would tear the frame. `TAKEN` is not held
/// that long, because code that draws may panic, and the panic is told on the page of the shell.
static DRAWING: Mutex<()> = Mutex::new(());

/// Who hears the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The terminal, which makes signals of Ctrl-C and its like.
    Signals,
    /// The program, also Ctrl-C.
    Program,
}

struct TakenTerminal {
    file: File,
    keys: Keys,
    /// The settings of the terminal before.
    settings: Termios,
    page: Page,
}

/// What the page of the screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    /// The last frame.
    Frame,
    /// Anything: all of the next frame is drawn, not only what changes.
    Unknown,
    /// Nothing, because the process stops or ends, and the terminal shows the page of the shell.
    Away,
}

impl TakenTerminal {
    fn take(&mut self) -> Result<()> {
        self.page = Page::Unknown;
        // The shell may have changed them while the process was stopped.
        self.settings = tcgetattr(&self.file)?;
        let mut settings = self.settings.clone();
        match self.keys {
            Keys::Signals => settings.local_modes.remove(LocalModes::ECHO),
            Keys::Program => settings.make_raw(),
        }
        tcsetattr(&self.file, OptionalActions::Now, &settings)?;
        execute!(self.file, EnterAlternateScreen, cursor::Hide)
    }

    fn give_back(&mut self) {
        self.page = Page::Away;
        // A frame may have been written in part. If the terminal is gone, there is nobody to tell.
        let _ = execute!(
            self.file,
            EndSynchronizedUpdate,
            cursor::Show,
            LeaveAlternateScreen
        );
        let _ = tcsetattr(&self.file, OptionalActions::Now, &self.settings);
    }
}

/// A screen that can be drawn on. Dropping it gives the terminal back.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<FrameBytes>>,
    frame: FrameBytes,
    file: File,
}

/// What ratatui writes of a frame. It is kept until the frame is complete: code that draws may panic, and what was
/// written of its frame until then must not come on the page of the shell.
#[derive(Clone, Default)]
struct FrameBytes(Arc<Mutex<Vec<u8>>>);

impl FrameBytes {
    fn take(&self) -> Vec<u8> {
        take(&mut lock(&self.0))
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: ratatui flushes in the middle of a frame.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Screen {
    /// Whether there can be a screen on this stream: a terminal whose size is known, and whose cursor can be moved.
    pub(crate) fn fits(stream: &impl AsFd) -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
        terminal_size_of(stream).is_some() && !is_dumb
    }

    /// Opens the screen on the terminal behind this stream. From now on, notes wait until it is gone.
    ///
    /// # Errors
    /// When this is no terminal, or it cannot be written.
    pub(crate) fn open(stream: &impl AsFd, keys: Keys) -> Result<Self> {
        static PANICS: Once = Once::new();
        PANICS.call_once(|| {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // Whoever panics may hold it.
                if let Ok(mut taken) = TAKEN.try_lock() {
                    end(&mut taken);
                }
                tell(panic);
            }));
        });
        let file = || stream.as_fd().try_clone_to_owned().map(File::from);
        let taken = TakenTerminal {
            file: file()?,
            keys,
            settings: tcgetattr(stream)?,
            page: Page::Away,
        };
        let frame = FrameBytes::default();
        let screen = Screen {
            terminal: Terminal::new(CrosstermBackend::new(frame.clone()))?,
            frame,
            file: file()?,
        };
        self::taken().insert(taken).take()?;
        output::hold();
        Ok(screen)
    }

    /// Draws a frame, if the terminal has not been given back.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        let _drawing = lock(&DRAWING);
        let page = match taken().as_mut() {
            Some(taken) if taken.page != Page::Away => replace(&mut taken.page, Page::Frame),
            _ => return Ok(()),
        };
        queue!(self.frame, BeginSynchronizedUpdate)?;
        if page == Page::Unknown {
            // Not `Terminal::clear`, which asks the terminal where the cursor is, and waits for the answer among the
            // keys.
            let size = self.terminal.size()?;
            self.terminal.resize(size.into())?;
        }
        self.terminal.draw(draw)?;
        queue!(self.frame, EndSynchronizedUpdate)?;
        self.file.write_all(&self.frame.take())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Gives the terminal back, if there is a screen; what was said meanwhile is said now.
pub(crate) fn leave() {
    let _drawing = lock(&DRAWING);
    end(&mut taken());
}

fn end(taken: &mut Option<TakenTerminal>) {
    if let Some(mut taken) = taken.take() {
        taken.give_back();
        output::release();
    }
}

/// Gives the terminal back, runs `what`, and takes the terminal again.
pub(crate) fn while_away<R>(what: impl FnOnce() -> R) -> R {
    {
        let _drawing = lock(&DRAWING);
        taken().iter_mut().for_each(TakenTerminal::give_back);
    }
    let done = what();
    if let Some(taken) = &mut *taken() {
        // A terminal that cannot be written is told by the next frame.
        let _ = taken.take();
    }
    done
}

/// Has all of the next frame drawn, because others may have written on the terminal.
pub(crate) fn redraw() {
    if let Some(taken) = taken().as_mut().filter(|taken| taken.page != Page::Away) {
        taken.page = Page::Unknown;
    }
}

fn taken() -> MutexGuard<'static, Option<TakenTerminal>> {
    lock(&TAKEN)
}

#[cfg(test)]
mod tests {
    use std::env::{current_exe, var_os};
    use std::io::stdout;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn after_a_panic_in_a_frame_the_terminal_is_given_back() {
        const ON_TERMINAL: &str = "FLIPSIDE_TEST_ON_TERMINAL";
        if var_os(ON_TERMINAL).is_some() {
            let mut screen = Screen::open(&stdout(), Keys::Program).unwrap();
            screen
                .draw(|frame| frame.render_widget("drawn", frame.area()))
                .unwrap();
            // All of the next frame is drawn, so that much is written before the panic.
            redraw();
            screen.draw(|_| panic!("a frame is not drawn")).unwrap();
        }
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = format!("{module}::after_a_panic_in_a_frame_the_terminal_is_given_back");
        let itself = current_exe().unwrap();
        let itself = itself.display();
        let command = format!(
            "stty rows 30 cols 90; '{itself}' --exact {test} --nocapture --test-threads 1; stty -a"
        );
        let output = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("TERM", "xterm")
            .env(ON_TERMINAL, "1")
            .stdin(Stdio::null())
            .output()
            .expect("util-linux is there");
        let seen = String::from_utf8(output.stdout).unwrap();
        let (page, after) = seen.rsplit_once("\x1b[?1049l").expect("the page is left");
        assert!(page.contains("drawn"), "{seen:?}");
        let (_, frame) = page.rsplit_once("\x1b[?2026h").expect("a frame was drawn");
        assert!(frame.contains("\x1b[?2026l"), "no update is open: {seen:?}");
        assert!(page.ends_with("\x1b[?2026l\x1b[?25h"), "{seen:?}");
        assert!(after.contains("a frame is not drawn"), "{seen:?}");
        assert!(!after.contains('\x1b'), "nothing of the frame: {seen:?}");
        assert!(
            after.contains(" echo ") && after.contains(" icanon "),
            "{seen:?}"
        );
    }
}
