//! Webhooks: organisers have a program of theirs told of every result and of the end of tournaments.
//!
//! What is to be told is found in the journal, so results of other processes are told as well, and playing never waits
//! for it. Messages are rows of the store from the moment they are found until they have arrived or were given up, so a
//! restart loses none. They are signed as [Standard Webhooks](https://www.standardwebhooks.com) says.

pub(super) mod find;
mod ranges;
pub(super) mod rows;
mod send;
pub(super) mod sign;

use std::sync::Arc;
use std::time::Duration;

use crate::problem::Problem;
use crate::site::Site;

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
    fn wait_after(&self, attempts: u32) -> Duration {
        self.pause * 4_u32.saturating_pow(attempts.saturating_sub(1))
    }
}

impl Site {
    /// Tells webhooks of what is new, until the site stops.
    pub async fn tell_webhooks(self: Arc<Self>) {
        if self.accounts.is_none() {
            return;
        }
        let mut ticks = self.ticks(self.limits.webhooks.every);
        let mut finder = find::Finder::default();
        let mut sender = send::Sender::new(&self);
        while ticks.next().await {
            if let Err(Problem { message, .. }) = finder.find(&self).await {
                tracing::warn!(problem = message, "cannot look for news of webhooks");
            }
            if let Err(problem) = sender.send_due(&self).await {
                tracing::warn!(problem = problem.message, "cannot send to webhooks");
            }
        }
        sender.finish().await;
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
