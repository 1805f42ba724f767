//! Builds the source of this crate as a program, which the library has built in.
//!
//! It needs nothing but the compiler and its `core`, so that it is one call of the compiler, and none of cargo: there is
//! no second lock file, target folder or profile.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The flags of every build, whatever the profile of the library is.
const FLAGS: [&str; 23] = [
    "--edition=2024",
    "--crate-name=flipside_jail_stage",
    "--crate-type=bin",
    "--cfg=stage_program",
    // The library is linted; what only the launcher uses is not used here.
    "--cap-lints=allow",
    "-Copt-level=2",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Cdebuginfo=0",
    "-Cstrip=symbols",
    "-Coverflow-checks=on",
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

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-check-cfg=cfg(stage_program)");
    let var = |name: &str| env::var_os(name);
    let said = |name: &str| var(name).unwrap_or_else(|| panic!("cargo says {name}"));
    let out = PathBuf::from(said("OUT_DIR"));
    let program = out.join("stage");
    // Under another name first: a build that was stopped leaves no half of it.
    let new = out.join("stage.new");
    let mut rustc = Command::new(said("RUSTC"));
    rustc.args(FLAGS).arg("--target").arg(said("TARGET"));
    if let Some(linker) = var("RUSTC_LINKER") {
        let mut flag = std::ffi::OsString::from("-Clinker=");
        flag.push(linker);
        rustc.arg(flag);
    }
    rustc.arg("-o").arg(&new).arg("src/lib.rs");
    let status = rustc.status().expect("the compiler can be started");
    assert!(
        status.success(),
        "the compiler refuses the stage: {rustc:?}"
    );
    fs::rename(&new, &program).expect("the build's folder can be written");
}
