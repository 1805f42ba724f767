//! A game: its rules, a board, its options, its best bots and tournaments.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::{AnyGame, Info, all_games, without_version};
use flipside_operations::{options_table, rules_page};
use flipside_store::TournamentFilter;

use super::list_page::board;
use super::picture::picture_of;
use super::scenes::with_scenes;
use crate::ladders::page::{LadderTable, ladder_table};
use crate::ratings::page::ladder;
use crate::shared::known_games::look_up;
use crate::shared::lists::listed;
use crate::shared::markdown;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, TableQuery};
use crate::site::ReadContext;
use crate::tournaments::list_page::without_requests;

/// How many bots and tournaments are shown.
const SHOWN: usize = 10;

/// From where the rules of a game link that are no page of this site.
const NO_PAGE: &str = "";

#[derive(Template)]
#[template(path = "game.html")]
struct GamePage {
    info: &'static Info,
    board: String,
    /// Whether people play on this site.
    can_play: bool,
    /// The ids of the other versions of a game of the arena.
    versions: Vec<&'static str>,
    /// HTML.
    rules: String,
    options: String,
    ladder: Option<LadderTable>,
    ratings: Grid,
    tournaments: Grid,
}

impl PageView for GamePage {
    fn head(&self) -> PageHead {
        let head = PageHead::new(self.info.title, Section::Games).about(self.info.summary);
        match self.board.is_empty() {
            true => head,
            false => head.pictured(picture_of(self.info)),
        }
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/games/{id}", get(game))
}

async fn game(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    let key = format!("game {}", game.info().id);
    visit.page(key, |reading| make(reading, game)).await
}

fn other_versions(info: &Info) -> Vec<&'static str> {
    let ids = all_games().into_iter().map(|game| game.info().id);
    let is_other = |id: &&str| *id != info.id && without_version(id) == without_version(info.id);
    ids.filter(is_other).collect()
}

fn make(reading: &ReadContext<'_>, game: &'static dyn AnyGame) -> Result<GamePage> {
    let info = game.info();
    let of_game = TournamentFilter {
        game: Some(info.id.to_owned()),
        ..without_requests()
    };
    let of_game = reading.listed(&of_game, SHOWN)?;
    let rated = reading.ratings(info.id)?;
    let mut top = rated.0.clone();
    top.rows.truncate(SHOWN);
    let asked = TableQuery::default();
    let latest = listed("tournaments", "Latest tournaments", &of_game, &asked);
    Ok(GamePage {
        info,
        board: board(game),
        can_play: reading.site.accounts.is_some(),
        versions: other_versions(info),
        rules: match game.program() {
            None => with_scenes(markdown::html(rules_page(info.id)?), game),
            Some(program) => {
                // The page has a heading of its own.
                let first = program.rules.split_once('\n');
                let rest = first.filter(|(first, _)| first.starts_with("# "));
                let rules = rest.map_or(&*program.rules, |(_, rest)| rest);
                markdown::rendered(rules, NO_PAGE)
            }
        },
        options: markdown::rendered(&options_table(game), NO_PAGE),
        ladder: ladder_table(reading, info.id, SHOWN)?,
        ratings: ladder(&top, &asked).unsorted(),
        tournaments: latest.unsorted(),
    })
}
