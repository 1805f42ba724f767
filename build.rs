//! Lists the pages of `docs/rules/`, so that a page is built in as soon as it is there.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says it"));
    let folder = root.join("docs").join("rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of the rules is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    pages.sort();
    let mut list = String::from("&[\n");
    for path in pages {
        let name = path.file_name().expect("a file has a name");
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("a string takes it");
    }
    list += "]\n";
    let out = env::var_os("OUT_DIR").expect("cargo says it");
    fs::write(Path::new(&out).join("pages.rs"), list).expect("the build's folder can be written");
}
