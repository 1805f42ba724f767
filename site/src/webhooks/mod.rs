//! Webhooks: organisers have a program of theirs told of every result and of the end of tournaments. The page, the
//! API, the actions and the rows are here.
//!
//! What is to be told is found in the journal, so results of other processes are told as well, and playing never waits
//! for it. Messages are rows of the store from the moment they are found until they have arrived or were given up, so a
//! restart loses none. They are signed as [Standard Webhooks](https://www.standardwebhooks.com) says.

mod actions;
pub(crate) mod api;
mod find;
pub(crate) mod limits;
pub(crate) mod page;
mod ranges;
pub(crate) mod rows;
mod send;
mod sign;
mod tell;
