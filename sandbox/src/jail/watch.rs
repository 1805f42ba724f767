//! The nearest to a control group for memory: the first process looks, a few times a second, how much
//! the processes of its namespace use together. It stands in where the machine gives no group.

use std::fs;
use std::time::Duration;

/// How often it is looked. Between two looks, each process is held to its own limit.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Whether all processes here use more memory together than this, in bytes.
pub(crate) fn exceeds(limit: u64) -> bool {
    // What is shared is counted for each of them first, which is quick; and only where that is too
    // much, exactly.
    all(rough) > limit && all(exact) > limit
}

fn all(used: fn(&str) -> Option<u64>) -> u64 {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        // The first is ours.
        (name != "1" && name.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
    });
    numbers.filter_map(|number| used(&number)).sum()
}

/// What it has for itself and what it shares in memory; files are not counted, for they can be read
/// again.
fn rough(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(field(&status, "RssAnon:") + field(&status, "RssShmem:") + field(&status, "VmPTE:"))
}

/// The same, where what several share is divided among them. A process that hides that is counted
/// roughly.
fn exact(process: &str) -> Option<u64> {
    let shares = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok();
    let shares = shares.filter(|text| text.contains("Pss_Anon:"));
    shares.map_or_else(
        || rough(process),
        |text| Some(field(&text, "Pss_Anon:") + field(&text, "Pss_Shmem:")),
    )
}

/// A field in kilobytes, as bytes; none is nothing.
fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory() {
        let own = std::process::id().to_string();
        let mebibyte = 1024 * 1024;
        let held = vec![1_u8; 64 * mebibyte];
        for used in [rough(&own), exact(&own)] {
            assert!(
                used.is_some_and(|used| used >= held.len() as u64),
                "{used:?}"
            );
        }
        assert!(exceeds(mebibyte as u64) && !exceeds(u64::MAX / 2));
        assert_eq!(rough("0"), None);
    }
}
