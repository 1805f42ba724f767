//! Accounts and uploads of a site, as browsers and scripts use them. Every protection has a test here that fails
//! without it.

mod absent;
mod api;
mod backups;
mod bots;
mod bounds;
mod browser;
mod class;
#[path = "../common/described.rs"]
mod described;
mod forms;
mod grades;
mod hosted;
mod kits;
mod ladders;
mod leagues;
mod own_bots;
mod people;
mod play;
mod rates;
mod sent;
mod uploads;
mod webhooks;
