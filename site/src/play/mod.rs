//! Playing against bots in the browser: a person takes a seat of a match that this server plays, as `flipside play`
//! does in a terminal. Such matches are in no journal and change no rating.

pub(crate) mod api;
pub(crate) mod pages;
mod player;
mod session;
pub(crate) mod sessions;
