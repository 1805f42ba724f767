//! What must bear any bytes whatever: each target takes some, hands them to a reader of ours, and
//! panics where a promise is broken. `scripts/fuzz` tries inputs without end; a test tries those
//! that are kept.

mod archive;
mod bundle;
mod heads;
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
