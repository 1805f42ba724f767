//! How often accounts request matches in a day: each request is a tournament that stays in the arena until it is
//! deleted.

use flipside_tournament::Name;
use rusqlite::{Connection, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::people::AccountId;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, one, rows, value};

/// How long a request counts, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// How often an account can still request matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "RequestQuota")]
pub(crate) struct Quota {
    /// How many requests an account has in 24 hours.
    pub(crate) a_day: u32,
    /// How many are left now.
    pub(crate) left: u32,
    /// When one more is free, in milliseconds since 1970; in JSON, RFC 3339; null: all are.
    #[serde(serialize_with = "flipside_tournament::serialize_utc_option")]
    #[schemars(with = "Option<String>")]
    pub(crate) free_at: Option<u64>,
}

impl AccountStore {
    /// What is left to an account that has so many requests a day.
    pub(super) fn quota(&self, account: AccountId, a_day: u32, now: u64) -> Result<Quota, Error> {
        self.read(|store| quota(store, account, a_day, now))
    }

    /// Takes a request from what is left to an account, and says what is left then.
    pub(super) fn take_request(
        &self,
        account: AccountId,
        name: &Name,
        a_day: u32,
        now: u64,
    ) -> Result<Quota, Error> {
        self.change(|store| {
            let old = now.saturating_sub(DAY);
            store.execute("DELETE FROM requests WHERE requested_at <= ?", [old])?;
            let before = quota(store, account, a_day, now)?;
            if before.left == 0 {
                let free_at = before.free_at.unwrap_or(now);
                return Err(Error::NoRequestLeft(a_day, free_at));
            }
            let sql = "INSERT INTO requests (tournament, account, requested_at) VALUES (?, ?, ?)";
            store.execute(sql, params![name.as_str(), account.0, now])?;
            quota(store, account, a_day, now)
        })
    }

    /// Gives a request back that came to nothing.
    pub(super) fn return_request(&self, name: &Name) -> Result<(), Error> {
        self.execute("DELETE FROM requests WHERE tournament = ?", [name.as_str()])?;
        Ok(())
    }
}

fn quota(store: &Connection, account: AccountId, a_day: u32, now: u64) -> Result<Quota, Error> {
    let since = now.saturating_sub(DAY);
    let sql = "SELECT count(*) FROM requests WHERE account = ? AND requested_at > ?";
    let taken: u32 = one(store, sql, params![account.0, since])?;
    // With a smaller limit than before, more than one must become free.
    let over = taken.saturating_sub(a_day);
    let sql = "SELECT requested_at FROM requests WHERE account = ? AND requested_at > ?
               ORDER BY requested_at LIMIT 1 OFFSET ?";
    let first: Vec<u64> = rows(store, sql, params![account.0, since, over], value)?;
    Ok(Quota {
        a_day,
        left: a_day.saturating_sub(taken),
        free_at: first.first().map(|at| at + DAY),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(store: &AccountStore, name: &str) -> AccountId {
        store
            .change(|store| {
                let sql = "INSERT INTO accounts (name, folded, role, created_at) VALUES (?1, ?1, 'author', 0)";
                store.execute(sql, [name])?;
                Ok(AccountId(store.last_insert_rowid()))
            })
            .unwrap()
    }

    #[test]
    fn a_request_counts_for_a_day_and_those_of_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = AccountStore::open(folder.path()).unwrap();
        let [ada, bob] = ["ada", "bob"].map(|name| account(&store, name));
        let name = |number: u32| {
            flipside_tournament::request_name(1, number)
                .parse()
                .unwrap()
        };
        let at = 1_000_000;
        let take = |account, number, now| store.take_request(account, &name(number), 2, now);
        let free_at = |first: u64| Some(first + DAY);
        let quota = |left, free_at| Quota {
            a_day: 2,
            left,
            free_at,
        };
        assert_eq!(store.quota(ada, 2, at).unwrap(), quota(2, None));
        assert_eq!(take(ada, 1, at).unwrap(), quota(1, free_at(at)));
        assert_eq!(take(ada, 2, at + 5).unwrap(), quota(0, free_at(at)));
        let refused = take(ada, 3, at + 9).unwrap_err();
        assert!(matches!(refused, Error::NoRequestLeft(2, free) if free == at + DAY));
        assert_eq!(take(bob, 4, at + 9).unwrap().left, 1);
        // One that came to nothing does not count.
        store.return_request(&name(2)).unwrap();
        assert_eq!(take(ada, 5, at + 9).unwrap().left, 0);
        // A moment before the day is over, and then.
        assert!(take(ada, 6, at + DAY - 1).is_err());
        assert_eq!(take(ada, 6, at + DAY).unwrap(), quota(0, free_at(at + 9)));
        assert_eq!(store.quota(ada, 2, at + 3 * DAY).unwrap(), quota(2, None));
        // With a smaller limit, the second must become free too.
        assert_eq!(
            store.quota(ada, 1, at + DAY).unwrap(),
            Quota {
                a_day: 1,
                left: 0,
                free_at: free_at(at + DAY)
            }
        );
    }
}
