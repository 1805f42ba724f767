//! The command, end to end: what it prints, what it stores, what it refuses.

/// The whole seed of this number: tournaments with the same one have the same chance.
macro_rules! seed {
    ($number:literal) => {
        concat!(
            $number,
            "-00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
        )
    };
}

mod accounts;
mod archives;
mod arena_games;
mod bad_input;
mod changes;
mod check;
mod classes;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod debug;
mod exports;
mod formats;
mod fuel;
mod generated;
mod hostile_games;
mod hostile_text;
mod journals;
mod kills;
mod ladders;
mod llm;
#[expect(dead_code, reason = "the tests of the transport use more of it")]
#[path = "../../workers/tests/transport/server.rs"]
mod nats;
mod new;
mod own_games;
mod play;
mod policy;
mod providers;
mod python_env;
mod rating;
mod reference;
mod rerun;
mod result_files;
mod resume;
mod serve;
#[path = "../common/server.rs"]
mod server;
mod shown;
mod signatures;
mod tournaments;
mod verify;
mod versions;
mod watching;
mod ways_out;
mod workers;

/// The text of a record as the journal keeps it.
fn unpacked(zstd: &[u8]) -> String {
    const DICTIONARY: &[u8] = include_bytes!("../../store/src/journal/records-1.dict");
    let decoder = zstd::Decoder::with_dictionary(zstd, DICTIONARY).unwrap();
    std::io::read_to_string(decoder).unwrap()
}
