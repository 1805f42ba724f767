//! What a program is shown of the machine besides the system's folders: its own file, and where its
//! interpreter is installed when that is somewhere else, such as a Python below a home folder.
//!
//! The first line of a script is its author's, who may be a stranger. It picks one of the names that are
//! known here, and nothing else: where that is installed is found in this user's own PATH, by looking and
//! never by running anything, and of an installation only the folders are shown that make it one.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use flipside_jail::SYSTEM;

use crate::bundle::Bundle;
use crate::bundle::manifest::ManifestRun;
use crate::bundle::run::heap_of;
use crate::lock::lock;
use crate::program::Program;

/// Where a bot's own file or folder is, inside.
const OWN: &str = "/bot";

/// The path where ours has nothing that a bot sees.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The longest first line of a script that is looked at.
const LONGEST_LINE: u64 = 4096;

/// The longest text of a tool that says where an interpreter is.
const LONGEST_SETTING: u64 = 64 * 1024;

/// How many links one after the other are followed to an interpreter.
const MAX_LINKS: usize = 16;

/// Interpreters that may be installed outside of the system's folders, in a folder of their own with
/// a folder `bin`. A version may follow the name.
const INTERPRETERS: [&str; 17] = [
    "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit",
    "julia", "guile", "racket", "tclsh", "bash", "java",
];

/// What is shown of an installation: programs and libraries, and not what else lies beside them.
const PARTS: [&str; 11] = [
    "bin",
    "conf",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "share",
    "lib-python",
    "lib_pypy",
    "collects",
    SETTINGS,
];

/// What the names of folders in `/etc` begin with that belong to a runtime and hold no secrets of the machine: a
/// packaged runtime has links into them, or their path is built into it, and it does not start without them.
const CONFIGURED: [&str; 4] = ["java", "mono", "dotnet", "R"];

/// What tells that a folder is an environment of a Python, and where that one is.
const SETTINGS: &str = "pyvenv.cfg";

/// What a program needs besides to find the addresses of others and to know them by their certificates.
const NETWORK_SETTINGS: [&str; 12] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
];

/// Where `env` is, which looks for an interpreter by its name.
const ENV: [&str; 2] = ["/usr/bin/env", "/bin/env"];

/// What is shown to a program, and where it finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Visibility {
    /// `(outside, inside)`.
    pub(crate) paths: Vec<(PathBuf, PathBuf)>,
    /// The same of the folder in which it starts, if it is not the writable one.
    pub(crate) folder: Option<(PathBuf, PathBuf)>,
    /// The program, inside.
    pub(crate) program: PathBuf,
    /// Where it looks for other programs.
    pub(crate) path: OsString,
}

impl Visibility {
    /// What is shown to a program; nothing that contains one of the hidden folders, or lies in one.
    pub(crate) fn of(program: &Program, hidden: &[PathBuf]) -> Self {
        let file = program.path();
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let installed = interpreter(file)
            .and_then(|named| named.find(&ours))
            .filter(|installed| !installed.shows_any(file, hidden));
        let mut paths = Vec::new();
        let inside = if of_the_system(file) {
            file.to_path_buf()
        } else {
            let inside = Path::new(OWN).join(file.file_name().unwrap_or("bot".as_ref()));
            paths.push((file.to_path_buf(), inside.clone()));
            inside
        };
        Visibility::new(paths, None, inside, installed, hidden)
    }

    /// Shows besides what a program needs that uses the network, as far as the machine has it. A link is shown as what it
    /// leads to: that may lie where nothing is shown.
    pub(crate) fn show_network_settings(&mut self) {
        let there = NETWORK_SETTINGS.iter().map(PathBuf::from);
        let there = there.filter(|path| path.exists());
        self.paths.extend(there.map(|path| (path.clone(), path)));
    }

