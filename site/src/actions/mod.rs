//! What people with an account make the server do, the same for pages and for the API: tournaments, changes of them,
//! requested matches, leagues, ladders, webhooks, invitations. Each is written into the log.

pub(crate) mod ladders;
pub(crate) mod leagues;
pub(crate) mod webhooks;

use std::sync::Arc;

use axum::http::StatusCode;
use flipside_operations::{
    ChangeMade, Extension, Failure, FailureKind, Joining, Result as Outcome,
};
use flipside_tournament::report::words;
use flipside_tournament::{
    BotRef, ChangeReason, MAX_ENTRANTS, Name, TournamentSpec, request_name, requesting_account,
    unix_ms,
};
use serde_json::Value;

use crate::accounts::people::{Invite, invite_by, note};
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::host::state::{DesiredState, Host, Priority, QueuedTournament};
use crate::problem::{Problem, Result};
use crate::requests::Quota;
use crate::site::{ReadContext, Site};

/// The longest description of a tournament or a league, in bytes.
pub(crate) const MAX_DESCRIPTION: usize = 32 << 10;

/// The most rounds of a request.
pub(crate) const MAX_ROUNDS: u32 = 20;

/// The fewest and the most bots of a request.
pub(crate) const MIN_BOTS: usize = 2;
pub(crate) const MAX_BOTS: usize = 6;

/// The most matches of a request.
const MAX_MATCHES: u64 = 60;

/// The most requests of an account that wait or are played.
const MAX_WAITING: usize = 3;

/// The clock of requests.
const REQUEST_CLOCK: &str = "move=1s";

/// How many days an invitation lasts.
const INVITATION_DAYS: u32 = 7;

/// The most accounts of an invitation.
pub(crate) const MAX_USES: u32 = 1_000;

/// The host of a site that has accounts.
pub(crate) fn host(site: &Site) -> Result<&Host> {
    Ok(&site.accounts()?.host)
}

/// Asks the host for something, on a thread that may wait.
pub(crate) async fn hosted_by<T: Send + 'static>(
    site: &Arc<Site>,
    ask: impl FnOnce(&Host) -> Outcome<T> + Send + 'static,
) -> Result<T> {
    site.wait_for(|site| Ok(ask(host(site)?)?)).await
}

/// Does something for a visitor on a thread that may wait, and writes what was done into the log. Both happen whether
/// or not the visitor still waits for the answer.
pub(crate) async fn logged<T: Send + 'static>(
    site: &Arc<Site>,
    by: &AccountVisitor,
    act: impl FnOnce(&Site) -> Result<(T, Vec<String>)> + Send + 'static,
) -> Result<T> {
    let by = by.account.name.clone();
    site.wait_for(move |site| {
        let (done, all) = act(site)?;
        let store = &site.accounts()?.store;
        store.change(|store| {
            let write = |what: &String| note(store, unix_ms(), &by, what);
            all.iter().try_for_each(write)
        })?;
        Ok(done)
    })
    .await
}

/// Makes sure that a description of a tournament or a league is not too long.
pub(crate) fn refuse_long(toml: &str) -> Result<()> {
    match toml.len() <= MAX_DESCRIPTION {
        true => Ok(()),
        false => {
            let message = format!("a description has at most {MAX_DESCRIPTION} bytes");
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
    }
}

/// A tournament from its description in TOML.
pub(crate) fn described(toml: &str) -> Result<TournamentSpec> {
    refuse_long(toml)?;
    TournamentSpec::from_toml(toml)
        .map_err(|error| Problem::unfit(error.to_string()).hints(error.hint))
}

/// Begins a tournament of an organiser. A ladder is for processors that are spare.
pub(crate) async fn begin_tournament(
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
        return Err(problem.hint("choose another name"));
    }
    logged(site, by, move |site| {
        let name = host(site)?.begin(&spec, rank, |_| Ok(()))?;
        let what = format!("begins the tournament {name}");
        Ok((name, vec![what]))
    })
    .await
}

