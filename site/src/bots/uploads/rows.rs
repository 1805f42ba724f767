//! Uploads in the store, and whose the names of bots are.

use std::collections::HashSet;
use std::fmt;

use flipside_tournament::Name;
use rusqlite::{Connection, Params, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::limits::UploadLimits;
use super::report::UploadReport;
use crate::accounts::people::{AccountId, AccountRow, Role, folded};
use crate::shared::store::audit_log::note;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, first, one, rows, value};

/// How often a check is begun. A bot whose check ends the server each time would end it for ever.
const MAX_ATTEMPTS: u32 = 5;

/// How many uploads of an account are kept after their check, the newest.
const MAX_ENDED: u32 = 100;

/// Which upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(transparent)]
pub(crate) struct UploadId(pub(crate) i64);

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "UploadState")]
#[serde(rename_all = "lowercase")]
pub(crate) enum UploadState {
    /// It waits for its check.
    Waiting,
    /// It is checked now.
    Checking,
    /// The bot is in the arena.
    Accepted,
    /// The bot does not pass.
    Refused,
    /// The machine failed.
    Failed,
}

/// A file that was received.
#[derive(Clone, Debug)]
pub(crate) struct NewUpload<'a> {
    /// The name of the bot.
    pub(crate) name: &'a Name,
    /// The ids of the games that the bot must play; empty: those that it is ready for.
    pub(crate) games: &'a [String],
    /// Its name in the folder of uploads.
    pub(crate) file: &'a str,
    pub(crate) size: u64,
    pub(crate) sha256: &'a str,
}

/// An upload.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct Upload {
    /// Its number.
    #[serde(rename = "upload")]
    pub(crate) id: UploadId,
    #[serde(skip)]
    pub(crate) account: AccountId,
    /// The name of the account.
    pub(crate) by: String,
    /// The name of the bot.
    pub(crate) name: String,
    /// The games that the bot must play; empty: those that it is ready for.
    pub(crate) games: Vec<String>,
    /// The name of its file while it waits.
    #[serde(skip)]
    pub(crate) file: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// The SHA-256 of the file, hexadecimal.
    pub(crate) sha256: String,
    /// How far it is.
    pub(crate) state: UploadState,
    /// When it came, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    pub(crate) created_at: u64,
    /// When its check ended, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc_option")]
    #[schemars(with = "Option<String>")]
    pub(crate) ended_at: Option<u64>,
    /// How it ended, in words.
    pub(crate) said: String,
    /// The bot that it has become, with its version.
    pub(crate) bot: Option<String>,
}

/// How a check ended.
#[derive(Clone, Debug)]
pub(crate) struct UploadVerdict {
    pub(crate) state: UploadState,
    pub(crate) said: String,
    pub(crate) bot: Option<String>,
    pub(crate) report: Option<String>,
}

impl UploadVerdict {
    /// It has become no bot.
    pub(super) fn without_bot(
        state: UploadState,
        said: impl Into<String>,
        report: Option<UploadReport>,
    ) -> Self {
        UploadVerdict {
            state,
            said: said.into(),
            bot: None,
            report: report.map(UploadReport::json),
        }
    }

    pub(crate) fn accepted(bot: String, report: Option<UploadReport>) -> Self {
        UploadVerdict {
            state: UploadState::Accepted,
            said: String::new(),
            bot: Some(bot),
            report: report.map(UploadReport::json),
        }
    }
}

impl UploadState {
    pub(super) const ALL: [UploadState; 5] = [
        UploadState::Waiting,
        UploadState::Checking,
        UploadState::Accepted,
        UploadState::Refused,
        UploadState::Failed,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            UploadState::Waiting => "waiting",
            UploadState::Checking => "checking",
            UploadState::Accepted => "accepted",
            UploadState::Refused => "refused",
            UploadState::Failed => "failed",
        }
    }

    fn read(text: &str) -> Result<Self, Error> {
        let found = UploadState::ALL
            .into_iter()
            .find(|state| state.name() == text);
        found.ok_or_else(|| Error::Value(format!("state {text:?}")))
    }
}

impl fmt::Display for UploadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const UPLOAD: &str = "SELECT uploads.id, uploads.account, accounts.name, uploads.name, games, file, size, sha256,
    state, uploads.created_at, ended_at, said, bot FROM uploads JOIN accounts ON accounts.id = uploads.account";

fn upload(row: &Row<'_>) -> Result<Upload, Error> {
    let (bot, games, state): (String, String, String) = (row.get(3)?, row.get(4)?, row.get(8)?);
    let games = games.split(',').filter(|game| !game.is_empty());
    Ok(Upload {
        id: UploadId(row.get(0)?),
        account: AccountId(row.get(1)?),
        by: row.get(2)?,
        name: bot,
        games: games.map(str::to_owned).collect(),
        file: row.get(5)?,
        size: row.get(6)?,
        sha256: row.get(7)?,
        state: UploadState::read(&state)?,
        created_at: row.get(9)?,
        ended_at: row.get(10)?,
        said: row.get(11)?,
        bot: row.get(12)?,
    })
}

