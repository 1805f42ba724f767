//! Accounts and uploads of a site, as browsers and scripts use them. Every protection has a test here that fails
//! without it.

mod browser;
mod people;
mod rates;
mod sent;
mod uploads;
