//! Why a program cannot be opened or started, each reason with the way out.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bundle::error::BundleError;
use crate::bundle::limits::MANIFEST;
use crate::jail::layer::UnavailableLayer;
use crate::module::compiler::LARGEST_CODE;
use crate::open_regular::NotRegular;
use crate::shell::quoted;
use crate::sizes::{LARGEST_MODULE, LARGEST_PROGRAM, LARGEST_TEXT};
use crate::suggest::similar_program;

/// Why a file is not a program that can be started.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("{} is not there", .0.display())]
    NotFound(PathBuf),
    /// It is a folder without a `bot.toml`.
    #[error("{} is a folder without a {MANIFEST}", .0.display())]
    Folder(PathBuf),
    /// It is a device, a pipe or a socket.
    #[error(transparent)]
    NotAFile(NotRegular),
    /// It is a bundle that does not keep the rules.
    #[error("{}: {source}", path.display())]
    Bundle {
        /// The folder or the file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<BundleError>,
    },
    /// A bundle wishes for more memory than a bot may have.
    #[error("{} wishes for {} MiB of memory; a bot may have {} MiB", path.display(), wish >> 20, limit >> 20)]
    WishesMemory {
        /// The bundle.
        path: PathBuf,
        /// What it wishes for, in bytes.
        wish: u64,
        /// What a bot may have, in bytes.
        limit: u64,
    },
    /// It has no bytes.
    #[error("{} is empty", .0.display())]
    Empty(PathBuf),
    /// It is no module, and may not be executed.
    #[error("{} is not executable", .0.display())]
    NotExecutable(PathBuf),
    /// Its first line ends as lines of Windows do, so that the interpreter is not found.
    #[error("{}: its #! line ends with a carriage return, as files from Windows do", .0.display())]
    WindowsLines(PathBuf),
    /// It is named `.wasm` but is something else.
    #[error("{} is not WebAssembly, though its name says so", .0.display())]
    NotWasm(PathBuf),
    /// Its WebAssembly text does not parse.
    #[error("{} is not WebAssembly text: {message}", path.display())]
    NotWat {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        message: String,
    },
    /// It is a module of more than [`LARGEST_MODULE`] bytes.
    #[error("{} has {size} bytes; a module may have {LARGEST_MODULE}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// It is a program of more than [`LARGEST_PROGRAM`] bytes.
    #[error("{} has {size} bytes; a program may have {LARGEST_PROGRAM}", path.display())]
    TooLargeProgram {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// It is WebAssembly text of more than [`LARGEST_TEXT`] bytes.
    #[error("{} has {size} bytes; WebAssembly text may have {LARGEST_TEXT}", path.display())]
    TooMuchText {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// It is a component, not a core module.
    #[error("{} is a WebAssembly component, not a core module", .0.display())]
    Component(PathBuf),
    /// The engine refuses the module.
    #[error("{} is refused by the engine: {message}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The engine's reason.
        message: String,
    },
    /// To compile the module takes more processor time than is given for it.
    #[error("{} takes more than {} s of processor time to compile", path.display(), limit.as_secs())]
    SlowToCompile {
        /// The file.
        path: PathBuf,
        /// What is given.
        limit: Duration,
    },
    /// To compile the module takes more memory than is given for it.
    #[error("{} takes more than {limit} bytes of memory to compile", path.display())]
    CompileMemory {
        /// The file.
        path: PathBuf,
        /// What is given, in bytes.
        limit: u64,
    },
    /// The module becomes more than [`LARGEST_CODE`] bytes of code.
    #[error("{} becomes more than {LARGEST_CODE} bytes of code", .0.display())]
    TooMuchCode(PathBuf),
    /// The compiler cannot be run on this machine.
    #[error("{} cannot be compiled: {source}", path.display())]
    Compiler {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The module imports what is not there.
    #[error("{} imports {module}::{name}, which is not provided", path.display())]
    UnknownImport {
        /// The file.
        path: PathBuf,
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// The module exports no function `_start` without parameters and results.
    #[error("{} {}", path.display(), no_start(*library))]
    NoStart {
        /// The file.
        path: PathBuf,
        /// Whether it exports `_initialize` and so is a library.
        library: bool,
    },
    /// The module exports no memory named `memory`, so nothing could be read or written.
    #[error("{} exports no memory", .0.display())]
    NoMemory(PathBuf),
    /// The module runs a function when an instance is made, which no fuel can count in the same way everywhere.
    #[error("{} has a start function, which a clock that counts fuel cannot measure", .0.display())]
    StartFunction(PathBuf),
    /// The program is no module, so that nothing counts its instructions.
    #[error("{} is a process, and only WebAssembly modules have fuel", .0.display())]
    NoFuel(PathBuf),
    /// The module begins with more memory than a bot may have.
    #[error("{} begins with {needs} bytes of memory; a bot may have {limit}", path.display())]
    TooMuchMemory {
        /// The file.
        path: PathBuf,
        /// What it begins with, in bytes.
        needs: u64,
        /// What a bot may have, in bytes.
        limit: u64,
    },
    /// The WebAssembly engine cannot be set up on this machine.
    #[error("the WebAssembly engine cannot be set up: {0}")]
    Engine(String),
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl OpenError {
    /// Whether the reason lies with the program or its file, and not with what the machine lacks at the moment.
    pub fn is_of_program(&self) -> bool {
        match self {
            OpenError::NotFound(_)
            | OpenError::Folder(_)
            | OpenError::NotAFile(_)
            | OpenError::WishesMemory { .. }
            | OpenError::Empty(_)
            | OpenError::NotExecutable(_)
            | OpenError::WindowsLines(_)
            | OpenError::NotWasm(_)
            | OpenError::NotWat { .. }
            | OpenError::TooLarge { .. }
            | OpenError::TooLargeProgram { .. }
            | OpenError::TooMuchText { .. }
            | OpenError::Component(_)
            | OpenError::Refused { .. }
            | OpenError::SlowToCompile { .. }
            | OpenError::CompileMemory { .. }
            | OpenError::TooMuchCode(_)
            | OpenError::UnknownImport { .. }
            | OpenError::NoStart { .. }
            | OpenError::NoMemory(_)
            | OpenError::StartFunction(_)
            | OpenError::NoFuel(_)
            | OpenError::TooMuchMemory { .. } => true,
            OpenError::Bundle { source, .. } => !matches!(
                **source,
                BundleError::Io { .. }
                    | BundleError::StoreInUse { .. }
                    | BundleError::LargerThanStore { .. }
            ),
            OpenError::Compiler { .. } | OpenError::Engine(_) | OpenError::Io { .. } => false,
        }
    }

    pub(crate) fn bundle(path: &Path) -> impl Fn(BundleError) -> Self {
        move |source| OpenError::Bundle {
            path: path.into(),
            source: Box::new(source),
        }
    }

    /// The way out, where there is one to name.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            OpenError::Bundle { source, .. } => return source.hint().or_else(|| of_bundle(source)),
            OpenError::WishesMemory { .. } => {
                "write a smaller memory = \"...\" into its bot.toml or game.toml, or none"
            }
            OpenError::Folder(_) => {
                "name the bot's file, such as the program that its build makes; a bot of several files needs a bot.toml, as `flipside new python` writes one"
            }
            OpenError::NotExecutable(path) => return Some(format!("chmod +x {}", quoted(path))),
            OpenError::WindowsLines(path) => {
                return Some(format!("sed -i 's/\\r$//' {}", quoted(path)));
            }
            OpenError::TooLarge { .. }
            | OpenError::SlowToCompile { .. }
            | OpenError::CompileMemory { .. }
            | OpenError::TooMuchCode(_) => {
                "build it smaller: optimised for size, and stripped of names and of what it does \
                 not use; no function should be huge"
            }
            OpenError::TooLargeProgram { .. } => {
                "strip the program, or leave its debug information out"
            }
            OpenError::NotAFile(_) => "name the bot's file: a program, a .wasm or a .wat",
            OpenError::TooMuchText { .. } => "translate it to a .wasm file first, with wat2wasm",
            OpenError::NotWasm(path) => {
                return Some(format!(
                    "did its build or download fail? `file {}` says what it is",
                    quoted(path)
                ));
            }
            OpenError::Empty(_) => "did its build or copy fail?",
            OpenError::Component(_) => {
                "build a WASI command as a core module, in Rust with --target wasm32-wasip1"
            }
            OpenError::NoStart { library: false, .. } => {
                "build a program with a main function for WASI preview 1 (wasm32-wasip1); in WebAssembly text, export \
                 a function \"_start\""
            }
            OpenError::NoStart { library: true, .. } => {
                "build a WASI command, a program with a main function"
            }
            OpenError::UnknownImport { module, name, .. } => of_import(module, name),
            OpenError::NoMemory(_) => "export the memory as \"memory\"",
            OpenError::StartFunction(_) => {
                "do the work in _start, not in a start section; or use a clock of time, such as --clock move=1s"
            }
            OpenError::NoFuel(_) => "use a clock of time, such as --clock move=1s, or a .wasm file",
            OpenError::Engine(_) => {
                "the engine reserves address space for all instances: is it limited (ulimit -v)?"
            }
            OpenError::NotWat { .. } => "correct the text there",
            OpenError::Refused { .. } => {
                "build it for WASI preview 1 (wasm32-wasip1), with the features of WebAssembly that its compiler uses by \
                 default; a file that is damaged is refused, too"
            }
            OpenError::TooMuchMemory { .. } => "build it with less memory at the start",
            OpenError::Io { path, .. } => {
                return Some(format!("may this user read it? ls -ld {}", quoted(path)));
            }
            OpenError::NotFound(_) | OpenError::Compiler { .. } => return None,
        };
        Some(hint.into())
    }
}

/// The way out where a module imports what is not there.
fn of_import(module: &str, name: &str) -> &'static str {
    match module {
        _ if name.starts_with("emscripten") => {
            "it is built by Emscripten for JavaScript: build it with -sSTANDALONE_WASM, or with a C compiler for WASI \
             preview 1 (wasm32-wasip1)"
        }
        "wasi_unstable" => {
            "it is built for an old WASI; build it for WASI preview 1 (wasm32-wasip1)"
        }
        "env" => {
            "a function was not found when it was linked, or it is built for a browser: build it for WASI preview 1 \
             (wasm32-wasip1)"
        }
        _ => "a bot has the functions of wasi_snapshot_preview1 and no others",
    }
}

