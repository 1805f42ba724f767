//! Leagues: organisers make them, announce seasons and cancel them, and authors enter their bots.

use std::sync::Arc;

use flipside_games::find;
use flipside_operations::Request;
use flipside_store::archive::LATEST_MS;
use flipside_store::unix_ms;
use flipside_tournament::league::League;
use flipside_tournament::{Bot, Name};

use super::progress::latest;
use super::season::{Season, SeasonTimes};
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::shared::actions::{logged, reason, refuse_long};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::site::{ReadContext, Site};

/// Times are given in whole minutes, and this one has not passed.
const MINUTE: u64 = 60_000;

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
    let league = League::from_toml(&toml).map_err(|error| {
        Problem::unfit(error.to_string())
            .hints(error.hint)
            .at("toml")
    })?;
    // What does not fit a game is better known now than when the season begins.
    for game in &league.games {
        let two = vec!["sample:random".to_owned(), "sample:greedy".to_owned()];
        let described = league.tournament(1, 1, game, two);
        let (_, spec) = described.map_err(|error| Problem::unfit(error.to_string()).at("toml"))?;
        if league.bots_of_match(game) <= 2 {
            let fits = Request::for_organisers(&spec, site.limits.bot_network);
            fits.map_err(|failure| Problem::from(failure).at("toml"))?;
        }
    }
    let (name, by) = (league.name.clone(), by.account.name.clone());
    site.stored(move |store| store.add_league(&league, &toml, &by, unix_ms()))
        .await?;
    if let Some(accounts) = &site.accounts {
        accounts.leagues.made();
    }
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
    if times.starts_at < times.deadline {
        let message = "a season starts at its deadline or later";
        return Err(Problem::unfit(message).at("starts_at"));
    }
    if times.ends_at <= times.starts_at {
        let message = "a season ends after its start";
        return Err(Problem::unfit(message).at("ends_at"));
    }
    if times.ends_at > LATEST_MS {
        let message = "a season ends before the year 10000";
        return Err(Problem::unfit(message).at("ends_at"));
    }
    if times.deadline + MINUTE < unix_ms() {
        let message = "the deadline has passed: no bot could be entered any more";
        return Err(Problem::unfit(message).at("deadline"));
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
        return Err(problem.hint("say why, in one line").at("reason"));
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
    let league = stored(site, name.clone()).await?.league;
    let named = bot.to_string();
    let check = move |reading: &ReadContext<'_>| {
        let bots = reading.journal.bots()?;
        refuse_idle(&league, latest(&bots, &named)).map_err(|problem| problem.at("bot"))
    };
    site.read(check).await?;
    let by = Arc::clone(by);
    site.stored(move |store| store.enter_league(&name, &bot, &by.account, unix_ms()))
        .await
}

/// Makes sure that a bot plays one of the games of a league.
fn refuse_idle(league: &League, bot: Option<&Bot>) -> Result<()> {
    let Some(bot) = bot else {
        return Err(Problem::not_found("there is no such bot")
            .hint("submit it first; a bot that has passed its check can be entered"));
    };
    if league.games.iter().any(|game| bot.plays(game)) {
        return Ok(());
    }
    let titles = league.games.iter();
    let titles = titles.map(|id| find(id).map_or(id.as_str(), |game| game.info().title));
    let titles = titles.collect::<Vec<_>>().join(", ");
    let (bot, league) = (bot.label(), &league.name);
    let problem = format!("{bot} has passed its check for none of the games of {league}");
    Err(Problem::unfit(problem).hint(format!(
        "they are {titles}: submit a version that plays one"
    )))
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
