//! The module that echoes lines, and the lines.

/// A module that answers every line with the same short line.
const MODULE: &str = include_str!("../../../sandbox/tests/bots/echo.wat");

/// The module as an engine reads it.
pub(super) fn echo_binary() -> Vec<u8> {
    wat::parse_str(MODULE).expect("the text of the module is right")
}

pub(super) fn line(length: usize) -> Vec<u8> {
    let mut line = vec![b'x'; length.max(1)];
    *line.last_mut().expect("it has a byte at least") = b'\n';
    line
}
