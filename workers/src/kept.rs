//! The files that a worker keeps: as many as there is room for.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The most bytes that the files of bots take in a worker's folder: sixty-four of the largest.
pub(crate) const MOST_FILES: u64 = 16 << 30;

/// Removes the oldest files of a folder that nobody uses, until all take no more than this together; returns their names.
///
/// # Errors
/// When the folder cannot be read, a file not be removed, or those that are used take more.
pub(crate) fn make_room(
    folder: &Path,
    most: u64,
    is_used: impl Fn(&str) -> bool,
) -> io::Result<Vec<String>> {
    let (mut files, mut all) = (Vec::new(), 0);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let found = entry.metadata()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        all += found.len();
        if found.is_file() && !is_used(&name) {
            let written = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((written, name, found.len()));
        }
    }
    files.sort();
    let mut removed = Vec::new();
    for (_, name, size) in files {
        if all <= most {
            break;
        }
        fs::remove_file(folder.join(&name))?;
        all -= size;
        removed.push(name);
    }
    match all <= most {
        true => Ok(removed),
        false => {
            let what = "the bots that are played take all the room that a worker has for files";
            Err(io::Error::new(io::ErrorKind::QuotaExceeded, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_oldest_files_that_nobody_uses_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        for (name, age) in [("used", 9), ("old", 5), (".tmpleft", 4), ("young", 1)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        }
        let room = |most| make_room(folder.path(), most, |name| name == "used");
        assert_eq!(room(400).unwrap(), Vec::<String>::new());
        assert_eq!(room(250).unwrap(), ["old", ".tmpleft"]);
        assert_eq!(room(100).unwrap(), ["young"]);
        let error = room(99).unwrap_err();
        assert!(error.to_string().contains("all the room"), "{error}");
        assert!(folder.path().join("used").exists());
        // Before the first is fetched.
        assert!(
            make_room(&folder.path().join("none"), 0, |_| false)
                .unwrap()
                .is_empty()
        );
    }
}
