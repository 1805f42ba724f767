//! What of a folder is the program, where its author has not said so.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flipside_games::words::joined;
use flipside_sandbox::bundle::is_bundle;

use super::languages::{SOURCES, SourceLanguage, built_language, source_only};
use crate::admission::{RECEIVED_HEAD, received_ending};
use crate::failure::{Failure, Result};
use crate::new::kit_files;

/// What a folder has.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FoundProgram {
    /// It is a bundle.
    Bundle,
    /// One program or module: its name.
    Own(String),
    /// Source files in this language, of which this one is started.
    Source(SourceLanguage, String),
}

/// How the libraries end that programs load. They are no programs.
const LIBRARY: &str = ".so";

/// The folder that has the files: archives of a folder have the folder itself first.
pub(super) fn enter(root: &Path) -> io::Result<PathBuf> {
    let mut folder = root.to_owned();
    loop {
        let mut entries = fs::read_dir(&folder)?;
        let (first, second) = (entries.next().transpose()?, entries.next());
        match first {
            Some(only) if second.is_none() && only.file_type()?.is_dir() => folder = only.path(),
            _ => return Ok(folder),
        }
    }
}

/// Looks for the program of a folder.
pub(super) fn look(folder: &Path) -> Result<FoundProgram> {
    if is_bundle(folder) {
        return Ok(FoundProgram::Bundle);
    }
    let names = names(folder).map_err(|error| Failure::of_system(&error))?;
    let mains = SOURCES.iter().flat_map(|language| {
        let mains = language.mains.iter();
        mains.map(move |main| (*language, *main))
    });
    let is_there = |(_, main): &(SourceLanguage, &str)| names.iter().any(|name| name == main);
    if let Some((language, main)) = mains.clone().find(is_there) {
        return Ok(FoundProgram::Source(language, main.to_owned()));
    }
    let (mut binaries, mut scripts) = (Vec::new(), Vec::new());
    for name in &names {
        let head = head(&folder.join(name)).map_err(|error| Failure::of_system(&error))?;
        match received_ending(&head) {
            _ if name.ends_with(LIBRARY) || SourceLanguage::of(name).is_some() => {}
            Some(_) if head.starts_with(b"#!") => scripts.push(name),
            Some(_) => binaries.push(name),
            None => {}
        }
    }
    let sources: Vec<&String> = names.iter().filter(|name| is_own_source(name)).collect();
    // What was built counts before the scripts that build it.
    for found in [&binaries, &sources, &scripts] {
        match found[..] {
            [] => {}
            [name] => {
                return Ok(match SourceLanguage::of(name) {
                    Some(language) => FoundProgram::Source(language, name.clone()),
                    None => FoundProgram::Own(name.clone()),
                });
            }
            _ => {
                let what = format!("the archive has several programs: {}", joined(found, ", "));
                let hint = "add a file bot.toml that says which one is the bot";
                return Err(Failure::usage(what).hint(hint));
            }
        }
    }
    Err(nothing(&names))
}

/// The first bytes of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = File::open(path)?;
    file.take(RECEIVED_HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether a file is source code that may be the bot: no module of a kit, and no test.
fn is_own_source(name: &str) -> bool {
    SourceLanguage::of(name).is_some_and(|language| {
        let is_kit = kit_files(language.id).any(|(path, _)| path == name);
        !is_kit && !name.starts_with("test_")
    })
}

fn nothing(names: &[String]) -> Failure {
    if let Some(language) = names.iter().find_map(|name| built_language(name)) {
        return source_only(language);
    }
    let what = match names {
        [] => "the archive is empty",
        _ => "the archive has no program in its first folder",
    };
    Failure::usage(what).hint("pack the folder of the bot, with its bot.toml or its program")
}

/// The names of the files of a folder, in order.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

/// What a manifest says of a program in a language.
pub(super) fn started_by(language: SourceLanguage, main: &str) -> String {
    let quoted = serde_json::to_string(main).expect("a text");
    format!("language = \"{}\"\nmain = {quoted}\n", language.id)
}

/// The name that a source file has in its bundle: its own where that is a plain one.
pub(super) fn file_name(name: &str, language: SourceLanguage) -> String {
    let own = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_kit = kit_files(language.id).any(|(path, _)| path == own);
    match own.bytes().all(is_plain) && own.len() <= 64 && !own.starts_with(['.', '-']) && !is_kit {
        true => own.to_owned(),
        false => language.mains[0].to_owned(),
    }
}
