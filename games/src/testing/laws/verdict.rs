//! What a law says to a match or a game, and how it says so.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a law says to one match or to a game: nothing, or what is wrong. In a match it is wrong where the law looked
/// last.
pub(super) type Verdict = Result<(), String>;

/// Returns with what is wrong, unless something holds.
macro_rules! require {
    ($holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err(format!($($what)+));
        }
    };
}
pub(super) use require;

/// Turns a panic of a game into words.
pub(super) fn calm<T>(judge: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(judge)).map_err(|panic: Box<dyn Any + Send>| {
        let words = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(&words), _) => words,
            (_, Some(words)) => words,
            (None, None) => "without words",
        };
        format!("it panics: {words}")
    })
}
