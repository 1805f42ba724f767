//! The arena as a user of the library has it.

mod permissions;
mod swiss;

/// A salt.
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