/// Pauses a tournament of the server after its running matches.
pub(crate) async fn pause(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<()> {
    refuse_authors(by)?;
    logged(site, by, move |site| {
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
pub(crate) async fn resume(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<()> {
    refuse_authors(by)?;
    logged(site, by, move |site| {
        site.arena.read_journal()?.tournament(name.as_str())?;
        host(site)?.resume(&name)?;
        Ok(((), vec![format!("resumes the tournament {name}")]))
    })
    .await
}

/// Takes a tournament that is paused or has failed out of the queue. Says whether it was there.
pub(crate) async fn remove(site: &Arc<Site>, by: &AccountVisitor, name: Name) -> Result<bool> {
    refuse_authors(by)?;
    logged(site, by, move |site| {
        let was_there = host(site)?.remove(&name)?;
        let what = was_there.then(|| format!("removes the tournament {name} from the queue"));
        Ok((was_there, what.into_iter().collect()))
    })
    .await
}

/// Asks for a match or a short series of somebody, and says how many more they may ask for. It is played before
/// tournaments, and changes no rating.
pub(crate) async fn request_matches(
    site: &Arc<Site>,
    by: &AccountVisitor,
    game: String,
    bots: Vec<String>,
    rounds: u32,
) -> Result<(Name, Quota)> {
    if !(MIN_BOTS..=MAX_BOTS).contains(&bots.len()) {
        return Err(Problem::unfit(format!(
            "a request is for {MIN_BOTS} to {MAX_BOTS} bots"
        )));
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(Problem::unfit(format!(
            "a request is for 1 to {MAX_ROUNDS} rounds"
        )));
    }
    // Each set of parameters would be a bot of its own in the arena, for ever.
    if let Some(bot) = bots.iter().find(|bot| bot.matches(':').count() > 1) {
        return Err(Problem::unfit(format!(
            "{bot}: a request takes built-in bots without parameters"
        )));
    }
    let account = by.account.id;
    let name = request_name(account.0, rand::random());
    let mut spec = TournamentSpec::default();
    spec.put("name", &*name);
    spec.put("title", format!("Requested by {}", by.account.name));
    spec.put("game", game);
    spec.put("bots", bots);
    spec.put("rounds", rounds);
    spec.put("clock", REQUEST_CLOCK);
    spec.put("unrated", true);
    let matches = flipside_operations::Request::for_others(&spec)?.matches()?;
    if matches > MAX_MATCHES {
        return Err(Problem::unfit(format!(
            "these are {matches} matches, and a request is for {MAX_MATCHES} at most"
        )));
    }
    let may = move |hosted: &[QueuedTournament]| {
        let own = hosted.iter().filter(|one| {
            requesting_account(one.tournament.as_str()) == Some(account.0)
                && !matches!(one.wanted, DesiredState::Failed(_))
        });
        if own.count() < MAX_WAITING {
            return Ok(());
        }
        let what = format!("{MAX_WAITING} of your requests are not over yet");
        let failure = Failure::of(FailureKind::Conflict, what);
        Err(failure.hint("wait until one of them has been played"))
    };
    site.rates.request_matches(account)?;
    let name: Name = name.parse().map_err(|error| Problem::internal(&error))?;
    logged(site, by, move |site| {
        let store = &site.accounts()?.store;
        let left = store.take_request(account, &name, site.limits.requests_a_day, unix_ms())?;
        if let Err(failure) = host(site)?.begin(&spec, Priority::Request, may) {
            store.return_request(&name)?;
            return Err(failure.into());
        }
        let what = format!("begins the tournament {name}");
        Ok(((name, left), vec![what]))
    })
    .await
}

/// How many requests are left to somebody.
pub(crate) async fn quota(site: &Arc<Site>, by: &AccountVisitor) -> Result<Quota> {
    let (account, a_day) = (by.account.id, site.limits.requests_a_day);
    site.stored(move |store| store.quota(account, a_day, unix_ms()))
        .await
}

/// Deletes requested matches with their records: of one's own, or of anybody for organisers. It still counts as a
/// request of its day.
pub(crate) async fn delete_request(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
) -> Result<()> {
    let (account, is_organiser) = (by.account.id.0, by.is_organiser());
    logged(site, by, move |site| {
        let tournament = site.arena.read_journal()?.tournament(name.as_str())?;
        let author = tournament.requested_by();
        if author.is_some_and(|author| author != account) && !is_organiser {
            let problem = "these matches were requested by somebody else";
            return Err(Problem::forbidden(problem));
        }
        if author.is_some() {
            host(site)?.forget(&name)?;
        }
        let id = flipside_operations::delete_request(site.arena.path(), &name)?;
        site.accounts()?.store.forget_heard(id)?;
        Ok(((), vec![format!("deletes the requested matches {name}")]))
    })
    .await
}

/// A reason that somebody has typed, or none.
pub(crate) fn reason(text: &str) -> Result<Option<ChangeReason>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let reason = text.parse().map(Some);
    reason.map_err(|error| Problem::unfit(format!("the reason: {error}")))
}

/// A bot leaves a tournament, by itself or as disqualified.
pub(crate) async fn withdraw(
    site: &Arc<Site>,
    by: &AccountVisitor,
    name: Name,
    bot: &str,
    is_disqualified: bool,
    why: &str,
) -> Result<()> {
    refuse_authors(by)?;
    let bot: BotRef = bot
        .parse()
        .map_err(|error| Problem::unfit(format!("the bot's name: {error}")))?;
    let reason = reason(why)?;
    if is_disqualified && reason.is_none() {
        let problem = Problem::unfit("a bot is disqualified for a reason");
        return Err(problem.hint("say why, in one line"));
    }
    let entrants = {
        let name = name.clone();
        let read = move |reading: &ReadContext<'_>| {
            Ok(reading.journal.tournament(name.as_str())?.entrants)
        };
        site.read(read).await?
    };
    if !entrants.iter().any(|entrant| bot.fits(entrant)) {
        return Err(Problem::not_found(format!("{bot} is not in {name}")));
    }
    change(site, by, name, move |site, name| {
        let (arena, from) = (site.arena.path(), Some(name.as_str()));
        let reason = reason.as_ref();
        Ok(flipside_operations::withdraw(
            arena,
            &bot,
            from,
            is_disqualified,
            reason,
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
        return Err(Problem::unfit(message));
    }
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
    logged(site, by, move |site| {
        let made = make(site, &name)?.into_iter();
        let what =
            made.map(|made| format!("{name}: {}", words::changed(&made.tournament, &made.change)));
        Ok(((), what.collect()))
    })
    .await
}

/// Makes an invitation, and returns its address; its path where the site does not know its own address.
pub(crate) async fn invite(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    uses: u32,
    organiser: bool,
) -> Result<String> {
    refuse_authors(by)?;
    if !(1..=MAX_USES).contains(&uses) {
        let message = format!("an invitation is for 1 to {MAX_USES} accounts");
        return Err(Problem::unfit(message));
    }
    let asked = Invite {
        organiser,
        uses,
        days: INVITATION_DAYS,
    };
    let by = Arc::clone(by);
    let path = site
        .stored(move |store| invite_by(store, asked, Some(&by.account)))
        .await?;
    let origin = site.settings.url.as_ref().map_or("", |url| url.origin());
    Ok(format!("{origin}{path}"))
}

/// Disables an account, or lets it go on.
pub(crate) async fn disable(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    account: String,
    is_disabled: bool,
) -> Result<()> {
    refuse_authors(by)?;
    // Otherwise nobody might be left who could undo it.
    if account.eq_ignore_ascii_case(&by.account.name) {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "you cannot disable your own account",
        ));
    }
    let by = Arc::clone(by);
    site.stored(move |store| store.disable(&account, is_disabled, &by.account, unix_ms()))
        .await
}
