//! Builds the program in `echo/`, which the library has built in.

use flipside_freestanding::FreestandingProgram;

fn main() {
    let echo = FreestandingProgram {
        name: "echo",
        source: "echo/main.rs",
        parts: &[],
        flags: &["-Copt-level=3"],
    };
    echo.build();
}
