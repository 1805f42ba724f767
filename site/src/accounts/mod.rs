//! Accounts: who may do more than read. Everything about them is in `site.db` beside the arena's journal, and nothing
//! of it is in the journal.
//!
//! Secrets are 256 random bits each: tokens, session cookies and invitations; those that people type from paper have 80. The store keeps their SHA-256 only.

mod actions;
pub(crate) mod admit;
pub(crate) mod api;
pub(crate) mod caller;
pub(crate) mod class;
pub(crate) mod organiser_page;
pub(crate) mod page;
pub(crate) mod people;
pub(crate) mod posted;
pub(crate) mod secret;
pub(crate) mod settings;
pub(crate) mod sign_in_page;
pub(crate) mod sign_up_page;
pub(crate) mod signed_in;
pub(crate) mod visitor;
