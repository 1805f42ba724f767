//! What a program is shown of the machine besides the system's folders: its own file, and where its
//! interpreter is installed when that is somewhere else, such as a Python below a home folder.
//!
//! The first line of a script is its author's, who may be a stranger. So only interpreters that are in
//! this user's own PATH, and known by name, are looked for outside of the system's folders, and what
//! is shown of them is never a home folder.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::Program;
use crate::jail::root::SYSTEM;

/// Where a bot's own file is, inside.
const OWN: &str = "/bot";

/// The path where ours has nothing that a bot sees.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The longest first line of a script that is looked at.
const LONGEST_LINE: u64 = 4096;

/// Interpreters that may be installed outside of the system's folders, in a folder of their own with
/// a folder `bin`. Python is asked where it is installed.
const INTERPRETERS: [&str; 14] = [
    "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit", "julia", "guile",
    "racket", "tclsh", "bash",
];

/// What tells where a Python is installed, a line each.
const ASK_PYTHON: &str =
    "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')";

/// What is shown to a program, and where it finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// `(outside, inside)`.
    pub(crate) paths: Vec<(PathBuf, PathBuf)>,
    /// The program, inside.
    pub(crate) program: PathBuf,
    /// Where it looks for other programs.
    pub(crate) path: OsString,
}

impl Shown {
    pub(crate) fn of(program: &Program) -> Self {
        let file = program.path();
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let installed = interpreter(file).and_then(|named| named.find(&ours));
        let mut paths = Vec::new();
        let inside = if of_the_system(file) {
            file.to_path_buf()
        } else {
            let inside = Path::new(OWN).join(file.file_name().unwrap_or("bot".as_ref()));
            paths.push((file.to_path_buf(), inside.clone()));
            inside
        };
        let mut path: Vec<PathBuf> = Vec::new();
        if let Some(installed) = installed {
            path.push(installed.bin);
            for folder in installed.folders {
                paths.push((folder.clone(), folder));
            }
        }
        path.extend(std::env::split_paths(&ours).filter(|folder| of_the_system(folder)));
        let path = match path.is_empty() {
            true => PATH.into(),
            false => std::env::join_paths(path).unwrap_or_else(|_| PATH.into()),
        };
        Shown {
            paths,
            program: inside,
            path,
        }
    }
}

/// Whether a path lies in what every bot sees, under its own name and where it leads.
fn of_the_system(path: &Path) -> bool {
    let within = |path: &Path| SYSTEM.iter().any(|folder| path.starts_with(folder));
    within(path) && path.canonicalize().is_ok_and(|path| within(&path))
}

/// The interpreter that the first line of a script names.
#[derive(Debug, PartialEq, Eq)]
enum Interpreter {
    /// By its path.
    Path(PathBuf),
    /// By its name, which `env` looks for.
    Name(OsString),
}

/// Where an interpreter is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Installed {
    /// The folder of the program itself.
    bin: PathBuf,
    /// What it needs.
    folders: Vec<PathBuf>,
}

fn interpreter(file: &Path) -> Option<Interpreter> {
    let mut line = Vec::new();
    let mut file = BufReader::new(File::open(file).ok()?.take(LONGEST_LINE));
    // A binary has no lines; its first bytes tell.
    if !file.fill_buf().ok()?.starts_with(b"#!") {
        return None;
    }
    file.read_until(b'\n', &mut line).ok()?;
    first_line(&line)
}

fn first_line(line: &[u8]) -> Option<Interpreter> {
    let mut words = line
        .strip_prefix(b"#!")?
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let path = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
    if path.file_name() != Some(OsStr::new("env")) {
        return Some(Interpreter::Path(path));
    }
    let name = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
    Some(Interpreter::Name(OsStr::from_bytes(name).into()))
}

impl Interpreter {
    /// Where it is installed, if that is outside of the system's folders and in this user's path.
    fn find(&self, path: &OsStr) -> Option<Installed> {
        let folders = || std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let file = match self {
            Interpreter::Name(name) => folders()
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())?,
            Interpreter::Path(file) => {
                let folder = file.parent()?;
                folders().find(|one| one == folder).map(|_| file.clone())?
            }
        };
        if of_the_system(&file) {
            return None;
        }
        installed(&file)
    }
}

