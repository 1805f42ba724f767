//! What must bear any bytes whatever: each target takes some, hands them to a reader of ours, and
//! panics where a promise is broken. `scripts/fuzz` tries inputs without end; a test tries those
//! that are kept.

mod archive;
mod bundle;
mod journal;
mod notation;
mod options;
mod protocol;
mod record;
mod wasi;

/// A target.
pub struct Target {
    /// Its name, and that of its folder in `corpus/`.
    pub name: &'static str,
    /// Takes some bytes.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "protocol",
        run: protocol::run,
    },
    Target {
        name: "notation",
        run: notation::run,
    },
    Target {
        name: "options",
        run: options::run,
    },
    Target {
        name: "record",
        run: record::run,
    },
    Target {
        name: "journal",
        run: journal::run,
    },
    Target {
        name: "archive",
        run: archive::run,
    },
    Target {
        name: "bundle",
        run: bundle::run,
    },
    Target {
        name: "wasi",
        run: wasi::run,
    },
];

/// The target of a name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The first line, and the rest.
fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// The game that an input's first line names, and for how many seats: `flip4 3 …`, with what else
/// the line has.
fn game_and_seats(line: &str) -> Option<(&'static dyn flipside_games::AnyGame, u8, &str)> {
    let mut words = line.splitn(3, ' ');
    let game = flipside_games::find(words.next()?)?;
    let seats = words.next()?.parse().ok()?;
    Some((game, seats, words.next().unwrap_or_default()))
}
