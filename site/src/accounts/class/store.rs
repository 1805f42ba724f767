//! The invitations of a class in the store: all of them, or none.

use flipside_tournament::Name;
use rusqlite::{Connection, params};

use super::sheet::ClassInvitations;
use crate::accounts::people::{AccountRow, COMMAND, Role, folded};
use crate::shared::store::audit_log::note;
use crate::shared::store::error::{Error, RefusedLine, RefusedLines};
use crate::shared::store::{AccountStore, first};

impl AccountStore {
    /// Enters the invitations of a class, if none of its names is refused. Somebody who was invited before by the same
    /// name has only the new link then.
    pub(crate) fn invite_class(
        &self,
        class: &ClassInvitations,
        by: Option<&AccountRow>,
        now: u64,
    ) -> Result<(), Error> {
        self.change(|store| {
            let mut refused = class.refused.clone();
            for strip in &class.strips {
                if has_account(store, &strip.name)? {
                    let what = format!("somebody has the name {} already", strip.name);
                    refused.push(RefusedLine(strip.line, what));
                }
            }
            if !refused.is_empty() {
                refused.sort_by_key(|refused| refused.0);
                return Err(Error::RefusedLines(RefusedLines(refused)));
            }
            if class.strips.is_empty() {
                return Err(Error::NoNames);
            }
            for strip in &class.strips {
                let folded = folded(strip.name.as_str());
                store.execute("DELETE FROM invitations WHERE folded = ?", [&folded])?;
                store.execute(
                    "INSERT INTO invitations (sha256, role, uses_left, created_at, expires_at, account, name, folded)
                     VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
                    params![
                        strip.secret.hash(),
                        Role::Author.name(),
                        now,
                        class.until,
                        by.map(|by| by.id.0),
                        strip.name.as_str(),
                        folded
                    ],
                )?;
            }
            let who = by.map_or(COMMAND, |by| &by.name);
            let what = format!("invited a class of {}", class.strips.len());
            note(store, now, who, &what)
        })
    }
}

fn has_account(store: &Connection, name: &Name) -> Result<bool, Error> {
    let query = "SELECT 1 FROM accounts WHERE folded = ?";
    let found = first(store, query, [folded(name.as_str())], |_| Ok(()))?;
    Ok(found.is_some())
}
