//! Accounts: who may do more than read. Everything about them is in `site.db` beside the arena's journal, and nothing
//! of it is in the journal.
//!
//! Secrets are 256 random bits each: tokens, session cookies and invitations. The store keeps their SHA-256 only.

mod admit;
mod error;
mod people;
mod posted;
mod secret;
mod settings;
mod store;
mod visitor;

pub(crate) use admit::admit;
pub(crate) use error::Error;
pub(crate) use people::{AccountId, AccountRow, AuditRow, Role, folded, invite_by, note};
pub(crate) use posted::{Posted, WORD_FIELD};
pub(crate) use secret::Secret;
pub use settings::{AccountSettings, BadUrl, SignUp, SiteUrl};
pub(crate) use store::{AccountStore, first, one, rows, value};
pub(crate) use visitor::{
    AccountVisitor, Organiser, Plain, SignedIn, cookie, no_cookie, not_signed_in, refuse_authors,
};

pub use people::{Invite, invite};
