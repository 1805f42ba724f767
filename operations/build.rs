//! Lists the pages for authors and organisers, so that a page is built in as soon as it is there.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The pages that are built in: folders whose files are, and single files.
const PAGES: [&str; 9] = [
    "docs",
    "docs/authors",
    "docs/games",
    "docs/organisers",
    "docs/reference",
    "docs/rules",
    "protocol/GAMES.md",
    "protocol/PROTOCOL.md",
    "SECURITY.md",
];

/// Writes the list of the pages, each with its path in the repository and its text.
fn main() {
    let root = PathBuf::from(said("CARGO_MANIFEST_DIR"));
    let root = root.parent().expect("the crate is in the repository");
    let mut pages: Vec<PathBuf> = PAGES
        .iter()
        .flat_map(|page| files(&root.join(page)))
        .collect();
    pages.sort();
    let mut list = String::from("&[\n");
    for file in pages {
        let path = file.strip_prefix(root).expect("it is below the root");
        writeln!(
            list,
            "    Guide {{ path: {path:?}, text: include_str!({file:?}) }},"
        )
        .expect("a string takes it");
    }
    list += "]\n";
    fs::write(Path::new(&said("OUT_DIR")).join("guides.rs"), list)
        .expect("the build's folder can be written");
}

fn said(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo says {name}"))
}

/// The file, or the Markdown files of the folder.
fn files(path: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let entries = fs::read_dir(path).expect("the folder of the pages is there");
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    files
        .filter(|file| file.extension().is_some_and(|ending| ending == "md"))
        .collect()
}
