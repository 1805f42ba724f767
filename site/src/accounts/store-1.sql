-- Times are milliseconds since 1970, UTC. Secrets are stored as their SHA-256.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The name in lower case: names that differ in case only are one.
  folded TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('author', 'organiser')),
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT;

CREATE TABLE tokens (
  account INTEGER PRIMARY KEY REFERENCES accounts,
  sha256 BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  sha256 BLOB PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_account ON sessions (account, created_at);

CREATE TABLE invitations (
  sha256 BLOB PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('author', 'organiser')),
  uses_left INTEGER NOT NULL CHECK (uses_left >= 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose a bot's name is, in lower case.
CREATE TABLE owners (
  folded TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts
) STRICT, WITHOUT ROWID;
CREATE INDEX owners_by_account ON owners (account);

CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts,
  -- The bot's name.
  name TEXT NOT NULL,
  -- The ids of its games, with commas; empty: all.
  games TEXT NOT NULL,
  -- The name of its file in the folder of uploads; it is gone when the check is over.
  file TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'checking', 'accepted', 'refused', 'failed')),
  -- How often a check was begun.
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- How it ended, in words.
  said TEXT NOT NULL DEFAULT '',
  -- The bot that it has become: NAME@VERSION.
  bot TEXT,
  -- The report of the check as JSON.
  report TEXT
) STRICT;
CREATE INDEX uploads_by_state ON uploads (state, id);
CREATE INDEX uploads_by_account ON uploads (account, id);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL
) STRICT;