/// The way out of a bundle's error that names none.
fn of_bundle(error: &BundleError) -> Option<String> {
    let file = match error {
        BundleError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            "bot.toml or game.toml"
        }
        BundleError::Manifest { file, .. } => file,
        _ => return None,
    };
    Some(format!(
        "correct the {file}, or put into the folder what it names"
    ))
}

fn no_start(library: bool) -> &'static str {
    if library {
        "is a library (a reactor): it has _initialize and no _start"
    } else {
        "has no function _start"
    }
}

/// Why a program that was opened could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It was not prepared before, and cannot be.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file is no longer there.
    #[error("{} is not there any more", .0.display())]
    Gone(PathBuf),
    /// A bundle names a program that this machine does not have.
    #[error("{} is started by {name}, which is not there", path.display())]
    NoProgram {
        /// The bundle.
        path: PathBuf,
        /// The program's name.
        name: String,
    },
    /// A variable that its bots are to have is not set here.
    #[error("{} is to have the variable {name}, which is not set here", path.display())]
    NoVariable {
        /// The file.
        path: PathBuf,
        /// The variable's name.
        name: String,
    },
    /// The interpreter that a script names, or the loader that an executable needs, is missing.
    #[error("{} needs {}, which is not there", path.display(), interpreter.display())]
    NoInterpreter {
        /// The file.
        path: PathBuf,
        /// What it needs.
        interpreter: PathBuf,
    },
    /// It is neither an executable of this machine nor a script with a `#!` line.
    #[error("{} is not in a format that this machine executes", .0.display())]
    Format(PathBuf),
    /// It begins with a byte order mark, so that the system does not see its first line.
    #[error("{} begins with a byte order mark (BOM), so its #! line is not seen", .0.display())]
    Bom(PathBuf),
    /// It is text, and names no interpreter.
    #[error("{} has no #! line that names its interpreter", .0.display())]
    NoFirstLine(PathBuf),
    /// It is a class file, which needs a Java runtime.
    #[error("{} is a Java class, which this machine cannot start by itself", .0.display())]
    JavaClass(PathBuf),
    /// It is built for another platform.
    #[error("{} is {what}, and this machine is {here}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: String,
        /// What this machine is.
        here: String,
    },
    /// The system does not allow it.
    #[error("{} may not be executed", .0.display())]
    Denied(PathBuf),
    /// Somebody is still writing the file.
    #[error("{} is being written", .0.display())]
    Busy(PathBuf),
    /// This machine does not give one of the jail's walls.
    #[error(transparent)]
    Jail(UnavailableLayer),
    /// The program that builds the jail does not start.
    #[error("the jail's own program {} does not start: {source}", path.display())]
    Stage {
        /// The program.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// What a script or an executable needs is there, but not in the jail.
    #[error("{} needs {}, which is not to be seen in the jail", path.display(), interpreter.display())]
    NotShown {
        /// The file.
        path: PathBuf,
        /// What it needs.
        interpreter: PathBuf,
    },
    /// In the jail a bot is another user, and that one may not read or execute the file.
    #[error("{} may not be executed in the jail", .0.display())]
    NotForAll(PathBuf),
    /// The arena, or another folder that is to be hidden, lies where every bot would see it.
    #[error("{} lies in a folder of the system, which every bot sees", .0.display())]
    InSight(PathBuf),
    /// All places for modules are taken.
    #[error("all {0} places for modules are taken")]
    NoRoom(u32),
    /// The machine cannot start it.
    #[error("the machine cannot start it: {0}")]
    Host(#[from] io::Error),
}

impl StartError {
    /// Whether the reason lies with the program, its file or what it needs, so that it will not start here another time
    /// either, while other programs may.
    pub fn is_of_program(&self) -> bool {
        match self {
            StartError::Open(error) => error.is_of_program(),
            StartError::Gone(_)
            | StartError::NoProgram { .. }
            | StartError::NoInterpreter { .. }
            | StartError::Format(_)
            | StartError::Bom(_)
            | StartError::NoFirstLine(_)
            | StartError::JavaClass(_)
            | StartError::Foreign { .. }
            | StartError::NotShown { .. } => true,
            // A folder that is closed or mounted `noexec` keeps all programs from being executed.
            StartError::Denied(_)
            | StartError::NotForAll(_)
            | StartError::Busy(_)
            | StartError::NoVariable { .. }
            | StartError::Jail(_)
            | StartError::Stage { .. }
            | StartError::InSight(_)
            | StartError::NoRoom(_)
            | StartError::Host(_) => false,
        }
    }

    /// The way out, where there is one to name.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            StartError::Open(error) => return error.hint(),
            StartError::NoInterpreter { interpreter, .. } => {
                return Some(interpreter_hint(interpreter));
            }
            StartError::NoProgram { name, .. } => {
                return Some(format!(
                    "put the program into the bundle, or install {name} where the bot is to run"
                ));
            }
            StartError::NoVariable { name, .. } => {
                return Some(format!(
                    "set it where flipside runs, and begin again: export {name}=…"
                ));
            }
            StartError::Format(_) => {
                "a script begins with a line such as #!/bin/sh; a binary must be built for this machine"
            }
            StartError::Bom(path) => {
                return Some(format!("sed -i '1s/^\\xef\\xbb\\xbf//' {}", quoted(path)));
            }
            StartError::NoFirstLine(_) => {
                "begin the script with a line such as #!/usr/bin/env python3 or #!/bin/sh"
            }
            StartError::JavaClass(_) => {
                "pack it into a bot.jar, in a folder with a bot.toml that says language = \"java\""
            }
            StartError::Foreign { .. } => {
                "build it for this machine, or as a WebAssembly module, which runs on every machine"
            }
            StartError::Denied(_) => "is its folder mounted noexec, or closed to this user?",
            StartError::Jail(missing) => return Some(missing.hint()),
            StartError::NotShown { .. } => {
                "a jailed bot sees /usr/bin, /usr/lib and the like, and a Python, Node, Ruby or such that is in \
                 your PATH and apart from your work and the arena; install it so, or --trust the bot if \
                 you know it"
            }
            StartError::NotForAll(path) => {
                return Some(format!(
                    "a jailed bot runs as a user of its own; let everybody read and execute it: chmod a+rx {}",
                    quoted(path)
                ));
            }
            StartError::InSight(_) => {
                "move it out of /usr and the like, such as below your home folder"
            }
            StartError::Busy(_) => "close it in the program that writes it",
            StartError::NoRoom(_) => "play fewer matches at a time (--concurrency)",
            StartError::Host(error) => match error.raw_os_error() {
                Some(libc::EMFILE | libc::ENFILE) => {
                    "too many open files: raise the limit (ulimit -n) or play fewer matches at a time"
                }
                Some(libc::ENOSPC) => {
                    "the watches of event queues of this user are used up: a bot may have done that; play the \
                     match again, bots of strangers as root or one match at a time, or raise \
                     fs.epoll.max_user_watches"
                }
                Some(libc::EAGAIN) => {
                    "too many processes: raise the limit (ulimit -u) or play fewer matches at a time"
                }
                _ => return None,
            },
            StartError::Gone(_) | StartError::Stage { .. } => return None,
        };
        Some(hint.into())
    }
}

