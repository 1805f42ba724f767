//! Lists of matches: of a tournament, a game, a bot, or all of them.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::report::{Row, Table};
use flipside_tournament::{MatchFilter, MatchRow};
use serde::Deserialize;

use super::{bot, game};
use crate::Site;
use crate::page::{Head, Section, View, Visit};
use crate::problem::Result;
use crate::site::Reading;
use crate::table::{Grid, Pager, encoded};

/// Matches of a page.
const SHOWN: usize = 50;

/// Which matches are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
struct Asked {
    tournament: Option<String>,
    game: Option<String>,
    bot: Option<String>,
    faults: bool,
    /// Only those after the match of this id in the list.
    before: Option<String>,
}

#[derive(Template)]
#[template(path = "matches.html")]
struct Matches {
    title: String,
    matches: Grid,
}

impl View for Matches {
    fn head(&self) -> Head {
        Head {
            title: self.title.clone(),
            section: Section::Tournaments,
            live: None,
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/matches", get(matches))
}

async fn matches(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    visit: Visit,
) -> Response {
    let asked = asked.without_empty();
    let key = format!("matches {asked:?}");
    site.page(visit, key, move |reading| make(reading, &asked))
        .await
}

impl Asked {
    /// A form sends fields that nobody filled in.
    fn without_empty(self) -> Self {
        let some = |text: Option<String>| text.filter(|text| !text.is_empty());
        Asked {
            tournament: some(self.tournament),
            game: some(self.game),
            bot: some(self.bot),
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
            ("in", &self.tournament),
            ("at", &self.game),
        ] {
            if let Some(what) = what {
                title += &format!(" {word} {what}");
            }
        }
        title
    }

    /// The address of the list after a match.
    fn after(&self, id: &str) -> String {
        let parts = [
            ("tournament", self.tournament.as_deref()),
            ("game", self.game.as_deref()),
            ("bot", self.bot.as_deref()),
            ("faults", self.faults.then_some("true")),
            ("before", Some(id)),
        ];
        let parts = parts.iter().filter_map(|(name, value)| {
            let value = (*value)?;
            Some(format!("{name}={}", encoded(value)))
        });
        format!("?{}", parts.collect::<Vec<_>>().join("&"))
    }
}

fn make(reading: &Reading<'_>, asked: &Asked) -> Result<Matches> {
    let journal = reading.journal;
    let tournament = asked.tournament.as_deref();
    let tournament = tournament
        .map(|name| journal.tournament(name))
        .transpose()?;
    let game = asked.game.as_deref().map(game::known).transpose()?;
    let bot = asked
        .bot
        .as_deref()
        .map(|bot| bot::known(reading, bot))
        .transpose()?;
    let before = asked
        .before
        .as_deref()
        .map(|id| journal.match_row(id))
        .transpose()?;
    let mut rows = journal.matches(&MatchFilter {
        tournament: tournament.map(|one| one.id),
        game: game.map(|one| one.info().id.to_owned()),
        bot: bot.map(|one| one.id),
        faults_only: asked.faults,
        before: before.map(|row| (row.tournament_id, row.index)),
        limit: SHOWN + 1,
        ..MatchFilter::default()
    })?;
    let is_more = rows.len() > SHOWN;
    rows.truncate(SHOWN);
    let table = Table::of("Matches, the latest first", MatchRow::COLUMNS, &rows);
    let mut matches = Grid::plain("matches", table).or(MatchRow::NOTHING);
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
    Ok(Matches { title, matches })
}
