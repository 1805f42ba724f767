//! The error of a machine that does not give a part of the isolation.

use std::io;

use flipside_jail::Layer;

/// A wall that this machine does not give, and so a bot that is not started.
#[derive(Debug, thiserror::Error)]
#[error("this machine lacks a part of the isolation: \"{wall}\" ({}): {doing}: {source}", wall.what())]
pub struct UnavailableLayer {
    /// The wall.
    pub wall: Layer,
    /// What was tried, in a few words.
    pub doing: String,
    /// The system's reason.
    pub source: io::Error,
}

impl UnavailableLayer {
    pub(crate) fn new(wall: Layer, doing: &str, error: impl Into<io::Error>) -> Self {
        UnavailableLayer {
            wall,
            doing: doing.into(),
            source: error.into(),
        }
    }

    /// How to get it, and the way without.
    pub fn hint(&self) -> String {
        format!(
            "{}. `flipside doctor` tests every part; --trust starts bots without isolation, \
             for programs that you trust",
            self.wall.hint()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_way_out() {
        let missing =
            UnavailableLayer::new(Layer::Users, "making it", io::Error::from_raw_os_error(1));
        let text = missing.to_string();
        assert!(
            text.contains("\"users\" (a user namespace): making it"),
            "{text}"
        );
        assert!(missing.hint().contains("--trust"));
    }
}
