//! The names of bots.

use crate::shared::problem::Result;
use crate::site::ReadContext;

impl ReadContext<'_> {
    /// The names of the bots of the arena, each once.
    pub(crate) fn bot_names(&self) -> Result<Vec<String>> {
        let bots = self.journal.bots()?;
        let mut names: Vec<String> = bots.iter().map(|bot| bot.name.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}
