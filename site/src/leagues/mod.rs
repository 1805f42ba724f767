//! Leagues of this server: bots enter the next season, and seasons begin and end by the clock. The pages, the API, the
//! actions and the rows are here.
//!
//! All that is stored is the description of a league, its entries, and for each season its times, its state and its
//! divisions. The matches of a season are ordinary tournaments, which the host plays; the total tables are computed
//! from their tables. What is due after a restart follows from that.

pub(crate) mod actions;
pub(crate) mod api;
pub(crate) mod clock;
pub(crate) mod deadlines;
pub(crate) mod list_page;
pub(crate) mod organiser_page;
pub(crate) mod page;
pub(crate) mod progress;
mod rows;
pub(crate) mod season;
#[cfg(test)]
mod tests;