/// Looked up once for each interpreter: to ask one takes time.
fn installed(file: &Path) -> Option<Installed> {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Option<Installed>>>> =
        LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(file) {
        return found.clone();
    }
    let name = file.file_name()?.to_string_lossy();
    let found = if name.starts_with("python") || name.starts_with("pypy") {
        ask_python(file)
    } else if INTERPRETERS
        .contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
    {
        by_its_place(file)
    } else {
        None
    };
    known.insert(file.into(), found.clone());
    found
}

fn ask_python(file: &Path) -> Option<Installed> {
    let asked = Command::new(file)
        .args(["-I", "-c", ASK_PYTHON])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(asked.stdout).ok()?;
    let mut lines = text.lines().map(PathBuf::from);
    let (program, prefix, base) = (lines.next()?, lines.next()?, lines.next()?);
    let mut folders = vec![prefix, base];
    folders.dedup();
    // The program may be a link out of an environment into the installation.
    if let Some(real) = program.canonicalize().ok().as_deref().and_then(prefix_of)
        && !folders.iter().any(|folder| real.starts_with(folder))
    {
        folders.push(real);
    }
    folders.retain(|folder| !of_the_system(folder));
    folders
        .iter()
        .all(|folder| is_of_its_own(folder))
        .then_some(())?;
    Some(Installed {
        bin: program.parent()?.into(),
        folders,
    })
}

fn by_its_place(file: &Path) -> Option<Installed> {
    let real = file.canonicalize().ok()?;
    let prefix = prefix_of(&real).filter(|prefix| is_of_its_own(prefix))?;
    Some(Installed {
        bin: real.parent()?.into(),
        folders: vec![prefix],
    })
}

/// The folder around the folder `bin` of a program.
fn prefix_of(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    (bin.file_name()? == "bin").then(|| bin.parent().map(Path::to_path_buf))?
}

/// Whether a folder may be shown as a whole: not one that holds what people keep, or where they work.
fn is_of_its_own(folder: &Path) -> bool {
    let holds = |path: Option<PathBuf>| path.is_some_and(|path| path.starts_with(folder));
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let shared = [".local", ".cargo", ".config", "usr", "home", "root", "tmp"];
    folder.is_absolute()
        && folder.is_dir()
        && folder.components().count() > 1
        && !folder
            .file_name()
            .is_some_and(|name| shared.iter().any(|one| name == *one))
        && !holds(home.as_ref().and_then(|home| home.canonicalize().ok()))
        && !holds(home)
        && !holds(std::env::current_dir().ok())
        && !holds(Some(std::env::temp_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_an_interpreter() {
        let name = |text: &str| Some(Interpreter::Name(text.into()));
        for (line, expected) in [
            ("#!/usr/bin/env python3\n", name("python3")),
            ("#! /usr/bin/env -S A=b node --x\n", name("node")),
            ("#!/bin/sh -e\n", Some(Interpreter::Path("/bin/sh".into()))),
            ("#!\n", None),
            ("#!/usr/bin/env\n", None),
            ("import sys\n", None),
        ] {
            assert_eq!(first_line(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_system_program_is_shown_where_it_is() {
        let program = Program::command("/bin/sh", ["-c", "true"]).unwrap();
        let shown = Shown::of(&program);
        assert_eq!(shown.program, Path::new("/bin/sh"));
        assert_eq!(shown.paths, []);
    }

    #[test]
    fn any_other_program_is_shown_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my bot");
        std::fs::copy("/bin/sh", &file).unwrap();
        let shown = Shown::of(&Program::open(&file).unwrap());
        assert_eq!(shown.paths, [(file, PathBuf::from("/bot/my bot"))]);
    }

    #[test]
    fn no_folder_of_people_is_shown() {
        let home = std::env::var_os("HOME").unwrap_or("/".into());
        for folder in ["/", "/usr", "/nowhere", "relative"]
            .iter()
            .map(OsStr::new)
            .chain([&*home])
        {
            assert!(!is_of_its_own(Path::new(folder)), "{}", folder.display());
        }
        // A stranger's script cannot have any folder shown by calling its program an interpreter.
        let named = Interpreter::Path("/etc/ssh/bin/python3".into());
        assert_eq!(named.find(OsStr::new("/usr/bin:/bin")), None);
    }
}
