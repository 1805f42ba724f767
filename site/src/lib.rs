//! Flipside in a browser: pages over the operations on an arena, and replays.
//!
//! A page is a struct and a function: the struct holds what the page says and can be asserted
//! without HTML, and a template in `templates/` renders it. What a page says comes from
//! `flipside-operations`; this crate holds no rule of a game or of a tournament.

mod accounts;
mod actions;
mod answer_headers;
mod api;
mod assets;
mod boards;
mod cache;
mod cached_tables;
mod hooks;
pub mod host;
mod known_games;
mod leagues;
mod limits;
mod live;
mod markdown;
mod metrics;
mod observe;
mod page;
mod pages;
mod peer;
mod pieces;
mod play;
mod plot;
mod problem;
mod rates;
mod replay;
mod request_id;
mod requests;
mod router;
mod server;
mod site;
mod table;
mod threads;
mod uploads;
mod watch;

pub use accounts::{AccountSettings, BadUrl, Invite, SignUp, SiteUrl, invite};
pub use hooks::WebhookLimits;
pub use host::Pauses;
pub use limits::SiteLimits;
pub use peer::Peer;
pub use rates::{Rate, RateLimits};
pub use replay::replay_page;
pub use router::router;
pub use server::{DEFAULT_LISTEN, serve};
pub use site::Site;
pub use uploads::UploadLimits;

/// The colours and type of every page, as CSS: variables for light and dark.
pub const THEME: &str = include_str!("../assets/theme.css");
