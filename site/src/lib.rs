//! Flipside in a browser: pages over the operations on an arena, and replays.
//!
//! Each folder is a thing that people meet, with its pages, its API, its actions and its rows; `shared` is what all of
//! them use. `pages` and `api` list what there is at which address.
//!
//! A page is a struct and a function: the struct holds what the page says and can be asserted
//! without HTML, and a template in `templates/` renders it. What a page says comes from
//! `flipside-operations`; this crate holds no rule of a game or of a tournament.

mod accounts;
mod api;
mod bots;
mod games;
mod grades;
mod guides;
mod home;
mod kits;
mod ladders;
mod leagues;
mod limits;
mod matches;
mod observe;
mod pages;
mod play;
mod ratings;
mod requests;
mod router;
mod server;
mod shared;
mod site;
mod tournaments;
mod webhooks;

pub use accounts::class::names::MAX_CLASS_BYTES;
pub use accounts::class::sheet::ClassInvitations;
pub use accounts::people::{Invite, invite};
pub use accounts::settings::{AccountSettings, BadUrl, SignUp, SiteUrl};
pub use bots::uploads::limits::UploadLimits;
pub use limits::SiteLimits;
pub use matches::replay::replay_page;
pub use router::router;
pub use server::{DEFAULT_LISTEN, serve};
pub use shared::assets::logo::{BadLogo, SiteLogo};
pub use shared::peer::Peer;
pub use shared::rates::{Rate, RateLimits};
pub use shared::store::copy_accounts;
pub use site::Site;
pub use tournaments::host::tries::Pauses;
pub use webhooks::limits::WebhookLimits;

/// What plays the tournaments of a site.
pub mod host {
    pub use crate::tournaments::host::state::{DesiredState, Host, Priority, QueuedTournament};
    pub use crate::tournaments::host::tries::Pauses;
}

/// The colours and type of every page, as CSS: variables for light and dark.
pub const THEME: &str = include_str!("../assets/theme.css");
