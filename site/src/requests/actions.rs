//! Requesting matches and deleting them again.

use std::sync::Arc;

use flipside_operations::{Failure, FailureKind};
use flipside_store::unix_ms;
use flipside_tournament::{Name, TournamentSpec, request_name, requesting_account};

use super::rows::Quota;
use crate::accounts::visitor::AccountVisitor;
use crate::bots::players::refuse_strangers;
use crate::shared::actions::logged;
use crate::shared::known_games::known;
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, Site};
use crate::tournaments::host::state::{DesiredState, Priority, QueuedTournament};
use crate::tournaments::hosting::host;

/// The most rounds of a request.
pub(super) const MAX_ROUNDS: u32 = 20;

/// The fewest and the most bots of a request.
pub(super) const MIN_BOTS: usize = 2;
pub(crate) const MAX_BOTS: usize = 6;

/// The most matches of a request.
const MAX_MATCHES: u64 = 60;

/// The most requests of an account that wait or are played.
const MAX_WAITING: usize = 3;

/// The clock of requests.
const REQUEST_CLOCK: &str = "move=1s";

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
        return Err(
            Problem::unfit(format!("a request is for {MIN_BOTS} to {MAX_BOTS} bots")).at("bots"),
        );
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(
            Problem::unfit(format!("a request is for 1 to {MAX_ROUNDS} rounds")).at("rounds"),
        );
    }
    // Each set of parameters would be a bot of its own in the arena, for ever.
    if let Some(bot) = bots.iter().find(|bot| bot.matches(':').count() > 1) {
        return Err(Problem::unfit(format!(
            "{bot}: a request takes built-in bots without parameters"
        ))
        .at("bots"));
    }
    known(&game).map_err(|problem| problem.at("game"))?;
    let (asked, of_game) = (bots.clone(), game.clone());
    let read = move |reading: &ReadContext<'_>| refuse_strangers(reading, &asked, &of_game);
    site.read(read).await?;
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
    let request = flipside_operations::Request::for_others(&spec);
    let matches = request.and_then(|request| request.matches());
    let matches = matches.map_err(|failure| Problem::from(failure).at("bots"))?;
    if matches > MAX_MATCHES {
        return Err(Problem::unfit(format!(
            "these are {matches} matches, and a request is for {MAX_MATCHES} at most"
        ))
        .at("rounds"));
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
    logged(site, &by.account.name, move |site| {
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
pub(super) async fn quota(site: &Arc<Site>, by: &AccountVisitor) -> Result<Quota> {
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
    logged(site, &by.account.name, move |site| {
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
