//! Tournaments that could not go on for want of something that the machine may have again, such as room on the disk or
//! open files, or because somebody plays them by command. Each is tried again after a pause that grows, by itself. The
//! time is in the caller's hands.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use flipside_operations::{Failure, FailureKind};
use flipside_tournament::Name;

/// How long to wait before a tournament is tried again that could not go on.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// After the first attempt. Each further pause is twice as long.
    pub first: Duration,
    /// The longest pause. A run that took longer counts as a first attempt.
    pub longest: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Pauses {
            first: Duration::from_secs(5),
            longest: Duration::from_secs(5 * 60),
        }
    }
}

impl Pauses {
    /// How long to wait after so many attempts, at least one.
    fn after(&self, attempts: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        self.first.saturating_mul(doubled).min(self.longest)
    }
}

/// What keeps a tournament from being played for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortage {
    /// Room on the disk.
    Disk,
    /// Something else, such as open files.
    Other,
    /// Nothing: another process plays it.
    Held,
}

impl Shortage {
    /// What was lacking, if the tournament may be played another time.
    pub(super) fn of(failure: &Failure) -> Option<Self> {
        match failure.kind() {
            FailureKind::Full => Some(Shortage::Disk),
            FailureKind::Short | FailureKind::Busy => Some(Shortage::Other),
            FailureKind::Held => Some(Shortage::Held),
            _ => None,
        }
    }

    /// In words for everybody.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Shortage::Disk => "there is no room left on the disk",
            Shortage::Other => "the machine has too few open files, processes or the like",
            Shortage::Held => "another process plays it",
        }
    }
}

/// When a tournament is tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Retry {
    pub(crate) lack: Shortage,
    /// What the last attempt failed with.
    pub(crate) why: String,
    attempts: u32,
    again: Instant,
}

impl Retry {
    /// Why it waits and for how long, in words for organisers.
    pub(crate) fn in_words(&self) -> String {
        let left = self.again.saturating_duration_since(Instant::now());
        let seconds = left.as_secs() + 1;
        format!("{}; the next attempt is in {seconds} s", self.why)
    }
}

/// The tournaments that are put off.
#[derive(Debug, Default)]
pub(super) struct PostponedTournaments {
    pauses: Pauses,
    all: HashMap<Name, Retry>,
}

impl PostponedTournaments {
    pub(super) fn new(pauses: Pauses) -> Self {
        PostponedTournaments {
            pauses,
            all: HashMap::new(),
        }
    }

    /// Puts a tournament off that could not go on after it was played for some time. Returns for how long.
    pub(super) fn put_off(
        &mut self,
        name: &Name,
        lack: Shortage,
        why: &str,
        played: Duration,
        now: Instant,
    ) -> Duration {
        let before = self.all.get(name).map_or(0, |one| one.attempts);
        let is_new = played > self.pauses.longest;
        let attempts = if is_new { 1 } else { before + 1 };
        let pause = self.pauses.after(attempts);
        let put_off = Retry {
            lack,
            why: why.to_owned(),
            attempts,
            again: now + pause,
        };
        self.all.insert(name.clone(), put_off);
        pause
    }

    /// It goes on, or somebody has decided otherwise.
    pub(super) fn forget(&mut self, name: &Name) {
        self.all.remove(name);
    }

    /// Whether a tournament may be played at this time.
    pub(super) fn is_due(&self, name: &Name, now: Instant) -> bool {
        self.all.get(name).is_none_or(|one| one.again <= now)
    }

    /// How long until the next of them may be played, if one waits for that.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let waiting = self.all.values().filter(|one| one.again > now);
        waiting.map(|one| one.again - now).min()
    }

    /// Those that are put off, by name.
    pub(super) fn all(&self) -> HashMap<Name, Retry> {
        self.all.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest_and_begin_anew_after_a_long_run() {
        let (mut tries, name) = (PostponedTournaments::default(), "spring".parse().unwrap());
        let mut now = Instant::now();
        let mut fail = |played: u64, now| {
            let played = Duration::from_secs(played);
            let pause = tries.put_off(&name, Shortage::Disk, "full", played, now);
            assert!(!tries.is_due(&name, now + pause - Duration::from_millis(1)));
            assert!(tries.is_due(&name, now + pause));
            assert_eq!(tries.next(now), Some(pause));
            assert_eq!(tries.next(now + pause), None);
            pause.as_secs()
        };
        let mut pauses = Vec::new();
        for _ in 0..9 {
            pauses.push(fail(0, now));
            now += Duration::from_secs(1_000);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        assert_eq!(fail(301, now), 5);
        tries.forget(&name);
        assert!(tries.is_due(&name, now));
    }
}
