//! Accounts: who may do more than read. Everything about them is in `site.db` beside the arena's journal, and nothing
//! of it is in the journal.
//!
//! Secrets are 256 random bits each: tokens, session cookies and invitations. The store keeps their SHA-256 only.

mod admit;
pub(super) mod error;
pub(super) mod people;
pub(super) mod posted;
pub(super) mod secret;
pub(super) mod settings;
pub(super) mod store;
pub(super) mod visitor;

pub(crate) use admit::admit;
pub use settings::{AccountSettings, BadUrl, SignUp, SiteUrl};

pub use people::{Invite, invite};
