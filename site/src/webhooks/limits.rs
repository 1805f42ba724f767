//! What webhooks may take.

use std::time::Duration;

/// What webhooks may take.
#[derive(Clone, Debug)]
pub struct WebhookLimits {
    /// The most webhooks of a site.
    pub webhooks: usize,
    /// The most messages of a webhook that wait; the oldest are given up first.
    pub waiting: usize,
    /// Attempts until a message is given up.
    pub attempts: u32,
    /// How long to wait after the first attempt. Each further wait is four times as long.
    pub pause: Duration,
    /// How long an attempt may take.
    pub time: Duration,
    /// How often the journal is looked at, and how often messages are tried.
    pub every: Duration,
}

impl Default for WebhookLimits {
    fn default() -> Self {
        WebhookLimits {
            webhooks: 20,
            waiting: 10_000,
            attempts: 8,
            pause: Duration::from_secs(5),
            time: Duration::from_secs(10),
            every: Duration::from_secs(1),
        }
    }
}

impl WebhookLimits {
    /// How long to wait after so many attempts, at least one.
    pub(super) fn wait_after(&self, attempts: u32) -> Duration {
        self.pause * 4_u32.saturating_pow(attempts.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end_within_a_day() {
        let limits = WebhookLimits::default();
        let waits: Vec<u64> = (1..limits.attempts)
            .map(|attempts| limits.wait_after(attempts).as_secs())
            .collect();
        assert_eq!(waits, [5, 20, 80, 320, 1280, 5120, 20480]);
        assert!(waits.iter().sum::<u64>() < 24 * 60 * 60);
    }
}
