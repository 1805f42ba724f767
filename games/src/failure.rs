//! What is known of the program of a game, and how one fails.

/// How a game program failed: the fault of nobody at the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program of the game {game} failed at {step:?}: {what}")]
pub struct GameFailure {
    /// The id of the game.
    pub game: String,
    /// The type of the request that it did not answer as it should; `start` where it did not start.
    pub step: &'static str,
    /// What it did, with what it wrote.
    pub what: String,
}

/// What is known of the program of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFacts {
    /// The SHA-256 of the program, in hexadecimal digits.
    pub sha256: String,
    /// The rules for people, in Markdown.
    pub rules: String,
    /// The line with which it describes itself.
    pub description: String,
}
