//! What organisers do with tournaments: beginning, pausing, resuming, changing them. Each is written into the log.

use std::sync::Arc;

use flipside_operations::{ChangeMade, Extension, Joining, Leaving, Plan};
use flipside_report::words;
use flipside_tournament::{BotRef, MAX_ENTRANTS, Name, TournamentSpec, requesting_account};
use serde_json::Value;

use super::host::state::Priority;
use super::hosting::{host, hosted_by};
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::bots::players::refuse_strangers;
use crate::shared::actions::{logged, reason, refuse_long};
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, Site};

/// A tournament from its description in TOML.
pub(crate) fn described(toml: &str) -> Result<TournamentSpec> {
    refuse_long(toml)?;
    TournamentSpec::from_toml(toml).map_err(|error| {
        Problem::unfit(error.to_string())
            .hints(error.hint)
            .at("toml")
    })
}

/// What a tournament of an organiser would be. Its bots are started once.
pub(super) async fn foresee(site: &Arc<Site>, spec: TournamentSpec) -> Result<Plan> {
    hosted_by(site, move |host| host.foresee(&spec)).await
}

/// Begins a tournament of an organiser. A ladder is for processors that are spare.
pub(super) async fn begin_tournament(
    site: &Arc<Site>,
    by: &AccountVisitor,
    spec: TournamentSpec,
) -> Result<Name> {
    refuse_authors(by)?;
    let is_ladder = spec.get("format").and_then(Value::as_str) == Some("ladder");
    let rank = match is_ladder {
        true => Priority::Ladder,
        false => Priority::Tournament,
    };
    let name = spec.get("name").and_then(Value::as_str);
    if name.is_some_and(|name| requesting_account(name).is_some()) {
        let problem = Problem::unfit("the names of requested matches begin so");
        return Err(problem.hint("choose another name").at("name"));
    }
    if let (Some(game), Some(Value::Array(bots))) = (spec.get("game"), spec.get("bots")) {
        let bots = bots.iter().filter_map(Value::as_str).map(String::from);
        let (bots, game): (Vec<String>, _) = (bots.collect(), game.as_str().unwrap_or_default());
        let game = game.to_owned();
        let read = move |reading: &ReadContext<'_>| refuse_strangers(reading, &bots, &game);
        site.read(read).await?;
    }
    logged(site, &by.account.name, move |site| {
        let name = host(site)?.begin(&spec, rank, |_| Ok(()))?;
        let what = format!("begins the tournament {name}");
        Ok((name, vec![what]))
    })
    .await
}

/// Pauses a tournament of the server after its running matches.
pub(crate) async fn pause(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<()> {
    refuse_authors(by)?;
    logged(site, &by.account.name, move |site| {
        if !host(site)?.pause(&name)? {
            return Err(Problem::not_found(
                "this server does not play the tournament",
            ));
        }
        Ok(((), vec![format!("pauses the tournament {name}")]))
    })
    .await
}

/// Lets the server play a tournament on.
pub(super) async fn resume(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<()> {
    refuse_authors(by)?;
    logged(site, &by.account.name, move |site| {
        site.arena.read_journal()?.tournament(name.as_str())?;
        host(site)?.resume(&name)?;
        Ok(((), vec![format!("resumes the tournament {name}")]))
    })
    .await
}

/// Takes a tournament that is paused or has failed out of the queue. Says whether it was there.
pub(crate) async fn remove(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<bool> {
    refuse_authors(by)?;
    logged(site, &by.account.name, move |site| {
        let was_there = host(site)?.remove(&name)?;
        let what = was_there.then(|| format!("removes the tournament {name} from the queue"));
        Ok((was_there, what.into_iter().collect()))
    })
    .await
}

/// A bot leaves a tournament, by itself or as disqualified.
pub(crate) async fn withdraw(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    bot: &str,
    how: Leaving,
    why: &str,
) -> Result<()> {
    refuse_authors(by)?;
    let bot: BotRef = bot
        .parse()
        .map_err(|error| Problem::unfit(format!("the bot's name: {error}")).at("bot"))?;
    let reason = reason(why)?;
    if how != Leaving::Withdrawn && reason.is_none() {
        let problem = Problem::unfit("a bot is disqualified for a reason");
        return Err(problem.hint("say why, in one line").at("reason"));
    }
    let entrants = {
        let name = name.clone();
        let read = move |reading: &ReadContext<'_>| {
            Ok(reading.journal.tournament(name.as_str())?.entrants)
        };
        site.read(read).await?
    };
    if !entrants.iter().any(|entrant| bot.fits(entrant)) {
        return Err(Problem::not_found(format!("{bot} is not in {name}")).at("bot"));
    }
    change(site, by, name, move |site, name| {
        let (arena, from) = (site.arena.path(), Some(name.as_str()));
        let reason = reason.as_ref();
        Ok(flipside_operations::withdraw(
            arena, &bot, from, how, reason,
        )?)
    })
    .await
}

/// Bots join a tournament that has begun, and the server plays it on.
pub(crate) async fn join(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    bots: Vec<String>,
    why: &str,
) -> Result<()> {
    let reason = reason(why)?;
    if !(1..=MAX_ENTRANTS).contains(&bots.len()) {
        let message = format!("1 to {MAX_ENTRANTS} bots can join at once");
        return Err(Problem::unfit(message).at("bots"));
    }
    refuse_authors(by)?;
    let (named, of) = (bots.clone(), name.clone());
    let read = move |reading: &ReadContext<'_>| {
        let game = reading.journal.tournament(of.as_str())?.settings.game;
        refuse_strangers(reading, &named, &game)
    };
    site.read(read).await?;
    change(site, by, name, move |site, name| {
        // Bots that join are started.
        host(site)?.isolated(name)?;
        let joining = Joining {
            bots: &bots,
            files: false,
            reason: reason.as_ref(),
        };
        let mut note = |line: &str| tracing::info!("{line}");
        let made =
            flipside_operations::join(site.arena.path(), name.as_str(), &joining, &mut note)?;
        let host = host(site)?;
        let tournament = site.arena.read_journal()?.tournament(name.as_str())?;
        // A ladder that the server keeps is played as often as it may.
        if !host.is_hosted(name) && !host.keeps(&tournament)? {
            host.resume(name)?;
        }
        Ok(made)
    })
    .await
}

/// Makes a tournament longer, and lets the server play it on.
pub(crate) async fn extend(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    extension: Extension,
    why: &str,
) -> Result<()> {
    let reason = reason(why)?;
    change(site, by, name, move |site, name| {
        host(site)?.isolated(name)?;
        let (arena, reason) = (site.arena.path(), reason.as_ref());
        let made = flipside_operations::extend(arena, name.as_str(), extension, reason)?;
        host(site)?.resume(name)?;
        Ok(vec![made])
    })
    .await
}

/// Ends a tournament before its end.
pub(crate) async fn cancel(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    why: &str,
) -> Result<()> {
    let reason = reason(why)?;
    change(site, by, name, move |site, name| {
        let (arena, reason) = (site.arena.path(), reason.as_ref());
        let made = flipside_operations::cancel(arena, name.as_str(), reason)?;
        Ok(vec![made])
    })
    .await
}

/// Makes a change, and writes it into the log.
async fn change(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    make: impl FnOnce(&Site, &Name) -> Result<Vec<ChangeMade>> + Send + 'static,
) -> Result<()> {
    refuse_authors(by)?;
    logged(site, &by.account.name, move |site| {
        let made = make(site, &name)?.into_iter();
        let what = made.map(|made| format!("{name}: {}", words::changed(&made.change)));
        Ok(((), what.collect()))
    })
    .await
}
