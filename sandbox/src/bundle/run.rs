//! How a bundle is started: what its `bot.toml` says, held against what is in it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::bundle::entry::{BundleEntry, EntryKind};
use crate::bundle::error::BundleError;
use crate::bundle::folder::{ENVIRONMENT, is_python};
use crate::bundle::limits::{LONGEST_MANIFEST, is_manifest};
use crate::bundle::manifest::{Manifest, ManifestError, ManifestRun, nearly, plain};
use crate::bundle::reader::Sink;
use crate::file_kind::is_module;
use crate::shell::quoted;

/// The languages that say how a bot is started, with the names that its file has where none is given.
const LANGUAGES: [(&str, Launcher, &[&str]); 8] = [
    (
        "python",
        Launcher::Python,
        &["bot.py", "__main__.py", "bot.pyz"],
    ),
    (
        "javascript",
        Launcher::Node,
        &["bot.js", "index.js", "bot.mjs"],
    ),
    ("java", Launcher::Java, &["bot.jar"]),
    ("rust", Launcher::Own, &["bot"]),
    ("c", Launcher::Own, &["bot"]),
    ("c++", Launcher::Own, &["bot"]),
    ("go", Launcher::Own, &["bot"]),
    ("wasm", Launcher::Own, &["bot.wasm", "bot.wat"]),
];

/// What part of its memory a Java bot may use for its objects. The machine itself takes as much.
const HEAP: u64 = 2;

/// The argument of Java that says how large its heap may be, for a bot that may use so much memory, in bytes. No
/// machine starts with less than 2 MiB.
pub(crate) fn heap_of(memory: u64) -> String {
    format!("-Xmx{}m", ((memory / HEAP) >> 20).max(2))
}

/// Where packages of Python are looked for if there is no virtual environment.
const VENDORED: &str = "vendor";

/// How the file of a bot is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launcher {
    Python,
    Node,
    Java,
    /// It is started itself.
    Own,
}

/// What was found in a bundle.
#[derive(Debug, Default)]
pub(crate) struct BundleContent {
    /// The bytes of its manifest, and the name of that file.
    manifest: Option<(Vec<u8>, String)>,
    entries: BTreeMap<String, EntryKind>,
}

impl Sink for BundleContent {
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError> {
        // That of a bot comes first, and it counts.
        if is_manifest(&entry.path) && self.manifest.is_none() {
            let mut bytes = Vec::new();
            let read = content.take(LONGEST_MANIFEST + 1).read_to_end(&mut bytes);
            read.map_err(BundleError::io(&entry.path))?;
            self.manifest = Some((bytes, entry.path.clone()));
        }
        self.entries.insert(entry.path.clone(), entry.kind.clone());
        Ok(())
    }
}

/// A virtual environment of Python in a bundle.
struct Environment {
    /// Its Python, by the name that a shell looks for.
    python: String,
    /// Its packages.
    packages: String,
}

impl BundleContent {
    /// What its manifest says.
    pub(crate) fn manifest(&self) -> Result<Manifest, BundleError> {
        let (bytes, name) = self.manifest.as_ref().ok_or(BundleError::NoManifest)?;
        Manifest::parse(bytes, name)
    }

    /// How it is started.
    pub(crate) fn run(&self, manifest: &Manifest) -> Result<ManifestRun, BundleError> {
        let run = self.asked_run(manifest);
        run.map_err(|(what, hint)| manifest.wrong(what, hint))
    }

    fn asked_run(&self, manifest: &Manifest) -> Result<ManifestRun, ManifestError> {
        if let Some(command) = &manifest.command {
            let (program, args) = command.split_first().expect("a command is not empty");
            return self.command(program, args);
        }
        let language = manifest.language.as_deref().unwrap_or_default();
        let languages = LANGUAGES.iter().map(|(name, ..)| *name);
        let Some((_, way, names)) = LANGUAGES.iter().find(|(name, ..)| *name == language) else {
            let hint = match nearly(language, languages.clone()) {
                Some(nearest) => format!("did you mean {nearest}?"),
                None => format!(
                    "there are {}; for others write a command",
                    languages.collect::<Vec<_>>().join(", ")
                ),
            };
            let what = format!("how a program in {language:?} is started is not known");
            return Err((what, Some(hint)));
        };
        let main = match &manifest.main {
            Some(main) if self.entries.contains_key(main) => main.clone(),
            Some(main) => return Err(missing(&format!("main names {main}"))),
            None => {
                let found = names.iter().find(|name| self.entries.contains_key(**name));
                let found = found.ok_or_else(|| {
                    let names = names.join(", ");
                    let what = format!("the bundle has none of the files {names}");
                    (what, Some("name its file: main = \"FILE\"".into()))
                });
                (*found?).to_owned()
            }
        };
        self.started(*way, main)
    }

