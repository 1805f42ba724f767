//! Reading the files of `/proc` and of control groups.

use std::fs::File;
use std::io::{self, Read};

/// How much of a file of `/proc` is read at a time.
const PIECE: usize = 2048;

/// Reads a file of `/proc`, which is mostly short: such files have no size, and the standard library would read them in
/// many small pieces.
pub(crate) fn read(path: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    let (mut text, mut piece) = (Vec::new(), [0; PIECE]);
    loop {
        match (&file).read(&mut piece) {
            Ok(0) => break,
            Ok(length) => text.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for length in [0, 1, PIECE, 3 * PIECE + 1] {
            let text = "x".repeat(length);
            std::fs::write(&path, &text).unwrap();
            assert_eq!(read(path.to_str().unwrap()), Some(text));
        }
        assert_eq!(read("/no/such/file"), None);
    }
}
