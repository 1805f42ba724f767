//! libFuzzer around one target, which `FLIPSIDE_FUZZ` names. See `scripts/fuzz`.
#![no_main]

use std::sync::OnceLock;

use flipside_fuzz::{TARGETS, Target, find};

static CHOSEN: OnceLock<&Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("FLIPSIDE_FUZZ").unwrap_or_default();
        let Some(target) = find(&name) else {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            eprintln!("error: FLIPSIDE_FUZZ names no target, but {name:?}");
            eprintln!("hint: the targets are {}", names.join(", "));
            std::process::exit(2);
        };
        CHOSEN.get_or_init(|| target);
    },
    |bytes: &[u8]| {
        let target = CHOSEN.get().expect("it was chosen at the start");
        (target.run)(bytes);
    }
);
