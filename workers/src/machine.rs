//! The class of a machine: how fast bots compute there, as far as a short benchmark shows it.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// The speed of one class against that of the class below it.
const STEP: f64 = 1.2;

/// A machine keeps the class that it had until its speed is so many steps away from the middle of that class: the middle
/// of the next is one step away.
const KEEP: f64 = 0.75;

/// How often the benchmark is repeated. The fastest run counts, for everything else on the machine only slows it.
const RUNS: u32 = 100;

/// The size of the table on which it computes, in words of 8 bytes: 1 MiB, which is in the caches of most processors
/// near the core, as are the tables of most bots.
const TABLE: usize = 1 << 17;

/// The steps of a run: some milliseconds.
const STEPS: u32 = 400_000;

/// The name of the file in which a worker keeps its class.
const FILE: &str = "class";

/// The class of this machine. One that was kept in this folder stays, as long as it fits.
pub(crate) fn class(folder: &Path) -> String {
    let speed = (0..RUNS).map(|_| run()).min().unwrap_or_default();
    let speed = f64::from(STEPS) / (speed.as_secs_f64() * 1e6).max(f64::MIN_POSITIVE);
    let kept = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let class = class_of(speed, kept.trim());
    tracing::info!(
        class,
        speed,
        "the benchmark has run, in steps a microsecond"
    );
    // Without it, the class may be the next one at another start.
    if class != kept.trim() && fs::create_dir_all(folder).is_ok() {
        let written = fs::write(folder.join(FILE), format!("{class}\n"));
        written.unwrap_or_else(|error| tracing::warn!(%error, "the class is not kept"));
    }
    class
}

/// The class of a machine that does so many steps a microsecond, and had this class before.
fn class_of(speed: f64, kept: &str) -> String {
    let step = speed.max(f64::MIN_POSITIVE).ln() / STEP.ln();
    let name = |number: f64| format!("{}-{number}", std::env::consts::ARCH);
    let rest = kept.strip_prefix(std::env::consts::ARCH);
    let number = rest.and_then(|rest| rest.strip_prefix('-')?.parse::<u32>().ok());
    match number.map(f64::from) {
        Some(number) if (step - number).abs() <= KEEP => name(number),
        _ => name(step.round().max(0.0)),
    }
}

/// Does what bots do: it follows a path through a table, which depends on what it finds, with additions, multiplications
/// and branches that cannot be foreseen. Returns how long that took.
fn run() -> Duration {
    let mut table: Vec<u64> = (0..TABLE as u64)
        .map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let (mut at, mut sum) = (0_usize, 1_u64);
    let began = Instant::now();
    for step in 0..u64::from(STEPS) {
        let found = table[at % TABLE];
        sum = match found & 4 {
            0 => sum.wrapping_add(found ^ step),
            _ => (sum ^ found).wrapping_mul(0xd134_2543_de82_ef95),
        };
        sum ^= sum >> 29;
        table[at % TABLE] = sum;
        at = sum as usize;
    }
    black_box(sum);
    began.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_stays_until_the_speed_is_nearer_to_the_middle_of_another() {
        let name = |number: i32| format!("{}-{number}", std::env::consts::ARCH);
        let speed = |steps: f64| STEP.powf(steps);
        assert_eq!(class_of(speed(29.4), ""), name(29));
        assert_eq!(class_of(speed(29.6), ""), name(30));
        assert_eq!(class_of(speed(29.6), &name(29)), name(29));
        assert_eq!(class_of(speed(29.8), &name(29)), name(30));
        assert_eq!(class_of(speed(29.4), &name(30)), name(30));
        for odd in [
            "x-30",
            "-30",
            "aarch128-30",
            &format!("{}-x", std::env::consts::ARCH),
        ] {
            assert_eq!(class_of(speed(28.9), odd), name(29), "{odd}");
        }
        assert_eq!(class_of(0.0, ""), name(0));
    }

    #[test]
    fn the_class_of_this_machine_is_one_that_records_can_name_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let class = super::class(folder.path());
        assert!(flipside_referee::is_machine(&class), "{class}");
        let kept = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(kept.trim(), class);
    }
}
