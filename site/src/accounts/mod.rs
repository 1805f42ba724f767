//! Accounts: who may do more than read. Everything about them is in `site.db` beside the arena's journal, and nothing
//! of it is in the journal.
//!
//! Secrets are 256 random bits each: tokens, session cookies and invitations. The store keeps their SHA-256 only.

pub(crate) mod admit;
pub(crate) mod error;
pub(crate) mod people;
pub(crate) mod posted;
mod schema;
pub(crate) mod secret;
pub(crate) mod settings;
pub(crate) mod signed_in;
pub(crate) mod store;
pub(crate) mod visitor;

pub use settings::{AccountSettings, BadUrl, SignUp, SiteUrl};

pub use people::{Invite, invite};
