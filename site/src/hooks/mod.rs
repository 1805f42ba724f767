//! Webhooks: organisers have a program of theirs told of every result and of the end of tournaments.
//!
//! What is to be told is found in the journal, so results of other processes are told as well, and playing never waits
//! for it. Messages are rows of the store from the moment they are found until they have arrived or were given up, so a
//! restart loses none. They are signed as [Standard Webhooks](https://www.standardwebhooks.com) says.

pub(crate) mod find;
pub(crate) mod limits;
mod ranges;
pub(crate) mod rows;
mod send;
pub(crate) mod sign;

use std::sync::Arc;

pub use self::limits::WebhookLimits;
use crate::problem::Problem;
use crate::site::Site;

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
