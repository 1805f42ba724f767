//! The package of environments for Python (`kits/python-env`) with the command: its own tests, which are those of
//! PettingZoo and Gymnasium, laws of `flipside env`, and what its examples learn.

use std::path::Path;
use std::process::Command;

use crate::common::TestRun;

/// Runs the tests of a class in `kits/python-env/tests`.
fn passes(class: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/python-env/bin/python3");
    assert!(
        python.exists(),
        "there is no {}: scripts/need-python-env installs it",
        python.display()
    );
    let output = Command::new(python)
        .args(["-m", "unittest", "-b", class])
        .current_dir(root.join("kits/python-env/tests"))
        .env("FLIPSIDE", env!("CARGO_BIN_EXE_flipside"))
        .env("PYTHONPATH", root.join("kits/python-env"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // Its arrays are small: threads would only wait for each other.
        .env("OPENBLAS_NUM_THREADS", "1")
        .env_remove("FLIPSIDE_ARENA")
        .env_remove("FLIPSIDE_LOG")
        .output();
    let run = TestRun::from(output.expect("python3 starts"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("Ran 0 tests"), "{}", run.stderr);
}

#[test]
fn pettingzoo_and_gymnasium_accept_every_game() {
    passes("test_env.EveryGame");
}

#[test]
fn environments_in_python_keep_their_promises() {
    passes("test_env.Environments");
}

#[test]
fn environments_in_python_play_against_bots() {
    passes("test_env.Opponents");
}

#[test]
fn the_client_in_python_starts_and_ends_its_process() {
    passes("test_env.TheProcess");
}

#[test]
fn what_is_learnt_at_flipflop_agrees_with_the_exact_solution() {
    passes("test_examples.FlipFlop");
}

#[test]
fn what_is_learnt_at_flipfour_is_what_the_bot_plays() {
    passes("test_examples.FlipFour");
    passes("test_examples.Curve");
}
