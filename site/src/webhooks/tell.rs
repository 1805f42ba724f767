//! Tells webhooks of what is new, again and again.

use std::sync::Arc;

use super::find::Finder;
use super::send::Sender;
use crate::shared::problem::Problem;
use crate::site::Site;

impl Site {
    /// Tells webhooks of what is new, until the site stops.
    pub async fn tell_webhooks(self: Arc<Self>) {
        if self.accounts.is_none() {
            return;
        }
        let mut ticks = self.ticks(self.limits.webhooks.every);
        let mut finder = Finder::default();
        let mut sender = Sender::new(&self);
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