fn uploads(store: &Connection, rest: &str, params: impl Params) -> Result<Vec<Upload>, Error> {
    rows(store, &format!("{UPLOAD} {rest}"), params, upload)
}

/// The numbers of the uploads that wait, in the order of their checks. Accounts take turns, first those whose last
/// check began longest ago, so that the bots of one account do not keep all others waiting.
const IN_TURN: &str = "SELECT id FROM
    (SELECT id, row_number() OVER (PARTITION BY account ORDER BY id) AS round,
            (SELECT max(turn) FROM uploads AS own WHERE own.account = uploads.account) AS turn,
            min(id) OVER (PARTITION BY account) AS first
     FROM uploads WHERE state = 'waiting')
    ORDER BY round, turn, first";

/// Whose the name of a bot is, if it is somebody's.
pub(crate) fn owner(store: &Connection, bot: &Name) -> Result<Option<AccountId>, Error> {
    let query = "SELECT account FROM owners WHERE folded = ?";
    let id = first(store, query, [folded(bot.as_str())], value)?;
    Ok(id.map(AccountId))
}

/// Makes sure that an account may submit a bot of this name. `is_taken` says whether the arena has it, or keeps it for
/// itself. A name that is free becomes the account's.
fn claim(
    store: &Connection,
    account: &AccountRow,
    name: &Name,
    is_taken: bool,
    most: usize,
) -> Result<(), Error> {
    match owner(store, name)? {
        Some(owner) if owner == account.id => Ok(()),
        Some(_) => Err(Error::NotYours(name.to_string())),
        None if is_taken && account.role == Role::Organiser => Ok(()),
        None if is_taken => Err(Error::OfOrganisers(name.to_string())),
        None => {
            let query = "SELECT count(*) FROM owners WHERE account = ?";
            if one::<usize>(store, query, [account.id.0])? >= most {
                return Err(Error::TooManyNames(most));
            }
            store.execute(
                "INSERT INTO owners (folded, account) VALUES (?, ?)",
                params![folded(name.as_str()), account.id.0],
            )?;
            Ok(())
        }
    }
}

fn refuse_more(
    store: &Connection,
    account: &AccountRow,
    limits: &UploadLimits,
) -> Result<(), Error> {
    let query =
        "SELECT count(*) FROM uploads WHERE account = ? AND state IN ('waiting', 'checking')";
    match one::<usize>(store, query, [account.id.0])? >= limits.waiting {
        true => Err(Error::TooManyWaiting(limits.waiting)),
        false => Ok(()),
    }
}

impl AccountStore {
    /// Makes sure, before anything is received, that an upload would be taken. Nothing changes.
    pub(super) fn may_upload(
        &self,
        account: &AccountRow,
        name: &Name,
        is_taken: bool,
        limits: &UploadLimits,
    ) -> Result<(), Error> {
        self.read(|store| {
            refuse_more(store, account, limits)?;
            // What is claimed here is undone at the end of reading.
            claim(store, account, name, is_taken, limits.names)
        })
    }

    /// Gives a name that the arena does not have to an account.
    pub(crate) fn claim_name(
        &self,
        account: &AccountRow,
        name: &Name,
        most: usize,
    ) -> Result<(), Error> {
        self.change(|store| claim(store, account, name, false, most))
    }

    /// Takes a name from an account again.
    pub(crate) fn release_name(&self, account: &AccountRow, name: &Name) -> Result<(), Error> {
        let sql = "DELETE FROM owners WHERE folded = ? AND account = ?";
        self.execute(sql, params![folded(name.as_str()), account.id.0])?;
        Ok(())
    }

