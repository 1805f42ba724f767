//! How the program of a game is reached. Who uses this crate says how it is started and asked.

/// How a running game program is asked. To drop it ends the program.
pub trait GameLink: Send {
    /// Writes a line, without its newline, and returns the line that comes back.
    ///
    /// # Errors
    /// Says why there is none: the program has ended, is late or exceeds a limit. After one, it is not asked again.
    fn exchange(&mut self, request: &str) -> Result<&str, String>;

    /// Hears that no match needs the program: it may end when it has waited for long.
    fn rest(&mut self) {}

    /// Hears that a match needs the program, and returns whether it still runs.
    fn wake(&mut self) -> bool {
        true
    }
}

/// Starts the program of a game.
pub trait GameHost: Send + Sync {
    /// Starts it once more.
    ///
    /// # Errors
    /// Says why it does not start.
    fn start(&self) -> Result<Box<dyn GameLink>, String>;
}
