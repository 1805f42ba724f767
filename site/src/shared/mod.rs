//! What all features use: the layout of pages, tables, problems, the store `site.db`, what the API and the
//! actions have in common. Nothing here belongs to one thing that people meet.

pub(crate) mod actions;
pub(crate) mod answer_headers;
pub(crate) mod api;
pub(crate) mod assets;
pub(crate) mod cache;
pub(crate) mod forms;
pub(crate) mod kept;
pub(crate) mod known_games;
pub(crate) mod lists;
pub(crate) mod live;
pub(crate) mod markdown;
pub(crate) mod metrics;
pub(crate) mod notices;
pub(crate) mod page;
pub(crate) mod peer;
pub(crate) mod pictures;
pub(crate) mod pieces;
pub(crate) mod plot;
pub(crate) mod problem;
pub(crate) mod rates;
pub(crate) mod request_id;
pub(crate) mod seat_sign;
pub(crate) mod sent_forms;
pub(crate) mod store;
pub(crate) mod table;
pub(crate) mod threads;
pub(crate) mod times;
pub(crate) mod watch;