    /// Notes a file for its check, and gives its name to the account if it was free.
    pub(super) fn add_upload(
        &self,
        account: &AccountRow,
        new: &NewUpload<'_>,
        is_taken: bool,
        limits: &UploadLimits,
        now: u64,
    ) -> Result<UploadId, Error> {
        self.change(|store| {
            refuse_more(store, account, limits)?;
            claim(store, account, new.name, is_taken, limits.names)?;
            store.execute(
                "INSERT INTO uploads (account, name, games, file, size, sha256, state, created_at)
                 VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?)",
                params![
                    account.id.0,
                    new.name.as_str(),
                    new.games.join(","),
                    new.file,
                    new.size,
                    new.sha256,
                    now
                ],
            )?;
            let id = store.last_insert_rowid();
            let what = format!("uploaded {} ({} bytes), upload {id}", new.name, new.size);
            note(store, now, &account.name, &what)?;
            Ok(UploadId(id))
        })
    }

    /// Begins the check whose turn it is, of those that are not left out.
    pub(super) fn begin_check(
        &self,
        left_out: &HashSet<UploadId>,
    ) -> Result<Option<Upload>, Error> {
        self.change(|store| {
            let waiting: Vec<i64> = rows(store, IN_TURN, [], value)?;
            let mut others = waiting.into_iter();
            let next = others.find(|id| !left_out.contains(&UploadId(*id)));
            let Some(next) = uploads(store, "WHERE uploads.id = ?", [next])?.pop() else {
                return Ok(None);
            };
            store.execute(
                "UPDATE uploads SET state = 'checking', attempts = attempts + 1,
                 turn = (SELECT max(turn) + 1 FROM uploads) WHERE id = ?",
                [next.id.0],
            )?;
            Ok(Some(next))
        })
    }

    /// Lets a check that was broken off begin again another time.
    pub(super) fn put_back(&self, id: UploadId) -> Result<(), Error> {
        let sql = "UPDATE uploads SET state = 'waiting', attempts = max(attempts - 1, 0)
                   WHERE id = ? AND state = 'checking'";
        self.execute(sql, [id.0])?;
        Ok(())
    }

    /// Notes how a check ended. `is_in_arena` says whether the arena has a bot of this name: if it has none, and none
    /// of the name waits, the name is free again.
    pub(super) fn end_check(
        &self,
        upload: &Upload,
        ended: &UploadVerdict,
        is_in_arena: bool,
        now: u64,
    ) -> Result<(), Error> {
        self.change(|store| {
            store.execute(
                "UPDATE uploads SET state = ?, said = ?, bot = ?, report = ?, ended_at = ?, file = '' WHERE id = ?",
                params![
                    ended.state.name(),
                    ended.said,
                    ended.bot,
                    ended.report,
                    now,
                    upload.id.0
                ],
            )?;
            let what = match &ended.bot {
                Some(bot) => format!("upload {} is {bot}", upload.id.0),
                None => format!("upload {} of {} was {}", upload.id.0, upload.name, ended.state),
            };
            note(store, now, &upload.by, &what)?;
            if !is_in_arena {
                store.execute(
                    "DELETE FROM owners WHERE folded = ?1 AND NOT EXISTS
                     (SELECT 1 FROM uploads WHERE lower(name) = ?1 AND state IN ('waiting', 'checking'))",
                    [folded(&upload.name)],
                )?;
            }
            store.execute(
                "DELETE FROM uploads WHERE account = ?1 AND state NOT IN ('waiting', 'checking') AND id NOT IN
                 (SELECT id FROM uploads WHERE account = ?1 ORDER BY id DESC LIMIT ?2)",
                params![upload.account.0, MAX_ENDED],
            )?;
            Ok(())
        })
    }

    /// At the start: checks that were interrupted begin again, but not for ever. Returns the files that are waited for.
    pub(super) fn recover_uploads(&self, now: u64) -> Result<HashSet<String>, Error> {
        self.change(|store| {
            store.execute(
                "UPDATE uploads SET state = 'failed', file = '', ended_at = ?, said = ?
                 WHERE state = 'checking' AND attempts >= ?",
                params![
                    now,
                    "the server ended during each of its checks; nothing is known of the bot",
                    MAX_ATTEMPTS
                ],
            )?;
            store.execute(
                "UPDATE uploads SET state = 'waiting' WHERE state = 'checking'",
                [],
            )?;
            rows(
                store,
                "SELECT file FROM uploads WHERE file <> ''",
                [],
                value,
            )
        })
    }

    /// The bytes of all files that wait for their check.
    pub(super) fn waiting_bytes(&self) -> Result<u64, Error> {
        let query = "SELECT coalesce(sum(size), 0) FROM uploads WHERE file <> ''";
        self.read(|store| one(store, query, []))
    }

    /// An upload.
    pub(crate) fn upload(&self, id: UploadId) -> Result<Option<Upload>, Error> {
        self.read(|store| Ok(uploads(store, "WHERE uploads.id = ?", [id.0])?.pop()))
    }

    /// The report of an upload's check as JSON, if there is one.
    pub(crate) fn report(&self, id: UploadId) -> Result<Option<String>, Error> {
        let query = "SELECT report FROM uploads WHERE id = ?";
        let found: Option<Option<_>> = self.read(|store| first(store, query, [id.0], value))?;
        Ok(found.flatten())
    }

    /// How many uploads wait before this one, or are checked.
    pub(crate) fn before(&self, id: UploadId) -> Result<u64, Error> {
        self.read(|store| {
            let waiting: Vec<i64> = rows(store, IN_TURN, [], value)?;
            let Some(before) = waiting.iter().position(|one| *one == id.0) else {
                return Ok(0);
            };
            let query = "SELECT count(*) FROM uploads WHERE state = 'checking'";
            Ok(one::<u64>(store, query, [])? + before as u64)
        })
    }

    /// The newest uploads of an account, or of all.
    pub(crate) fn uploads(
        &self,
        account: Option<AccountId>,
        most: u32,
    ) -> Result<Vec<Upload>, Error> {
        self.uploads_after(account, None, most)
    }

    /// The same after this one in the list.
    pub(super) fn uploads_after(
        &self,
        account: Option<AccountId>,
        after: Option<UploadId>,
        most: u32,
    ) -> Result<Vec<Upload>, Error> {
        self.read(|store| {
            let rest =
                "WHERE (?1 IS NULL OR uploads.account = ?1) AND (?2 IS NULL OR uploads.id < ?2)
                        ORDER BY uploads.id DESC LIMIT ?3";
            let (account, after) = (account.map(|id| id.0), after.map(|id| id.0));
            uploads(store, rest, params![account, after, most])
        })
    }

    /// The names of bots that an account owns, in lower case.
    pub(crate) fn owned(&self, account: AccountId) -> Result<HashSet<String>, Error> {
        let query = "SELECT folded FROM owners WHERE account = ?";
        self.read(|store| rows(store, query, [account.0], value))
    }

    /// Whether an account may still submit, at the moment of its check.
    pub(super) fn is_enabled(&self, account: AccountId) -> Result<bool, Error> {
        let query = "SELECT disabled_at IS NULL FROM accounts WHERE id = ?";
        let found = self.read(|store| first(store, query, [account.0], value))?;
        Ok(found.unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upload(store: &AccountStore, by: &AccountRow, name: &str) -> UploadId {
        let new = NewUpload {
            name: &name.parse().unwrap(),
            games: &[],
            file: name,
            size: 1,
            sha256: "",
        };
        let limits = UploadLimits::default();
        store.add_upload(by, &new, false, &limits, 0).unwrap()
    }

    #[test]
    fn accounts_take_turns_and_everybody_is_told_how_many_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = AccountStore::open(folder.path()).unwrap();
        let person = |name: &str| store.sign_up(&name.parse().unwrap(), None, 0).unwrap().0;
        let (ada, bob, eve) = (person("ada"), person("bob"), person("eve"));
        let all = [
            (&ada, "a1"),
            (&ada, "a2"),
            (&ada, "a3"),
            (&bob, "b1"),
            (&bob, "b2"),
            (&eve, "e1"),
        ];
        for (by, name) in all {
            upload(&store, by, name);
        }
        // The name of the next, after all that wait were told their places.
        let mut told = Vec::new();
        let mut next = || {
            let mut places: Vec<(u64, String)> = (store.uploads(None, 100).unwrap().into_iter())
                .filter(|one| one.state == UploadState::Waiting)
                .map(|one| (store.before(one.id).unwrap(), one.name))
                .collect();
            places.sort();
            told.push(places.into_iter().map(|(_, name)| name).collect::<Vec<_>>());
            let next = store.begin_check(&HashSet::new()).unwrap()?;
            assert_eq!(store.before(next.id).unwrap(), 0);
            let ended = UploadVerdict::without_bot(UploadState::Refused, "", None);
            store.end_check(&next, &ended, false, 0).unwrap();
            Some(next.name)
        };
        let mut begun = vec![next().unwrap(), next().unwrap()];
        // Who had a turn waits for those who had none since.
        upload(&store, &ada, "a4");
        while let Some(name) = next() {
            begun.push(name);
        }
        assert_eq!(begun, ["a1", "b1", "e1", "a2", "b2", "a3", "a4"]);
        assert_eq!(told[0], ["a1", "b1", "e1", "a2", "b2", "a3"]);
        assert_eq!(told[2], ["e1", "a2", "b2", "a3", "a4"]);
    }

    #[test]
    fn the_next_is_checked_where_one_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = AccountStore::open(folder.path()).unwrap();
        let ada = store.sign_up(&"ada".parse().unwrap(), None, 0).unwrap().0;
        let (first, second) = (upload(&store, &ada, "a1"), upload(&store, &ada, "a2"));
        let all = HashSet::from([first, second]);
        assert!(store.begin_check(&all).unwrap().is_none());
        let next = store.begin_check(&HashSet::from([first])).unwrap().unwrap();
        assert_eq!(next.id, second);
        let next = store.begin_check(&HashSet::new()).unwrap().unwrap();
        assert_eq!(next.id, first);
    }
}
