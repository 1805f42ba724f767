//! Lists of matches: of a tournament, a game, a bot, or all of them.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use flipside_store::MatchFilter;
use serde::Deserialize;

use super::results::results;
use crate::bots;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, Pager, game_title, query};
use crate::site::ReadContext;

/// Matches of a page.
const SHOWN: usize = 50;

/// Which matches are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
struct MatchesQuery {
    tournament: Option<String>,
    game: Option<String>,
    bot: Option<String>,
    /// Who played with it.
    against: Option<String>,
    faults: bool,
    /// Only those after the match of this id in the list.
    before: Option<String>,
}

#[derive(Template)]
#[template(path = "matches.html")]
struct Matches {
    title: String,
    matches: Grid,
    has_accounts: bool,
}

impl PageView for Matches {
    fn head(&self) -> PageHead {
        PageHead::new(&self.title, Section::Matches)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/matches", get(matches))
}

async fn matches(Query(asked): Query<MatchesQuery>, visit: Visit) -> Result<Response> {
    let asked = asked.without_empty();
    let key = format!("matches {asked:?}");
    visit.page(key, move |reading| make(reading, &asked)).await
}

impl MatchesQuery {
    /// A form sends fields that nobody filled in.
    fn without_empty(self) -> Self {
        let some = |text: Option<String>| text.filter(|text| !text.is_empty());
        MatchesQuery {
            tournament: some(self.tournament),
            game: some(self.game),
            bot: some(self.bot),
            against: some(self.against),
            before: some(self.before),
            faults: self.faults,
        }
    }

    fn title(&self) -> String {
        let mut title = if self.faults {
            "Matches with faults"
        } else {
            "Matches"
        }
        .to_owned();
        for (word, what) in [
            ("of", &self.bot),
            ("against", &self.against),
            ("in", &self.tournament),
            ("at", &self.game.as_deref().map(game_title)),
        ] {
            if let Some(what) = what {
                title += &format!(" {word} {what}");
            }
        }
        title
    }

    /// The address of the list after a match.
    fn after(&self, id: &str) -> String {
        query([
            ("tournament", self.tournament.as_deref()),
            ("game", self.game.as_deref()),
            ("bot", self.bot.as_deref()),
            ("against", self.against.as_deref()),
            ("faults", self.faults.then_some("true")),
            ("before", Some(id)),
        ])
    }
}

/// The matches of a tournament, at a game and of a bot, after one in the list: those of each that is asked for.
///
/// # Errors
/// When one of them is not there.
pub(super) fn match_filter(
    reading: &ReadContext<'_>,
    tournament: Option<&str>,
    game: Option<&str>,
    bot: Option<&str>,
    after: Option<&str>,
) -> Result<MatchFilter> {
    let journal = reading.journal;
    let tournament = tournament.map(|name| journal.tournament(name));
    let tournament = tournament.transpose()?;
    let game = game.map(crate::shared::known_games::known).transpose()?;
    let bot = bot
        .map(|typed| bots::page::known(reading, typed))
        .transpose()?;
    let before = after.map(|id| journal.match_row(id)).transpose()?;
    Ok(MatchFilter {
        tournament: tournament.map(|one| one.id),
        game: game.map(|one| one.info().id.to_owned()),
        bot: bot.map(|one| one.id),
        before: before.map(|row| (row.tournament_id, row.index)),
        ..MatchFilter::default()
    })
}

fn make(reading: &ReadContext<'_>, asked: &MatchesQuery) -> Result<Matches> {
    let (tournament, game) = (asked.tournament.as_deref(), asked.game.as_deref());
    let (bot, before) = (asked.bot.as_deref(), asked.before.as_deref());
    let against = asked.against.as_deref();
    let against = against.map(|typed| bots::page::known(reading, typed));
    let against = against.transpose()?.map(|bot| bot.id);
    let mut rows = reading.journal.matches(&MatchFilter {
        against,
        faults_only: asked.faults,
        limit: SHOWN + 1,
        ..match_filter(reading, tournament, game, bot, before)?
    })?;
    let is_more = rows.len() > SHOWN;
    rows.truncate(SHOWN);
    let is_of_one = asked.game.is_some() || asked.tournament.is_some();
    let mut matches = results("matches", "Matches, the latest first", &rows, !is_of_one);
    matches = matches.or("no match like that was played yet");
    let next = rows
        .last()
        .filter(|_| is_more)
        .map(|last| asked.after(&last.id));
    matches.pager = (next.is_some() || asked.before.is_some()).then(|| Pager {
        text: format!("{} matches", rows.len()),
        previous: None,
        next,
    });
    let title = asked.title();
    Ok(Matches {
        title,
        matches,
        has_accounts: reading.site.accounts.is_some(),
    })
}
