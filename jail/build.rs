//! Builds the source of this crate as a program, which the library has built in.

use flipside_freestanding::FreestandingProgram;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(stage_program)");
    let stage = FreestandingProgram {
        name: "stage",
        source: "src/lib.rs",
        parts: &["src"],
        flags: &[
            "--cfg=stage_program",
            // The library is linted; what only the launcher uses is not used here.
            "--cap-lints=allow",
            "-Copt-level=2",
            "-Coverflow-checks=on",
        ],
    };
    stage.build();
}
