//! Builds the program in `echo/`, which the library has built in.
//!
//! It needs nothing but the compiler and its `core`, so one call of the compiler builds it, without cargo.

use std::ffi::OsString;
use std::path::PathBuf;
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

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let said = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo says {name}"));
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
