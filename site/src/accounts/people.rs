//! Accounts, tokens, sessions and invitations in the store.

use std::fmt;
use std::time::Duration;

use flipside_operations::Result as Outcome;
use flipside_store::{Arena, unix_ms};
use flipside_tournament::Name;
use rusqlite::{Connection, Params, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::secret::{Secret, SecretHash, hash_of};
use crate::shared::store::audit_log::note;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, first, one, rows};

/// How long a session lasts.
pub(crate) const SESSION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The most sessions of an account; the oldest end first.
const MAX_SESSIONS: u32 = 20;

/// Which account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AccountId(pub(crate) i64);

/// What an account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Submit bots and see what comes of them.
    Author,
    /// See all uploads and accounts, and disable accounts.
    Organiser,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "AccountRow")]
pub(crate) struct AccountRow {
    #[serde(skip)]
    pub(crate) id: AccountId,
    /// Its name.
    pub(crate) name: String,
    /// `author` or `organiser`.
    #[schemars(with = "String")]
    pub(crate) role: Role,
    /// When it was made, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    pub(crate) created_at: u64,
    /// When it was disabled, in milliseconds since 1970; in JSON, RFC 3339; null: it is not.
    #[serde(serialize_with = "flipside_tournament::serialize_utc_option")]
    #[schemars(with = "Option<String>")]
    pub(crate) disabled_at: Option<u64>,
}

/// What an invitation allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InvitationRow {
    pub(crate) role: Role,
    pub(crate) uses: u32,
    /// When it ends, in milliseconds since 1970.
    pub(crate) until: u64,
}

/// What somebody with an invitation becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invited {
    pub(crate) role: Role,
    /// The name of the account, where the invitation is for one.
    pub(crate) name: Option<String>,
}

/// An invitation that can still be used.
#[derive(Clone, Debug)]
pub(super) struct OpenInvitation {
    /// The beginning of the hash of its secret: nobody finds its link by that.
    pub(super) id: String,
    pub(super) role: Role,
    /// The name of the account that it is for, if it is for one.
    pub(super) name: Option<String>,
    /// How many accounts can still be made with it.
    pub(super) uses: u32,
    /// When it ends, in milliseconds since 1970.
    pub(super) until: u64,
    /// Who has made it.
    pub(super) by: String,
}

/// What an invitation for somebody who is not there yet allows.
#[derive(Clone, Copy, Debug)]
pub struct Invite {
    /// Whether the account is an organiser's.
    pub organiser: bool,
    /// How many accounts can be made with it, at least 1.
    pub uses: u32,
    /// How many days it can be used, at least 1.
    pub days: u32,
}

/// Makes an invitation, and returns the path of its page on the site. It is shown once: only its hash is kept.
///
/// # Errors
/// When the accounts of the arena cannot be written.
pub fn invite(arena: &Arena, invite: Invite) -> Outcome<String> {
    Ok(invite_by(&AccountStore::open(arena.path())?, invite, None)?)
}

/// The same, by an organiser or with the command.
pub(crate) fn invite_by(
    store: &AccountStore,
    invite: Invite,
    by: Option<&AccountRow>,
) -> Result<String, Error> {
    let now = unix_ms();
    let invitation = InvitationRow {
        role: match invite.organiser {
            true => Role::Organiser,
            false => Role::Author,
        },
        uses: invite.uses,
        until: now + u64::from(invite.days) * DAY,
    };
    let secret = store.invite(&invitation, by, now)?;
    Ok(format!("/join/{}", secret.as_str()))
}

/// Who did what somebody did with the command. It is no account's name.
pub(super) const COMMAND: &str = "(command)";

