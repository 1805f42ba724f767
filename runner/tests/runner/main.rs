//! Tournaments as a user of the library plays them.

mod archives;
mod kill;
mod million;

/// A salt.
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
