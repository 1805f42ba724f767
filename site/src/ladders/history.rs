//! What was seen of the ladders.

use std::collections::HashMap;

use flipside_tournament::{BotId, Name};

use crate::shared::threads::RetryTimes;

/// What was seen of the ladders since the server has started.
#[derive(Default)]
pub(crate) struct LadderHistory {
    /// By game.
    pub(super) of_game: HashMap<String, (Option<Name>, Option<String>)>,
    /// What has failed: bots of a tournament, or (none) to play the tournament.
    pub(super) failed: RetryTimes<(Name, Option<BotId>)>,
}
