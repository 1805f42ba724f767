//! Builds the program in `echo/`, which the library has built in, and lists the pages for authors and organisers, so
//! that a page is built in as soon as it is there.
//!
//! The program needs nothing but the compiler and its `core`, so one call of the compiler builds it, without cargo.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SOURCE: &str = "echo/main.rs";

/// The flags of every build, whatever the profile of the library is.
const FLAGS: [&str; 19] = [
    "--edition=2024",
    "--crate-name=flipside_echo",
    "--crate-type=bin",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Cdebuginfo=0",
    "-Cstrip=symbols",
    // At one address, so that nothing is left to do when it starts.
    "-Crelocation-model=static",
    "-Ctarget-feature=+crt-static",
    "-Clink-arg=-nostartfiles",
    "-Clink-arg=-nostdlib",
    "-Clink-arg=-static",
    "-Clink-arg=-no-pie",
    "-Clink-arg=-Wl,--build-id=none",
    "-Clink-arg=-Wl,--gc-sections",
    "-Clink-arg=-Wl,-z,noseparate-code",
    "-Clink-arg=-Wl,--no-eh-frame-hdr",
    // The `core` that comes with the compiler can unwind, and names what does it; here nothing is unwound.
    "-Clink-arg=-Wl,--defsym=rust_eh_personality=0",
];

/// The pages that are built in: folders whose files are, and single files.
const PAGES: [&str; 5] = [
    "docs",
    "docs/authors",
    "docs/rules",
    "protocol/PROTOCOL.md",
    "SECURITY.md",
];

fn main() {
    list_pages();
    build_echo();
}

fn said(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo says {name}"))
}

/// Writes the list of the pages, each with its path in the repository and its text.
fn list_pages() {
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

fn build_echo() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let program = PathBuf::from(said("OUT_DIR")).join("echo");
    // Under another name first: a build that was stopped leaves no half of it.
    let new = program.with_extension("new");
    let mut rustc = Command::new(said("RUSTC"));
    rustc.args(FLAGS).arg("--target").arg(said("TARGET"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut flag = OsString::from("-Clinker=");
        flag.push(linker);
        rustc.arg(flag);
    }
    rustc.arg("-o").arg(&new).arg(SOURCE);
    let status = rustc.status().expect("the compiler can be started");
    assert!(status.success(), "the compiler refuses {SOURCE}: {rustc:?}");
    fs::rename(&new, &program).expect("the build's folder can be written");
}
