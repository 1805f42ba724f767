//! Room in a folder of files that can be made or fetched again: the oldest go first.

use std::path::Path;
use std::{fs, io};

/// What a file in such a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// It may go.
    Spare,
    /// Somebody uses it.
    Used,
    /// Nobody will finish writing it: it goes at once.
    Broken,
    /// It is none of them, and does not count.
    Other,
}

/// Removes spare files of a folder, the oldest first, until all that count take no more than this together, in bytes.
/// Returns the names of those that went. A folder that is not there has room.
///
/// # Errors
/// [`QuotaExceeded`](io::ErrorKind::QuotaExceeded) when those that are used take more; or when the folder cannot be
/// read or a file not be removed.
pub fn make_room(
    folder: &Path,
    most: u64,
    what: impl Fn(&str) -> FileUse,
) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let (mut spare, mut all) = (Vec::new(), 0);
    for entry in entries {
        let entry = entry?;
        let found = entry.metadata()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        match what(&name) {
            _ if !found.is_file() => {}
            FileUse::Other => {}
            FileUse::Broken => fs::remove_file(entry.path())?,
            FileUse::Used => all += found.len(),
            FileUse::Spare => {
                all += found.len();
                spare.push((found.modified()?, name, found.len()));
            }
        }
    }
    spare.sort();
    let mut removed = Vec::new();
    for (_, name, size) in spare {
        if all <= most {
            break;
        }
        fs::remove_file(folder.join(&name))?;
        all -= size;
        removed.push(name);
    }
    match all <= most {
        true => Ok(removed),
        false => Err(io::Error::new(
            io::ErrorKind::QuotaExceeded,
            "the files that are used take all the room",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn the_oldest_files_that_nobody_uses_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let files = [
            ("used", 9),
            ("other", 8),
            ("old", 5),
            (".half", 4),
            ("young", 1),
        ];
        for (name, age) in files {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        }
        fs::create_dir(folder.path().join("folder")).unwrap();
        let room = |most| {
            make_room(folder.path(), most, |name| match name {
                "used" => FileUse::Used,
                "other" => FileUse::Other,
                ".half" => FileUse::Broken,
                _ => FileUse::Spare,
            })
        };
        assert_eq!(room(300).unwrap(), Vec::<String>::new());
        assert!(!folder.path().join(".half").exists());
        assert_eq!(room(299).unwrap(), ["old"]);
        assert_eq!(room(100).unwrap(), ["young"]);
        let error = room(99).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        assert!(folder.path().join("used").exists() && folder.path().join("other").exists());
        // Before the first file comes.
        let none = folder.path().join("none");
        assert_eq!(
            make_room(&none, 0, |_| FileUse::Spare).unwrap(),
            Vec::<String>::new()
        );
    }
}