    /// The same with what every program is shown.
    fn new(
        mut paths: Vec<(PathBuf, PathBuf)>,
        folder: Option<(PathBuf, PathBuf)>,
        program: PathBuf,
        installed: Option<Installed>,
        hidden: &[PathBuf],
    ) -> Self {
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let mut path: Vec<PathBuf> = Vec::new();
        if let Some(installed) = installed {
            path.push(installed.bin);
            for part in installed.parts {
                paths.push((part.clone(), part));
            }
        }
        paths.extend(
            configurations()
                .iter()
                .filter(|folder| !hidden.iter().any(|path| path.starts_with(folder)))
                .map(|folder| (folder.clone(), folder.clone())),
        );
        path.extend(std::env::split_paths(&ours).filter(|folder| of_the_system(folder)));
        let path = if path.is_empty() {
            PATH.into()
        } else {
            std::env::join_paths(path).unwrap_or_else(|_| PATH.into())
        };
        Visibility {
            paths,
            folder,
            program,
            path,
        }
    }
}

/// How a bundle is started, or a program of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleStart {
    /// The program, outside.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Where Python finds the bundle's packages, where the bot runs.
    pub(crate) packages: Option<PathBuf>,
}

impl BundleStart {
    /// How a program of one file is started.
    pub(crate) fn alone(program: &Program) -> Self {
        BundleStart {
            program: program.path().into(),
            args: program.args().to_vec(),
            packages: None,
        }
    }

    /// How it is started without isolation, from the folder with its files; with so much memory, in bytes.
    pub(crate) fn trusted(bundle: &Bundle, folder: &Path, memory: u64) -> Result<Self, NotFound> {
        let start = |program: PathBuf, args: &[String], packages: Option<&String>| BundleStart {
            program,
            args: args.iter().map(OsString::from).collect(),
            packages: packages.map(|packages| folder.join(packages)),
        };
        match &bundle.run {
            ManifestRun::Own { path, args } => Ok(start(folder.join(path), args, None)),
            ManifestRun::Program {
                name,
                args,
                packages,
                has_heap,
            } => {
                let program = program_of(name)?.0;
                let mut start = start(program, args, packages.as_ref());
                if *has_heap {
                    start.args.insert(0, heap_of(memory).into());
                }
                Ok(start)
            }
            ManifestRun::Module { path } => Err(NotFound::Nowhere(path.clone())),
        }
    }

    /// How it is started in the jail, and what it is shown.
    pub(crate) fn jailed(
        bundle: &Bundle,
        folder: &Path,
        memory: u64,
        hidden: &[PathBuf],
    ) -> Result<(Visibility, Self), NotFound> {
        let mut start = BundleStart::trusted(bundle, folder, memory)?;
        let own = Path::new(OWN);
        let of_machine = matches!(bundle.run, ManifestRun::Program { .. });
        let installed = match &bundle.run {
            ManifestRun::Program { name, .. } => program_of(name)?.1,
            _ => {
                let ours = std::env::var_os("PATH").unwrap_or_default();
                interpreter(&start.program).and_then(|named| named.find(&ours))
            }
        };
        let installed = installed.filter(|installed| !installed.shows_any(folder, hidden));
        if of_machine && installed.is_none() && !of_the_system(&start.program) {
            return Err(NotFound::InTheJail(start.program));
        }
        let inside = |path: &Path| match path.strip_prefix(folder) {
            Ok(path) => own.join(path),
            Err(_) => path.to_path_buf(),
        };
        start.packages = start.packages.as_deref().map(inside);
        let folder = (folder.to_path_buf(), own.to_path_buf());
        let program = inside(&start.program);
        let shown = Visibility::new(Vec::new(), Some(folder), program, installed, hidden);
        Ok((shown, start))
    }
}

/// Where a program of the machine is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// There is none with this name.
    Nowhere(String),
    /// It is there, but the jail does not show it.
    InTheJail(PathBuf),
}

