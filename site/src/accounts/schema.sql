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
  account INTEGER REFERENCES accounts
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

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL
) STRICT;

-- Tournaments that the server plays or is to play.
CREATE TABLE hosted (
  tournament TEXT PRIMARY KEY,
  -- What is played first: 0 a request, 1 a tournament, 2 a ladder.
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2),
  since INTEGER NOT NULL,
  wanted TEXT NOT NULL CHECK (wanted IN ('play', 'pause', 'failed')),
  -- Why it has failed.
  why TEXT
) STRICT;

-- When accounts have requested matches in the last day, for the limit of a day: also matches that were deleted since.
CREATE TABLE requests (
  tournament TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  requested_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_of_account ON requests (account, requested_at);

-- Leagues: seasons of several games.
CREATE TABLE leagues (
  name TEXT PRIMARY KEY,
  -- The description in TOML.
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The bots that play in the seasons that are still to be fixed, by name.
CREATE TABLE league_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  league TEXT NOT NULL REFERENCES leagues,
  bot TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  UNIQUE (league, bot)
) STRICT;

CREATE TABLE seasons (
  league TEXT NOT NULL REFERENCES leagues,
  -- From 1.
  number INTEGER NOT NULL CHECK (number > 0),
  deadline INTEGER NOT NULL,
  starts_at INTEGER NOT NULL CHECK (starts_at >= deadline),
  ends_at INTEGER NOT NULL CHECK (ends_at > starts_at),
  state TEXT NOT NULL CHECK (state IN ('open', 'fixed', 'playing', 'over', 'cancelled')),
  -- The divisions with their bots as JSON, once they are fixed.
  divisions TEXT,
  -- What went wrong, or why it was cancelled.
  why TEXT,
  PRIMARY KEY (league, number)
) STRICT, WITHOUT ROWID;

-- Games for which the server keeps a continuous ladder. What is in it follows from the arena and from whose accounts are
-- disabled.
CREATE TABLE ladders (
  game TEXT PRIMARY KEY,
  -- About how many matches it plays in 24 hours.
  a_day INTEGER NOT NULL CHECK (a_day > 0),
  -- The clock of its matches; empty: the default.
  clock TEXT NOT NULL,
  -- Bots that play beside those that are submitted, with spaces between them.
  bots TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who is told of results.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts,
  url TEXT NOT NULL,
  -- Only of the tournament of this name; null: of all.
  tournament TEXT,
  -- The key of the signatures. It must be known to sign, so it is not hashed.
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- How many messages arrived, and how many were given up.
  delivered INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0,
  -- How the last attempt ended, in words.
  said TEXT NOT NULL DEFAULT ''
) STRICT;

-- Of which results of a tournament a webhook was told, or need not be.
CREATE TABLE heard (
  webhook INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  -- The tournament's number in the journal.
  tournament INTEGER NOT NULL,
  -- Indices of matches as ranges: 0-119,121.
  matches TEXT NOT NULL,
  is_over INTEGER NOT NULL,
  PRIMARY KEY (webhook, tournament)
) STRICT, WITHOUT ROWID;

-- Messages that have not arrived.
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- When to try next, in milliseconds since 1970.
  next_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, next_at, id);
