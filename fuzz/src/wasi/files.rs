//! The files that a guest may have, and what plain rules say of them.

use std::path::{Component, Path};

use flipside_sandbox::DirectFile;

/// The files, in the order of a bundle.
pub(super) const FILES: &[(&str, DirectFile<'static>)] = &[
    (
        "a",
        DirectFile::File(b"the text of the file a, and no newline"),
    ),
    ("bot.toml", DirectFile::File(b"command = ['sh']\n")),
    ("broken", DirectFile::Link("nothing")),
    ("d", DirectFile::Folder),
    ("d/back", DirectFile::Link("../a")),
    ("d/deep", DirectFile::Folder),
    ("d/deep/empty", DirectFile::Folder),
    ("d/deep/top", DirectFile::Link("../..")),
    ("d/e", DirectFile::File(b"")),
    ("gnir", DirectFile::Link("ring")),
    ("ring", DirectFile::Link("gnir")),
    ("to-d", DirectFile::Link("./d/")),
    ("\u{e9}", DirectFile::File(&[0x80; 300])),
];

/// The most links on the way to a file.
const MAX_LINKS: usize = 40;

/// The longest name and the longest path, in bytes.
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 4095;

/// What lies at a place, which is a path without links; the bundle's own folder has none.
pub(super) fn at(place: &str) -> Option<DirectFile<'static>> {
    match place {
        "" => Some(DirectFile::Folder),
        _ => FILES.iter().find(|(path, _)| *path == place).map(|it| it.1),
    }
}

/// The place that a path leads to from a folder, which it may not leave.
pub(super) fn place(start: &str, path: &str, follow: bool) -> Option<String> {
    let fits = |path: &str| !path.is_empty() && !path.starts_with('/');
    if !fits(path) || path.len() > LONGEST_PATH || path.contains('\0') {
        return None;
    }
    let mut rest: Vec<String> = path.split('/').map(str::to_owned).collect();
    let mut here = start.to_owned();
    let mut links = 0;
    while !rest.is_empty() {
        let part = rest.remove(0);
        if at(&here)? != DirectFile::Folder || part.len() > LONGEST_NAME {
            return None;
        }
        match &*part {
            "" | "." => {}
            ".." if here == start => return None,
            ".." => {
                let around = here.rsplit_once('/').map_or("", |(around, _)| around);
                here = around.to_owned();
            }
            name => {
                let next = child(&here, name);
                match at(&next)? {
                    DirectFile::Link(to) if follow || !rest.is_empty() => {
                        links += 1;
                        if links > MAX_LINKS || !fits(to) {
                            return None;
                        }
                        rest.splice(0..0, to.split('/').map(str::to_owned));
                    }
                    _ => here = next,
                }
            }
        }
    }
    Some(here)
}

/// The place that a path tells of: without following, a single name is that entry, whatever slashes follow it.
pub(super) fn told_place(start: &str, path: &str, follow: bool) -> Option<String> {
    let mut parts = Path::new(path).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if !follow => {
            let next = child(start, name.to_str()?);
            at(&next).map(|_| next)
        }
        _ => place(start, path, follow),
    }
}

fn child(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    }
}

/// The names that a listing of a folder has, with the type of each.
pub(super) fn names(folder: &str) -> Vec<(&'static str, u8)> {
    let held = FILES.iter().filter_map(|(path, file)| {
        let (around, name) = path.rsplit_once('/').unwrap_or(("", path));
        (around == folder).then(|| (name, type_of(*file)))
    });
    let own = [(".", 3), ("..", 3)];
    own.into_iter().chain(held).collect()
}

/// The number of a type of files.
pub(super) fn type_of(file: DirectFile<'_>) -> u8 {
    match file {
        DirectFile::Folder => 3,
        DirectFile::File(_) => 4,
        DirectFile::Link(_) => 7,
    }
}

/// The size that is told of a file.
pub(super) fn size_of(file: DirectFile<'_>) -> u64 {
    match file {
        DirectFile::Folder => 0,
        DirectFile::File(bytes) => bytes.len() as u64,
        DirectFile::Link(to) => to.len() as u64,
    }
}