/// The program of this machine with this name, found as a shell does, and where it is installed if that is outside of
/// the system's folders.
fn program_of(name: &str) -> Result<(PathBuf, Option<Installed>), NotFound> {
    let ours = std::env::var_os("PATH").unwrap_or_else(|| PATH.into());
    let installed = is_known(name.as_ref())
        .then(|| Interpreter::Name(name.into()).find(&ours))
        .flatten();
    if let Some(installed) = installed {
        return Ok((installed.bin.join(name), Some(installed)));
    }
    let runs = |file: &PathBuf| {
        file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
    };
    let files = || std::env::split_paths(&ours).map(|folder| folder.join(name));
    // One of the system is seen in the jail; another one may work without it.
    let found = files()
        .find(|file| of_the_system(file) && runs(file))
        .or_else(|| files().find(runs));
    let found = found.ok_or_else(|| NotFound::Nowhere(name.into()))?;
    Ok((found, None))
}

/// The configuration of runtimes that are installed in the system's folders, looked up once.
fn configurations() -> &'static [PathBuf] {
    static FOUND: LazyLock<Vec<PathBuf>> = LazyLock::new(|| configurations_in(Path::new("/etc")));
    &FOUND
}

fn configurations_in(etc: &Path) -> Vec<PathBuf> {
    let of_a_runtime = |folder: &fs::DirEntry| {
        let name = folder.file_name();
        CONFIGURED.iter().any(|runtime| {
            // A version may follow, or a distributor's name.
            let rest = name.as_bytes().strip_prefix(runtime.as_bytes());
            rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic))
        })
    };
    let folders = fs::read_dir(etc).into_iter().flatten().flatten();
    let folders = folders.filter(|folder| folder.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<_> = folders
        .filter(of_a_runtime)
        .map(|folder| folder.path())
        .collect();
    found.sort();
    found
}

/// Whether a path lies in what every bot sees, by its name.
fn within(path: &Path) -> bool {
    let folder = |one: &CStr| path.starts_with(OsStr::from_bytes(one.to_bytes()));
    SYSTEM.into_iter().any(folder)
}

/// The first of these folders that every bot would see.
pub(crate) fn in_sight(hidden: &[PathBuf]) -> Option<&PathBuf> {
    hidden.iter().find(|path| {
        path.canonicalize()
            .is_ok_and(|real| within(path) || within(&real))
    })
}

/// Whether a path lies in what every bot sees, under its own name and where it leads.
fn of_the_system(path: &Path) -> bool {
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
    parts: Vec<PathBuf>,
}

impl Installed {
    /// Whether it shows more of the bot or of a hidden folder than none.
    fn shows_any(&self, bot: &Path, hidden: &[PathBuf]) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let parts: Vec<_> = self.parts.iter().map(|part| real(part)).collect();
        let shown = |path: &PathBuf| {
            let path = real(path);
            let touches = |part: &PathBuf| part.starts_with(&path) || path.starts_with(part);
            parts.iter().any(touches)
        };
        shown(&bot.into()) || hidden.iter().any(shown)
    }
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

/// As the kernel and `env` read it, where it is plain: anything else names nobody.
fn first_line(line: &[u8]) -> Option<Interpreter> {
    let line = line.strip_prefix(b"#!")?.trim_ascii();
    let (path, rest) = split_word(line);
    let path = PathBuf::from(OsString::from_vec(path.to_vec()));
    if !ENV.iter().any(|env| path.as_os_str() == *env) {
        return is_known(path.file_name()?).then_some(Interpreter::Path(path));
    }
    // All that follows is one word to `env`, unless it splits it.
    let name = match split_word(rest) {
        (b"-S", words) => split_word(words).0,
        (name, b"") => name,
        _ => return None,
    };
    let name = OsStr::from_bytes(name);
    is_known(name).then(|| Interpreter::Name(name.into()))
}

/// The first word, and what follows it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace);
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (word, rest.trim_ascii())
}

/// Whether a name is one of the known ones, with a version or without: never a path.
fn is_known(name: &OsStr) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let is_version = |rest: &[u8]| rest.split(|&byte| byte == b'.').all(is_number);
    INTERPRETERS.iter().any(|one| {
        let rest = name.as_bytes().strip_prefix(one.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || is_version(rest))
    })
}

