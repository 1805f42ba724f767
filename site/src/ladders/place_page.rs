//! Where a bot stands in a ladder, and the matches that have brought it there.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::words::counted;

use super::place::{LadderPlace, PlacedMatches, ladder_place, placed_matches};
use crate::bots::page::known;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, stamp_of};
use crate::tournaments::hosting::hosted_by;

#[derive(Template)]
#[template(path = "ladder_place.html")]
struct PlacePage {
    bot: String,
    place: LadderPlace,
    matches: PlacedMatches,
}

impl PlacePage {
    fn rating(&self) -> String {
        let row = self.place.row.as_ref();
        row.map(|row| format!("{:.0}", row.rating))
            .unwrap_or_default()
    }

    fn played(&self) -> String {
        let games = self.place.row.as_ref().map_or(0, |row| row.games);
        counted(games, "match")
    }
}

impl PageView for PlacePage {
    fn head(&self) -> PageHead {
        let title = match self.place.in_words() {
            Some(place) => format!("{}: {place} at {}", self.bot, self.place.title),
            None => format!("{} on the ladder of {}", self.bot, self.place.title),
        };
        PageHead::new(title, Section::Bots).live("")
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/ladders/{game}/{bot}", get(place))
}

async fn place(Path((game, bot)): Path<(String, String)>, visit: Visit) -> Result<Response> {
    // What a ladder waits for is not in the arena.
    let said = match visit.site.host().is_some() {
        true => hosted_by(&visit.site, |host| host.ladders()).await?,
        false => Vec::new(),
    };
    let said = stamp_of(&format!("{said:?}"));
    let key = format!("place {game:?} {bot:?} {said}");
    let make = move |reading: &ReadContext<'_>| make(reading, &game, &bot);
    visit.page(key, make).await
}

fn make(reading: &ReadContext<'_>, game: &str, typed: &str) -> Result<PlacePage> {
    let bot = known(reading, typed)?;
    let place = ladder_place(reading, game, &bot)?.ok_or_else(|| {
        let what = format!("{} is in no ladder of {game:?}", bot.label());
        Problem::not_found(what).hint("its page has its tournaments and matches")
    })?;
    let matches = match &place.tournament {
        Some(tournament) => placed_matches(reading, tournament, &bot)?,
        None => PlacedMatches::default(),
    };
    Ok(PlacePage {
        bot: bot.label(),
        place,
        matches,
    })
}
