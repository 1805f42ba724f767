//! All pages. Each is a file of its feature: a route, a struct that says what the page says, and how it is made.

use crate::bots::uploads;
use crate::shared::page::Routes;
use crate::{
    accounts, bots, games, grades, guides, home, kits, ladders, leagues, matches, play, ratings,
    requests, tournaments, webhooks,
};

/// All pages.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(home::page::routes())
        .merge(home::picture::routes())
        .merge(games::list_page::routes())
        .merge(games::page::routes())
        .merge(games::picture::routes())
        .merge(games::upload::routes())
        .merge(ratings::page::routes())
        .merge(bots::list_page::routes())
        .merge(bots::page::routes())
        .merge(tournaments::list_page::routes())
        .merge(tournaments::page::routes())
        .merge(tournaments::downloads::routes())
        .merge(matches::list_page::routes())
        .merge(matches::page::routes())
        .merge(matches::picture::routes())
        .merge(guides::page::routes())
        .merge(accounts::sign_up_page::routes())
        .merge(accounts::sign_in_page::routes())
        .merge(accounts::page::routes())
        .merge(bots::own_page::routes())
        .merge(uploads::submit_page::routes())
        .merge(uploads::page::routes())
        .merge(accounts::organiser_page::routes())
        .merge(accounts::class::page::routes())
        .merge(tournaments::begin_page::routes())
        .merge(tournaments::hosted_page::routes())
        .merge(ladders::page::routes())
        .merge(ladders::place_page::routes())
        .merge(tournaments::change_page::routes())
        .merge(requests::page::routes())
        .merge(leagues::list_page::routes())
        .merge(leagues::page::routes())
        .merge(leagues::organiser_page::routes())
        .merge(grades::page::routes())
        .merge(webhooks::page::routes())
        .merge(matches::boards::routes())
        .merge(play::pages::routes())
        .merge(kits::page::routes())
}

/// What takes files: these routes have limits of their own.
pub(crate) fn routes_of_uploads() -> Routes {
    uploads::submit_page::routes_of_uploads().merge(games::upload::routes_of_uploads())
}
