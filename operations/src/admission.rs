//! Bots that come over the network, and the names that they may not take.

use std::path::Path;

use flipside_sample_bots::SAMPLES;
use flipside_sandbox::{bundle, is_module};
use flipside_tournament::BUNDLE_ENDING;

/// How many bytes of a file tell what it is.
pub const RECEIVED_HEAD: usize = 64 << 10;

/// The ending that a bot's file gets, from its first [`RECEIVED_HEAD`] bytes; nothing: it is no bot. A script begins
/// with `#!`, a program is an ELF file, a module begins as WebAssembly or as its text, a bundle is packed.
pub fn received_ending(head: &[u8]) -> Option<&'static str> {
    const PROGRAM: &[u8] = b"\x7fELF";
    const SCRIPT: &[u8] = b"#!";
    if bundle::is_packed(head) {
        return Some(BUNDLE_ENDING);
    }
    if is_module(Path::new(""), head) {
        let is_binary = head.starts_with(b"\0asm");
        return Some(if is_binary { ".wasm" } else { ".wat" });
    }
    let is_program = head.starts_with(PROGRAM) || head.starts_with(SCRIPT);
    is_program.then_some("")
}

/// Whether the arena needs a bot's name for a built-in bot: these have their own names, with parameters or without.
pub fn is_sample_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SAMPLES.iter().any(|sample| {
        let rest = name.strip_prefix(sample.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_file_tells_what_it_is() {
        for (head, ending) in [
            (&b"#!/bin/sh\n"[..], Some("")),
            (b"\x7fELF\x02\x01", Some("")),
            (b"\0asm\x01\0\0\0", Some(".wasm")),
            (b" ;; a bot\n(module)", Some(".wat")),
            (b"\x28\xb5\x2f\xfd\0", Some(".tar.zst")),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"PK\x03\x04", None),
            (b"import sys\n", None),
            (b"", None),
        ] {
            assert_eq!(received_ending(head), ending, "{head:?}");
        }
    }

    #[test]
    fn names_of_samples_are_the_arenas() {
        for name in ["random", "Greedy", "alphabeta-depth-4"] {
            assert!(is_sample_name(name), "{name}");
        }
        for name in ["randomly", "my-random", "ada"] {
            assert!(!is_sample_name(name), "{name}");
        }
    }
}