/// How long a day is, in milliseconds.
pub(super) const DAY: u64 = 24 * 60 * 60 * 1000;

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Author => "author",
            Role::Organiser => "organiser",
        }
    }

    fn read(text: &str) -> Result<Self, Error> {
        let mut all = [Role::Author, Role::Organiser].into_iter();
        let found = all.find(|role| role.name() == text);
        found.ok_or_else(|| Error::Value(format!("role {text:?}")))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Names that differ in case only are one.
pub(crate) fn folded(name: &str) -> String {
    name.to_ascii_lowercase()
}

const ACCOUNT: &str =
    "SELECT accounts.id, accounts.name, accounts.role, accounts.created_at, accounts.disabled_at
                       FROM accounts";

fn account(row: &Row<'_>) -> Result<AccountRow, Error> {
    Ok(AccountRow {
        id: AccountId(row.get(0)?),
        name: row.get(1)?,
        role: Role::read(&row.get::<_, String>(2)?)?,
        created_at: row.get(3)?,
        disabled_at: row.get(4)?,
    })
}

fn first_account(
    connection: &Connection,
    rest: &str,
    params: impl Params,
) -> Result<Option<AccountRow>, Error> {
    first(connection, &format!("{ACCOUNT} {rest}"), params, account)
}

fn account_of_name(connection: &Connection, name: &str) -> Result<AccountRow, Error> {
    let found = first_account(connection, "WHERE folded = ?", [folded(name)])?;
    found.ok_or(Error::NoAccount)
}

impl AccountStore {
    /// Makes an account, with its token. With an invitation's secret, that is used once and gives the role; without,
    /// the account is an author's.
    pub(crate) fn sign_up(
        &self,
        name: &Name,
        invitation: Option<&str>,
        now: u64,
    ) -> Result<(AccountRow, Secret), Error> {
        let token = Secret::token()?;
        let made = self.change(|store| {
            let role = match invitation {
                None => Role::Author,
                Some(secret) => use_invitation(store, secret, name, now)?,
            };
            if is_reserved(store, name, invitation.and_then(hash_of), now)? {
                return Err(Error::NameTaken(name.to_string()));
            }
            let added = store.execute(
                "INSERT INTO accounts (name, folded, role, created_at) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
                params![name.as_str(), folded(name.as_str()), role.name(), now],
            )?;
            if added == 0 {
                return Err(Error::NameTaken(name.to_string()));
            }
            let id = store.last_insert_rowid();
            store.execute(
                "INSERT INTO tokens (account, sha256, created_at) VALUES (?, ?, ?)",
                params![id, token.hash(), now],
            )?;
            let how = match invitation {
                None => "signed up",
                Some(_) => "signed up with an invitation",
            };
            note(store, now, name.as_str(), &format!("{how} as {role}"))?;
            let made = first_account(store, "WHERE id = ?", [id])?;
            made.ok_or(Error::NoAccount)
        })?;
        Ok((made, token))
    }

    /// Whose token this is. A disabled account has none.
    pub(crate) fn by_token(&self, token: &str) -> Result<Option<AccountRow>, Error> {
        let Some(hash) = hash_of(token) else {
            return Ok(None);
        };
        self.read(|store| {
            let rest = "JOIN tokens ON tokens.account = accounts.id
                        WHERE tokens.sha256 = ? AND accounts.disabled_at IS NULL";
            first_account(store, rest, [hash])
        })
    }

    /// Whose session this is, if it has not ended.
    pub(crate) fn by_session(&self, secret: &str, now: u64) -> Result<Option<AccountRow>, Error> {
        let Some(hash) = hash_of(secret) else {
            return Ok(None);
        };
        self.read(|store| {
            let rest = "JOIN sessions ON sessions.account = accounts.id
                        WHERE sessions.sha256 = ? AND sessions.expires_at > ? AND accounts.disabled_at IS NULL";
            first_account(store, rest, params![hash, now])
        })
    }

    /// Begins a session.
    pub(crate) fn begin_session(&self, account: &AccountRow, now: u64) -> Result<Secret, Error> {
        let secret = Secret::new()?;
        self.change(|store| {
            store.execute("DELETE FROM sessions WHERE expires_at <= ?", [now])?;
            let until = now + SESSION.as_millis() as u64;
            store.execute(
                "INSERT INTO sessions (sha256, account, created_at, expires_at) VALUES (?, ?, ?, ?)",
                params![secret.hash(), account.id.0, now, until],
            )?;
            store.execute(
                "DELETE FROM sessions WHERE account = ?1 AND sha256 NOT IN
                 (SELECT sha256 FROM sessions WHERE account = ?1 ORDER BY created_at DESC, sha256 = ?3 DESC LIMIT ?2)",
                params![account.id.0, MAX_SESSIONS, secret.hash()],
            )?;
            note(store, now, &account.name, "signed in")
        })?;
        Ok(secret)
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, secret: &str) -> Result<(), Error> {
        let Some(hash) = hash_of(secret) else {
            return Ok(());
        };
        self.execute("DELETE FROM sessions WHERE sha256 = ?", [hash])?;
        Ok(())
    }

    /// How many sessions of an account have not ended.
    pub(crate) fn sessions(&self, account: AccountId, now: u64) -> Result<u64, Error> {
        let query = "SELECT count(*) FROM sessions WHERE account = ? AND expires_at > ?";
        self.read(|store| one(store, query, params![account.0, now]))
    }

    /// Gives an account a new token. The old one ends, and so do all sessions but this one.
    pub(crate) fn new_token(
        &self,
        account: &AccountRow,
        but: Option<&str>,
        now: u64,
    ) -> Result<Secret, Error> {
        let token = Secret::token()?;
        let kept: Option<SecretHash> = but.and_then(hash_of);
        self.change(|store| {
            set_token(store, account.id, &token, now)?;
            store.execute(
                "DELETE FROM sessions WHERE account = ? AND sha256 IS NOT ?",
                params![account.id.0, kept],
            )?;
            note(store, now, &account.name, "took a new token")
        })?;
        Ok(token)
    }

    /// Gives somebody who has lost the token a new one. The old one and all sessions end.
    pub(super) fn replace_token(
        &self,
        name: &str,
        by: &AccountRow,
        now: u64,
    ) -> Result<(AccountRow, Secret), Error> {
        let token = Secret::token()?;
        let account = self.change(|store| {
            let found = account_of_name(store, name)?;
            set_token(store, found.id, &token, now)?;
            store.execute("DELETE FROM sessions WHERE account = ?", [found.id.0])?;
            let what = format!("gave {} a new token", found.name);
            note(store, now, &by.name, &what)?;
            Ok(found)
        })?;
        Ok((account, token))
    }

    /// An account, by its name.
    pub(crate) fn account(&self, name: &str) -> Result<AccountRow, Error> {
        self.read(|store| account_of_name(store, name))
    }

    /// Makes an invitation.
    pub(crate) fn invite(
        &self,
        invitation: &InvitationRow,
        by: Option<&AccountRow>,
        now: u64,
    ) -> Result<Secret, Error> {
        let secret = Secret::new()?;
        self.change(|store| {
            store.execute(
                "DELETE FROM invitations WHERE expires_at <= ? OR uses_left = 0",
                [now],
            )?;
            let InvitationRow { role, uses, until } = *invitation;
            store.execute(
                "INSERT INTO invitations (sha256, role, uses_left, created_at, expires_at, account)
                 VALUES (?, ?, ?, ?, ?, ?)",
                params![
                    secret.hash(),
                    role.name(),
                    uses,
                    now,
                    until,
                    by.map(|by| by.id.0)
                ],
            )?;
            let who = by.map_or(COMMAND, |by| &by.name);
            note(store, now, who, &format!("invited {uses} as {role}"))
        })?;
        Ok(secret)
    }

    /// The invitations that can still be used, the newest first.
    pub(super) fn invitations(&self, now: u64) -> Result<Vec<OpenInvitation>, Error> {
        let query = "SELECT substr(hex(sha256), 1, 12), invitations.role, uses_left, expires_at, accounts.name, invitations.name
                     FROM invitations LEFT JOIN accounts ON accounts.id = invitations.account
                     WHERE uses_left > 0 AND expires_at > ? ORDER BY invitations.created_at DESC, sha256";
        let read = |row: &Row<'_>| {
            Ok(OpenInvitation {
                id: row.get(0)?,
                role: Role::read(&row.get::<_, String>(1)?)?,
                uses: row.get(2)?,
                until: row.get(3)?,
                by: row
                    .get::<_, Option<String>>(4)?
                    .unwrap_or_else(|| COMMAND.into()),
                name: row.get(5)?,
            })
        };
        self.read(|store| rows(store, query, [now], read))
    }

    /// Revokes an invitation: its link no longer works. Says whether there was one.
    pub(super) fn revoke(&self, id: &str, by: &AccountRow, now: u64) -> Result<bool, Error> {
        self.change(|store| {
            let sql = "DELETE FROM invitations WHERE substr(hex(sha256), 1, 12) = ?";
            let revoked = store.execute(sql, [id])?;
            if revoked > 0 {
                note(
                    store,
                    now,
                    &by.name,
                    &format!("revoked the invitation {id}"),
                )?;
            }
            Ok(revoked > 0)
        })
    }

    /// Gives all versions of a bot's name to an account, whoever had it. Gives the name of the account.
    pub(crate) fn give_name(
        &self,
        bot: &Name,
        to: &str,
        by: &AccountRow,
        now: u64,
    ) -> Result<String, Error> {
        self.change(|store| {
            let account = account_of_name(store, to)?;
            store.execute(
                "INSERT INTO owners (folded, account) VALUES (?, ?)
                 ON CONFLICT (folded) DO UPDATE SET account = excluded.account",
                params![folded(bot.as_str()), account.id.0],
            )?;
            let what = format!("gave the bot {bot} to {}", account.name);
            note(store, now, &by.name, &what)?;
            Ok(account.name)
        })
    }

    /// What an invitation allows, if it can still be used.
    pub(crate) fn invitation(&self, secret: &str, now: u64) -> Result<Option<Invited>, Error> {
        let Some(hash) = hash_of(secret) else {
            return Ok(None);
        };
        self.read(|store| invited(store, hash, now))
    }

    /// All accounts, by name.
    pub(crate) fn accounts(&self) -> Result<Vec<AccountRow>, Error> {
        let query = format!("{ACCOUNT} ORDER BY folded");
        self.read(|store| rows(store, &query, [], account))
    }

    /// Disables an account, or lets it go on. A disabled account keeps its name and its bots. Its sessions end, and its
    /// invitations are void meanwhile.
    pub(crate) fn disable(
        &self,
        name: &str,
        is_disabled: bool,
        by: &AccountRow,
        now: u64,
    ) -> Result<(), Error> {
        self.change(|store| {
            let found = account_of_name(store, name)?;
            let at = is_disabled.then_some(now);
            store.execute(
                "UPDATE accounts SET disabled_at = ? WHERE id = ?",
                params![at, found.id.0],
            )?;
            store.execute("DELETE FROM sessions WHERE account = ?", [found.id.0])?;
            let did = if is_disabled { "disabled" } else { "enabled" };
            let what = format!("{did} the account {}", found.name);
            note(store, now, &by.name, &what)
        })
    }
}

