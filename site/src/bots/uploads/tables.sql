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
  -- Counts the checks of all uploads in the order in which they began; 0: none has.
  turn INTEGER NOT NULL DEFAULT 0,
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
