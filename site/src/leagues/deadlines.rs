//! Until when bots can be uploaded for the next season of each league.

use std::sync::Arc;

use flipside_store::unix_ms;
use flipside_tournament::league::League;

use super::actions::all;
use super::season::SeasonState;
use crate::shared::problem::Result;
use crate::shared::times::When;
use crate::site::Site;

/// The deadline of a season in which bots can still be entered.
pub(crate) struct Deadline {
    /// The name of the league.
    pub(crate) league: String,
    pub(crate) headline: String,
    /// The number of the season.
    pub(crate) season: u32,
    pub(crate) until: When,
}

/// Those that have not passed, the next first.
pub(crate) async fn deadlines(site: &Arc<Site>) -> Result<Vec<Deadline>> {
    let now = unix_ms();
    let leagues = site.stored(all).await?;
    let open = leagues.into_iter().filter_map(|(league, season)| {
        let season = season?;
        let is_open = season.state == SeasonState::Open && now <= season.times.deadline;
        is_open.then_some((season.times.deadline, league, season.number))
    });
    let mut open: Vec<_> = open.collect();
    open.sort_by_key(|(until, ..)| *until);
    let deadline = |(until, league, season): (u64, League, u32)| {
        let headline = league.headline().to_owned();
        let league = league.name.to_string();
        Deadline {
            league,
            headline,
            season,
            until: When::at(until),
        }
    };
    Ok(open.into_iter().map(deadline).collect())
}
