//! Whose each bot is.

use std::collections::HashMap;

use rusqlite::Row;

use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, rows};

impl AccountStore {
    /// The account of each bot's name that one owns, in lower case.
    pub(super) fn owners(&self) -> Result<HashMap<String, String>, Error> {
        let query = "SELECT owners.folded, accounts.name FROM owners
                     JOIN accounts ON accounts.id = owners.account";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let all: Vec<(String, String)> = self.read(|store| rows(store, query, [], read))?;
        Ok(all.into_iter().collect())
    }
}