impl Interpreter {
    /// Where it is installed, if that is outside of the system's folders and in this user's path.
    fn find(&self, path: &OsStr) -> Option<Installed> {
        let folders = || std::env::split_paths(path).filter(|folder| is_plain(folder));
        match self {
            Interpreter::Name(name) => {
                let files = folders().map(|folder| folder.join(name));
                for file in files.filter(|file| file.is_file()) {
                    if of_the_system(&file) {
                        return None;
                    }
                    let found = known(&file, true);
                    if found.is_some() {
                        return found;
                    }
                }
                None
            }
            Interpreter::Path(file) => {
                let folder = file.parent()?;
                let ours = is_plain(file) && folders().any(|one| one == folder);
                (ours && file.is_file() && !of_the_system(file)).then(|| known(file, false))?
            }
        }
    }
}

/// Whether a path begins at the root and goes nowhere back.
fn is_plain(path: &Path) -> bool {
    let normal = |part| matches!(part, Component::RootDir | Component::Normal(_));
    path.is_absolute() && path.components().all(normal)
}

/// Looked up once for each interpreter, which takes a few dozen looks at the disk.
fn known(file: &Path, by_name: bool) -> Option<Installed> {
    type Found = HashMap<(PathBuf, bool), Option<Installed>>;
    static KNOWN: LazyLock<Mutex<Found>> = LazyLock::new(Mutex::default);
    let mut known = lock(&KNOWN);
    let key = (file.to_path_buf(), by_name);
    let look = || installed(file, by_name);
    known.entry(key).or_insert_with(look).clone()
}

/// Where the interpreter is installed that this file in our path is, or leads to. `by_name`: the bot
/// looks for it by its name, so that it may be found where a link leads.
fn installed(file: &Path, by_name: bool) -> Option<Installed> {
    let name = file.file_name()?;
    is_ours(file.parent()?).then_some(())?;
    let file = behind_shim(file).unwrap_or_else(|| file.into());
    let real = file.canonicalize().ok()?;
    (is_ours(file.parent()?) && is_ours(&real) && is_program(&real)).then_some(())?;
    let mut hops = links(&file);
    hops.push(real);
    let mut bin = None;
    let mut prefixes: Vec<PathBuf> = Vec::new();
    for hop in hops.iter().filter(|hop| !of_the_system(hop)) {
        let Some(prefix) = prefix_of(hop).filter(|prefix| is_of_its_own(prefix)) else {
            // A folder of many things, such as ~/.local/bin, with a link to the real place.
            (by_name && bin.is_none()).then_some(())?;
            continue;
        };
        bin = bin.or_else(|| hop.with_file_name(name).exists().then(|| hop.parent())?);
        prefixes.extend(base_of(&prefix));
        prefixes.push(prefix);
    }
    let of_python = ["python", "pypy"].map(str::as_bytes);
    if of_python.iter().any(|one| name.as_bytes().starts_with(one)) {
        prefixes
            .iter()
            .any(|prefix| has_python(prefix))
            .then_some(())?;
    }
    let mut parts: Vec<_> = prefixes.iter().flat_map(|prefix| parts(prefix)).collect();
    parts.sort();
    // What lies in another part is seen there; what lies in one comes after it.
    parts.dedup_by(|later, kept| later.starts_with(kept));
    Some(Installed {
        bin: bin?.into(),
        parts,
    })
}

/// The program behind a shim of pyenv, a script that looks up in its folder which version to start.
fn behind_shim(file: &Path) -> Option<PathBuf> {
    let shims = file.parent()?;
    (shims.file_name()? == "shims").then_some(())?;
    let root = shims.parent()?;
    let wanted = std::env::var("PYENV_VERSION").ok();
    let wanted = wanted.or_else(|| short_text(&root.join("version")))?;
    let name = file.file_name()?;
    let mut versions = wanted.split([':', '\n', ' ']).map(str::trim);
    versions.find_map(|version| {
        let mut parts = Path::new(version).components();
        let one = matches!(
            (parts.next(), parts.next()),
            (Some(Component::Normal(_)), None)
        );
        let file = root.join("versions").join(version).join("bin").join(name);
        (one && file.is_file()).then_some(file)
    })
}

