-- What the site keeps of people: accounts, uploads, ladders, leagues and webhooks. Times are milliseconds since 1970, UTC.
-- Secrets are stored as their SHA-256.

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
  expires_at INTEGER NOT NULL,
  -- Who has made it; null: somebody with the command.
  account INTEGER REFERENCES accounts,
  -- The name of the account that it is for, also in lower case; null: any.
  name TEXT,
  folded TEXT,
  CHECK ((name IS NULL) = (folded IS NULL))
) STRICT, WITHOUT ROWID;