fn interpreter_hint(interpreter: &Path) -> String {
    if interpreter.as_os_str().as_encoded_bytes().ends_with(b"\r") {
        "the line ends of the script are those of Windows; write it with plain newlines".into()
    } else if interpreter.to_string_lossy().contains("/ld-") {
        "it is linked for another system; build it here, or link it statically".into()
    } else {
        let name = interpreter.file_name().unwrap_or_default();
        let install = format!(
            "install {} or correct the script's first line",
            interpreter.display()
        );
        match similar_program(&name.to_string_lossy()) {
            Some(similar) if Path::new(&similar) != interpreter => {
                format!("did you mean {similar}? otherwise {install}")
            }
            _ => install,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_a_hint_is_as_a_shell_reads_it() {
        let hint = |path: &str| OpenError::NotExecutable(path.into()).hint().unwrap();
        assert_eq!(hint("./bot"), "chmod +x ./bot");
        assert_eq!(hint("my bot's"), r"chmod +x 'my bot'\''s'");
    }

    #[test]
    fn what_the_system_lacks_has_a_way_out() {
        for (number, word) in [
            (libc::EMFILE, "ulimit -n"),
            (libc::EAGAIN, "ulimit -u"),
            (libc::ENOSPC, "fs.epoll.max_user_watches"),
        ] {
            let error = StartError::Host(io::Error::from_raw_os_error(number));
            assert!(error.hint().unwrap().contains(word), "{error}");
        }
    }
}