/// A file, and what it leads to link by link.
fn links(file: &Path) -> Vec<PathBuf> {
    let mut hops = vec![file.to_path_buf()];
    while let Some((last, to)) = hops
        .last()
        .and_then(|last| Some((last, fs::read_link(last).ok()?)))
        && hops.len() < MAX_LINKS
    {
        let to = without_steps_back(&last.with_file_name("").join(to));
        hops.push(to);
    }
    hops
}

fn without_steps_back(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Whether nobody but this user and root can have put it there.
fn is_ours(path: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let others_write = libc::S_IWOTH;
    fs::metadata(path)
        .is_ok_and(|meta| [user, 0].contains(&meta.uid()) && meta.mode() & others_write == 0)
}

/// Whether a file is a binary. A script would be somebody's own, and is not what its name says.
fn is_program(file: &Path) -> bool {
    let mut magic = [0; 4];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Where the Python is whose environment this folder is.
fn base_of(prefix: &Path) -> Option<PathBuf> {
    let text = short_text(&prefix.join(SETTINGS))?;
    let home = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "home").then(|| PathBuf::from(value.trim()))
    })?;
    let base = prefix_of(&home.join("python")).filter(|_| is_plain(&home))?;
    (!of_the_system(&home) && is_of_its_own(&base)).then_some(base)
}

/// Whether a Python's library is there, or what makes an environment of one.
fn has_python(prefix: &Path) -> bool {
    let library = |part: &str| {
        let entries = fs::read_dir(prefix.join(part))
            .into_iter()
            .flatten()
            .flatten();
        let mut names = entries.map(|entry| entry.file_name());
        names.any(|name| is_known(&name) && prefix.join(part).join(&name).join("os.py").is_file())
    };
    library("lib")
        || library("lib64")
        || prefix.join(SETTINGS).is_file()
        || prefix.join("lib_pypy").is_dir()
}

/// What is shown of an installation. A part that is a link to another place is not one of it.
fn parts(prefix: &Path) -> Vec<PathBuf> {
    let Ok(real) = prefix.canonicalize() else {
        return Vec::new();
    };
    let parts = PARTS.iter().map(|part| prefix.join(part));
    parts
        .filter(|part| {
            part.canonicalize()
                .is_ok_and(|part| part.starts_with(&real) && part != real)
        })
        .collect()
}

/// A text file, if it is short.
fn short_text(file: &Path) -> Option<String> {
    let mut text = String::new();
    let file = file.is_file().then(|| File::open(file).ok())??;
    let read = file.take(LONGEST_SETTING).read_to_string(&mut text).ok()?;
    ((read as u64) < LONGEST_SETTING).then_some(text)
}

/// The folder around the folder `bin` of a program.
fn prefix_of(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    (bin.file_name()? == "bin").then(|| bin.parent().map(Path::to_path_buf))?
}

