//! Builds programs that have no standard library and no C library, for the build scripts of the crates that embed one.
//!
//! Such a program is small and begins at once. It needs nothing but the compiler and its `core`, so it is one call of
//! the compiler and none of cargo: there is no second lock file, target folder or profile.
//!
//! What all these programs begin with is in `program/`, which each takes in by `#[path]`: the first instructions, the
//! functions that the compiler expects of a C library, and the system call.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// What every program is built with, whatever the profile of the library that embeds it.
const FLAGS: &[&str] = &[
    "--edition=2024",
    "--crate-type=bin",
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
    "-Clink-arg=-Wl,-z,norelro",
    "-Clink-arg=-Wl,--no-eh-frame-hdr",
    // The `core` that comes with the compiler can unwind, and names what does it; here nothing is unwound.
    "-Clink-arg=-Wl,--defsym=rust_eh_personality=0",
];

/// A program of the crate whose build script runs.
#[derive(Clone, Copy, Debug)]
pub struct FreestandingProgram<'a> {
    /// The name of its file in the build's folder.
    pub name: &'a str,
    /// Its first source file.
    pub source: &'a str,
    /// The other files and folders that it is made of.
    pub parts: &'a [&'a str],
    /// Flags of its own.
    pub flags: &'a [&'a str],
}

impl FreestandingProgram<'_> {
    /// Builds it, as a build script.
    ///
    /// # Panics
    /// When the compiler refuses it, or this is not called from a build script.
    pub fn build(&self) {
        let FreestandingProgram { source, name, .. } = *self;
        for part in self
            .parts
            .iter()
            .chain([&source, &"../freestanding/program"])
        {
            println!("cargo::rerun-if-changed={part}");
        }
        let said = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo says {name}"));
        let program = PathBuf::from(said("OUT_DIR")).join(name);
        // Under another name first: a build that was stopped leaves no half of it.
        let new = program.with_extension("new");
        let mut rustc = Command::new(said("RUSTC"));
        rustc.args(FLAGS).args(self.flags);
        rustc.arg(format!("--crate-name=flipside_{name}"));
        rustc.arg("--target").arg(said("TARGET"));
        if let Some(linker) = env::var_os("RUSTC_LINKER") {
            let mut flag = OsString::from("-Clinker=");
            flag.push(linker);
            rustc.arg(flag);
        }
        rustc.arg("-o").arg(&new).arg(source);
        let status = rustc.status().expect("the compiler can be started");
        assert!(status.success(), "the compiler refuses {source}: {rustc:?}");
        fs::rename(&new, &program).expect("the build's folder can be written");
    }
}
