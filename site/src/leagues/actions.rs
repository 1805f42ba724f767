//! Leagues: organisers make them, announce seasons and cancel them, and authors enter their bots.

use std::sync::Arc;

use flipside_operations::Request;
use flipside_store::archive::LATEST_MS;
use flipside_store::unix_ms;
use flipside_tournament::league::League;
use flipside_tournament::{Name, utc};

use super::season::{Season, SeasonTimes};
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::shared::actions::{logged, reason, refuse_long};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::site::{ReadContext, Site};

/// What is stored of a league.
pub(crate) struct LeagueWithSeasons {
    pub(crate) league: League,
    /// All seasons, from the first.
    pub(crate) seasons: Vec<Season>,
    /// The names of the bots that are entered for the next season.
    pub(crate) entries: Vec<String>,
}

impl LeagueWithSeasons {
    /// A season of it.
    ///
    /// # Errors
    /// When it has no such season.
    pub(crate) fn season(&self, number: u32) -> Result<&Season> {
        let found = self.seasons.iter().find(|season| season.number == number);
        let absent = || {
            let name = &self.league.name;
            Problem::not_found(format!("{name} has no season {number}"))
        };
        found.ok_or_else(absent)
    }
}

/// All leagues by name, each with its last season.
pub(crate) fn all(store: &AccountStore) -> Result<Vec<(League, Option<Season>)>, Error> {
    let with_season = |league: League| Ok((store.seasons(&league.name)?.pop(), league));
    let leagues = store.leagues()?.into_iter().map(with_season);
    leagues
        .map(|found: Result<_, Error>| found.map(|(season, league)| (league, season)))
        .collect()
}

/// What is stored of the league of this name.
pub(crate) async fn stored(site: &Arc<Site>, name: Name) -> Result<LeagueWithSeasons> {
    site.stored(move |store| {
        let league = store.league(&name)?;
        Ok(LeagueWithSeasons {
            league: league.ok_or_else(|| Error::NoLeague(name.to_string()))?,
            seasons: store.seasons(&name)?,
            entries: store.league_entries(&name)?,
        })
    })
    .await
}

/// Makes a league from its description in TOML.
pub(crate) async fn make(site: &Arc<Site>, by: &AccountVisitor, toml: String) -> Result<Name> {
    refuse_authors(by)?;
    refuse_long(&toml)?;
    let league = League::from_toml(&toml)
        .map_err(|error| Problem::unfit(error.to_string()).hints(error.hint))?;
    // What does not fit a game is better known now than when the season begins.
    for game in &league.games {
        let two = vec!["sample:random".to_owned(), "sample:greedy".to_owned()];
        let described = league.tournament(1, 1, game, two);
        let (_, spec) = described.map_err(|error| Problem::unfit(error.to_string()))?;
        if league.bots_of_match(game) <= 2 {
            Request::for_others(&spec)?;
        }
    }
    let (name, by) = (league.name.clone(), by.account.name.clone());
    site.stored(move |store| store.add_league(&league, &toml, &by, unix_ms()))
        .await?;
    Ok(name)
}

/// Announces the next season of a league, and gives its number.
pub(crate) async fn announce(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    times: SeasonTimes,
) -> Result<u32> {
    refuse_authors(by)?;
    if times.starts_at < times.deadline || times.ends_at <= times.starts_at {
        return Err(Problem::unfit(
            "a season starts at the deadline or later, and ends after that",
        ));
    }
    if times.ends_at > LATEST_MS {
        return Err(Problem::unfit("a season ends before the year 10000"));
    }
    if times.ends_at <= unix_ms() {
        let now = utc(unix_ms());
        return Err(Problem::unfit(format!(
            "it is {now} now: the season would be over"
        )));
    }
    let by = by.account.name.clone();
    let number = site
        .stored(move |store| store.announce_season(&name, times, &by, unix_ms()))
        .await?;
    site.accounts()?.leagues.wake();
    Ok(number)
}

/// Cancels a season: its tournaments end, and it counts for nothing.
pub(crate) async fn cancel(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    number: u32,
    why: &str,
) -> Result<()> {
    refuse_authors(by)?;
    let Some(reason) = reason(why)? else {
        let problem = Problem::unfit("a season is cancelled for a reason");
        return Err(problem.hint("say why, in one line"));
    };
    let why = reason.as_str().to_owned();
    logged(site, &by.account.name, move |site| {
        site.accounts()?.leagues.cancel(&name, number, &why)?;
        let what = format!("cancels season {number} of the league {name}: {why}");
        Ok(((), vec![what]))
    })
    .await
}

/// Enters a bot for the seasons of a league that are not fixed yet.
pub(crate) async fn enter(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    name: Name,
    bot: Name,
) -> Result<()> {
    let known = {
        let bot = bot.to_string();
        move |reading: &ReadContext<'_>| Ok(reading.bot_names()?.contains(&bot))
    };
    if !site.read(known).await? {
        return Err(Problem::not_found("there is no such bot")
            .hint("submit it first; a bot that has passed its check can be entered"));
    }
    let by = Arc::clone(by);
    site.stored(move |store| store.enter_league(&name, &bot, &by.account, unix_ms()))
        .await
}

/// Takes a bot out of the seasons of a league that are not fixed yet.
pub(crate) async fn leave(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    name: Name,
    bot: Name,
) -> Result<()> {
    let by = Arc::clone(by);
    site.stored(move |store| store.leave_league(&name, &bot, &by.account, unix_ms()))
        .await
}