/// Puts a token in the place of an account's old one.
fn set_token(
    store: &Connection,
    account: AccountId,
    token: &Secret,
    now: u64,
) -> Result<(), Error> {
    store.execute(
        "INSERT INTO tokens (account, sha256, created_at) VALUES (?, ?, ?)
         ON CONFLICT (account) DO UPDATE SET sha256 = excluded.sha256, created_at = excluded.created_at",
        params![account.0, token.hash(), now],
    )?;
    Ok(())
}

fn invited(store: &Connection, hash: SecretHash, now: u64) -> Result<Option<Invited>, Error> {
    let query =
        "SELECT invitations.role, invitations.name FROM invitations LEFT JOIN accounts ON accounts.id = invitations.account
         WHERE sha256 = ? AND uses_left > 0 AND expires_at > ? AND accounts.disabled_at IS NULL";
    first(store, query, params![hash, now], |row| {
        Ok(Invited {
            role: Role::read(&row.get::<_, String>(0)?)?,
            name: row.get(1)?,
        })
    })
}

fn use_invitation(store: &Connection, secret: &str, name: &Name, now: u64) -> Result<Role, Error> {
    let hash = hash_of(secret).ok_or(Error::NotInvited)?;
    let invited = invited(store, hash, now)?.ok_or(Error::NotInvited)?;
    if let Some(own) = invited.name.filter(|own| *own != name.as_str()) {
        return Err(Error::OtherName(own));
    }
    store.execute(
        "UPDATE invitations SET uses_left = uses_left - 1 WHERE sha256 = ?",
        [hash],
    )?;
    Ok(invited.role)
}

/// Whether somebody else is invited by this name.
fn is_reserved(
    store: &Connection,
    name: &Name,
    own: Option<SecretHash>,
    now: u64,
) -> Result<bool, Error> {
    let query = "SELECT 1 FROM invitations LEFT JOIN accounts ON accounts.id = invitations.account
         WHERE invitations.folded = ? AND uses_left > 0 AND expires_at > ? AND sha256 IS NOT ?
         AND accounts.disabled_at IS NULL";
    let params = params![folded(name.as_str()), now, own];
    Ok(first(store, query, params, |_| Ok(()))?.is_some())
}