/// Whether a folder may be an installation: not one that holds what people keep, or where they work.
fn is_of_its_own(folder: &Path) -> bool {
    let named = |path: Option<PathBuf>| {
        let real = path.as_ref().and_then(|path| path.canonicalize().ok());
        path.into_iter().chain(real)
    };
    let kept: Vec<_> = named(std::env::var_os("HOME").map(PathBuf::from))
        .chain(named(std::env::current_dir().ok()))
        .chain(named(Some(std::env::temp_dir())))
        .collect();
    let shared = [".local", ".cargo", ".config", "usr", "home", "root", "tmp"];
    folder.is_absolute()
        && folder.is_dir()
        && named(Some(folder.into())).all(|folder| {
            let name = folder.file_name().unwrap_or_default();
            folder.components().count() > 1
                && !shared.iter().any(|one| name == *one)
                && !kept.iter().any(|path| path.starts_with(&folder))
        })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A file with this text, executable, and the folders around it.
    fn write(file: &Path, text: &[u8]) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What looks like an installation of a Python.
    fn python(prefix: &Path) {
        write(&prefix.join("bin/python3.11"), b"\x7fELF and so on");
        symlink("python3.11", prefix.join("bin/python3")).unwrap();
        write(&prefix.join("lib/python3.11/os.py"), b"");
        write(&prefix.join("secret"), b"17");
    }

    fn find(name: &str, folders: &[&Path]) -> Option<Installed> {
        let path = std::env::join_paths(folders).unwrap();
        Interpreter::Name(name.into()).find(&path)
    }

    #[test]
    fn the_first_line_names_an_interpreter() {
        let name = |text: &str| Some(Interpreter::Name(text.into()));
        let path = |text: &str| Some(Interpreter::Path(text.into()));
        for (line, expected) in [
            ("#!/usr/bin/env python3\n", name("python3")),
            ("#! /usr/bin/env\tpypy3.10 \r\n", name("pypy3.10")),
            ("#!/usr/bin/env -S node --x=y z\n", name("node")),
            ("#!/opt/p/bin/python3 -I\n", path("/opt/p/bin/python3")),
            ("#!/bin/sh -e\n", None),
            ("#!\n", None),
            ("#!/usr/bin/env\n", None),
            ("import sys\n", None),
            // What `env` would understand in another way than we, or is no name.
            ("#!/usr/bin/env -S A=b node\n", None),
            ("#!/usr/bin/env -S -u /x/python_bot sh\n", None),
            ("#!/usr/bin/env -S -u python3 sh\n", None),
            ("#!/usr/bin/env -Spython3\n", None),
            ("#!/usr/bin/env python3 -I\n", None),
            ("#!/usr/bin/env /x/python3\n", None),
            ("#!/usr/bin/env ../x/python3\n", None),
            ("#!/usr/bin/env python_bot\n", None),
            ("#!/usr/bin/env python3.\n", None),
            ("#!/usr/bin/env python3..1\n", None),
            ("#!/x/env python3\n", None),
        ] {
            assert_eq!(first_line(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn an_installation_is_found_by_looking_and_only_its_parts_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        python(&at("p"));
        let whole = Installed {
            bin: at("p/bin"),
            parts: vec![at("p/bin"), at("p/lib")],
        };
        assert_eq!(find("python3", &[&at("p/bin")]), Some(whole.clone()));
        // Through links out of a folder of many things.
        fs::create_dir_all(at(".local/bin")).unwrap();
        symlink("../../p/bin/python3", at(".local/bin/python3")).unwrap();
        assert_eq!(find("python3", &[&at(".local/bin")]), Some(whole.clone()));
        // Through a shim that is not run.
        for (root, version) in [
            ("pyenv", "3.11.7\n"),
            ("other", "system\n"),
            ("evil", "../../p\n"),
        ] {
            write(
                &at(root).join("shims/python3"),
                b"#!/bin/sh\ntouch /EXECUTED\n",
            );
            write(&at(root).join("version"), version.as_bytes());
            python(&at(root).join("versions/3.11.7"));
        }
        let version = at("pyenv/versions/3.11.7");
        assert_eq!(
            find("python3", &[&at("pyenv/shims")]),
            Some(Installed {
                bin: version.join("bin"),
                parts: vec![version.join("bin"), version.join("lib")],
            })
        );
        // One that leads nowhere is passed over.
        for root in ["other/shims", "evil/shims"] {
            assert_eq!(find("python3", &[&at(root)]), None);
            assert_eq!(
                find("python3", &[&at(root), &at("p/bin")]),
                Some(whole.clone())
            );
        }
    }

    #[test]
    fn an_environment_is_shown_with_what_it_is_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        python(&at("p"));
        symlink("p", at("linked")).unwrap();
        let home = at("linked/bin");
        write(
            &at("project/venv/pyvenv.cfg"),
            format!("home = {}\nversion = 3.11\n", home.display()).as_bytes(),
        );
        fs::create_dir_all(at("project/venv/bin")).unwrap();
        symlink(home.join("python3"), at("project/venv/bin/python3")).unwrap();
        write(&at("project/venv/lib/python3.11/site-packages/x.py"), b"");
        let found = find("python3", &[&at("project/venv/bin")]).unwrap();
        assert_eq!(found.bin, at("project/venv/bin"));
        for part in [
            "project/venv/bin",
            "project/venv/lib",
            "project/venv/pyvenv.cfg",
            "linked/lib",
            "p/lib",
        ] {
            assert!(found.parts.contains(&at(part)), "{part}: {found:?}");
        }
        let bot = at("project/bot.py");
        for (bot, hidden, shows) in [
            (&bot, at("project/arena"), false),
            (&bot, at("project/venv/arena"), false),
            (&bot, at("project/venv/lib/arena"), true),
            (&bot, at("p"), true),
            (&at("project/venv/bin/bot"), at("project/arena"), true),
        ] {
            assert_eq!(
                found.shows_any(bot, std::slice::from_ref(&hidden)),
                shows,
                "{}",
                hidden.display()
            );
        }
    }

    #[test]
    fn what_is_no_installation_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        // A script; a name without a library; parts that lead away; a folder that all may write to.
        write(&at("a/bin/perl"), b"#!/bin/sh\n");
        write(&at("b/bin/python3"), b"\x7fELF and so on");
        write(&at("c/bin/perl"), b"\x7fELF and so on");
        symlink("../a", at("c/lib")).unwrap();
        write(&at("d/bin/perl"), b"\x7fELF and so on");
        fs::set_permissions(at("d/bin"), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(find("perl", &[&at("a/bin"), &at("d/bin")]), None);
        assert_eq!(find("python3", &[&at("b/bin")]), None);
        assert_eq!(find("perl", &[&at("c/bin")]).unwrap().parts, [at("c/bin")]);
        // Not by a way that is none.
        let way = at("a/../c/bin");
        assert_eq!(find("perl", &[&way]), None);
        assert_eq!(find("perl", &[Path::new("bin")]), None);
        let path = Interpreter::Path(way.join("perl"));
        assert_eq!(path.find(at("c/bin").as_os_str()), None);
    }

    #[test]
    fn a_system_program_is_shown_where_it_is() {
        let program = Program::command("/bin/sh", ["-c", "true"]).unwrap();
        let shown = Visibility::of(&program, &[]);
        assert_eq!(shown.program, Path::new("/bin/sh"));
        assert_eq!(shown.paths.len(), configurations().len());
    }

    #[test]
    fn of_etc_only_the_folders_of_runtimes_are_shown() {
        let etc = tempfile::tempdir().unwrap();
        let shown = ["R", "dotnet", "java", "java-17-openjdk", "mono"];
        for name in shown
            .iter()
            .chain(&["ssl", "javascript-common", "RData", ".java"])
        {
            fs::create_dir(etc.path().join(name)).unwrap();
        }
        write(&etc.path().join("java-9"), b"a file");
        symlink("ssl", etc.path().join("java-8")).unwrap();
        let found = configurations_in(etc.path());
        assert_eq!(found, shown.map(|name| etc.path().join(name)));
    }

    #[test]
    fn any_other_program_is_shown_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my bot");
        std::fs::copy("/bin/sh", &file).unwrap();
        let shown = Visibility::of(&Program::open(&file).unwrap(), &[]);
        assert_eq!(shown.paths[0], (file, PathBuf::from("/bot/my bot")));
        assert_eq!(shown.paths.len(), 1 + configurations().len());
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

    #[test]
    fn what_lies_in_the_systems_folders_is_in_sight() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/usr/lib", folder.path().join("link")).unwrap();
        let hidden = [
            folder.path().to_path_buf(),
            // Nothing is there that could be seen.
            "/usr/share/no such arena".into(),
            folder.path().join("link"),
            "/usr/bin".into(),
        ];
        assert_eq!(in_sight(&hidden), Some(&hidden[2]));
        assert_eq!(in_sight(&hidden[3..]), Some(&hidden[3]));
        assert_eq!(in_sight(&hidden[..2]), None);
    }
}
