//! Continuous ladders: an organiser keeps one for a game.

use std::sync::Arc;

use flipside_protocol::Clock;

use super::keep::{HostedLadder, MAX_A_DAY};
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::bots::players::refuse_strangers;
use crate::shared::actions::logged;
use crate::shared::known_games::look_up;
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, Site};
use crate::tournaments::hosting::host;

/// The most bots that are named beside those that are submitted.
pub(super) const MAX_NAMED: usize = 50;

/// Keeps the ladder of a game from now on, or changes by what it is kept. Gives the title of the game.
pub(crate) async fn keep(
    site: &Arc<Site>,
    by: &AccountVisitor,
    ladder: HostedLadder,
) -> Result<&'static str> {
    refuse_authors(by)?;
    let game = look_up(site, ladder.game.clone()).await;
    let game = game.map_err(|problem| problem.at("game"))?;
    let ladder = HostedLadder {
        game: game.info().id.to_owned(),
        clock: ladder.clock.trim().to_owned(),
        ..ladder
    };
    if !(1..=MAX_A_DAY).contains(&ladder.a_day) {
        return Err(
            Problem::unfit(format!("a ladder plays 1 to {MAX_A_DAY} matches a day")).at("a_day"),
        );
    }
    if !ladder.clock.is_empty() {
        let parsed = ladder.clock.parse::<Clock>();
        parsed.map_err(|error| Problem::unfit(format!("the clock: {error}")).at("clock"))?;
    }
    if ladder.bots.len() > MAX_NAMED {
        return Err(
            Problem::unfit(format!("at most {MAX_NAMED} further bots can be named")).at("bots"),
        );
    }
    let (named, of_game) = (ladder.bots.clone(), ladder.game.clone());
    let read = move |reading: &ReadContext<'_>| refuse_strangers(reading, &named, &of_game);
    site.read(read).await?;
    logged(site, &by.account.name, move |site| {
        host(site)?.keep_ladder(&ladder)?;
        let HostedLadder { game, a_day, .. } = ladder;
        let what = format!("keeps a ladder of {game}, {a_day} matches a day");
        Ok(((), vec![what]))
    })
    .await?;
    Ok(game.info().title)
}

/// Keeps the ladder of a game no longer.
pub(crate) async fn stop(site: &Arc<Site>, by: &AccountVisitor, game: String) -> Result<()> {
    refuse_authors(by)?;
    logged(site, &by.account.name, move |site| {
        if !host(site)?.drop_ladder(&game)? {
            return Err(Problem::not_found(format!(
                "there is no ladder of {game:?}"
            )));
        }
        Ok(((), vec![format!("stops the ladder of {game}")]))
    })
    .await
}
