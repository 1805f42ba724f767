//! The pages, one file each: a route, a struct that says what the page says, and how it is made.

mod account;
pub(crate) mod bot;
mod bots;
mod change;
pub(crate) mod game;
mod games;
mod guides;
mod home;
pub(crate) mod hosted;
mod ladders;
mod league;
mod leagues;
mod lists;
pub(crate) mod matches;
pub(crate) mod one_match;
mod organiser;
mod own_bot;
mod ratings;
pub(crate) mod request;
mod run_leagues;
mod sign_in;
mod sign_up;
pub(crate) mod submit;
mod tournament;
pub(crate) mod tournaments;
pub(crate) mod upload;
mod webhooks;

use crate::page::Routes;

/// All pages.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(home::routes())
        .merge(games::routes())
        .merge(game::routes())
        .merge(ratings::routes())
        .merge(bots::routes())
        .merge(bot::routes())
        .merge(tournaments::routes())
        .merge(tournament::routes())
        .merge(matches::routes())
        .merge(one_match::routes())
        .merge(guides::routes())
        .merge(sign_up::routes())
        .merge(sign_in::routes())
        .merge(account::routes())
        .merge(own_bot::routes())
        .merge(submit::routes())
        .merge(upload::routes())
        .merge(organiser::routes())
        .merge(hosted::routes())
        .merge(ladders::routes())
        .merge(change::routes())
        .merge(request::routes())
        .merge(leagues::routes())
        .merge(league::routes())
        .merge(run_leagues::routes())
        .merge(webhooks::routes())
}

/// What takes files: these routes have limits of their own.
pub(crate) fn routes_of_uploads() -> Routes {
    submit::routes_of_uploads()
}