    fn started(&self, way: Launcher, main: String) -> Result<ManifestRun, ManifestError> {
        Ok(match way {
            Launcher::Own => return self.own(&main, &[]),
            Launcher::Node => ManifestRun::program("node", &[main], None),
            Launcher::Java => ManifestRun::Program {
                name: "java".into(),
                args: vec!["-jar".into(), main],
                packages: None,
                has_heap: true,
            },
            Launcher::Python => {
                let mut folders = self.entries.keys().filter(|path| !path.contains('/'));
                let environment = folders.find_map(|folder| self.environment(folder));
                let vendored = || {
                    let is_there = self.entries.get(VENDORED) == Some(&EntryKind::Folder);
                    is_there.then(|| VENDORED.to_owned())
                };
                match environment {
                    Some(found) => {
                        ManifestRun::program(&found.python, &[main], Some(found.packages))
                    }
                    None => ManifestRun::program("python3", &[main], vendored()),
                }
            }
        })
    }

    /// What a command starts.
    fn command(&self, program: &str, args: &[String]) -> Result<ManifestRun, ManifestError> {
        if Path::new(program).is_absolute() {
            let what = format!("command names {program}, and where it is depends on the machine");
            let name = Path::new(program).file_name().unwrap_or_default();
            let hint = format!("name the program alone: {:?}", name.to_string_lossy());
            return Err((what, Some(hint)));
        }
        let path = plain(program);
        // The Python of an environment stands for the one of that version.
        if let Some((folder, name)) = path.rsplit_once("/bin/")
            && is_python(name)
            && let Some(environment) = self.environment(folder)
        {
            let packages = Some(environment.packages);
            return Ok(ManifestRun::program(&environment.python, args, packages));
        }
        if program.contains('/') || self.entries.contains_key(path) {
            return self.own(path, args);
        }
        Ok(ManifestRun::program(program, args, None))
    }

    /// A program or a module of the bundle.
    fn own(&self, path: &str, args: &[String]) -> Result<ManifestRun, ManifestError> {
        let Some(kind) = self.entries.get(path) else {
            return Err(missing(&format!("command names {path}")));
        };
        let module = is_module(Path::new(path), b"");
        match kind {
            EntryKind::Folder => Err((format!("{path} is a folder and cannot be started"), None)),
            EntryKind::File { .. } if module && args.is_empty() => {
                Ok(ManifestRun::Module { path: path.into() })
            }
            _ if module => {
                let what = format!("{path} is a module, which is a file and takes no arguments");
                Err((what, None))
            }
            EntryKind::File {
                executable: false, ..
            } => {
                let what = format!("{path} is not executable");
                Err((what, Some(format!("chmod +x {}", quoted(path)))))
            }
            _ => Ok(ManifestRun::Own {
                path: path.into(),
                args: args.to_vec(),
            }),
        }
    }

    /// The environment of Python in this folder, if it is one.
    fn environment(&self, folder: &str) -> Option<Environment> {
        self.entries.get(&format!("{folder}/{ENVIRONMENT}"))?;
        let libraries = format!("{folder}/lib/");
        let mut below = self.entries.range(libraries.clone()..);
        let (packages, _) = below
            .by_ref()
            .take_while(|(path, _)| path.starts_with(&libraries))
            .find(|(path, kind)| {
                path.ends_with("/site-packages")
                    && path[libraries.len()..].matches('/').count() == 1
                    && **kind == EntryKind::Folder
            })?;
        let python = packages[libraries.len()..].split('/').next()?;
        is_python(python).then(|| Environment {
            python: python.into(),
            packages: packages.clone(),
        })
    }
}

fn missing(what: &str) -> ManifestError {
    let hint = "is it in the folder, and in files = [...] if there is such a line?";
    let what = format!("{what}, which is not in the bundle");
    (what, Some(hint.into()))
}
