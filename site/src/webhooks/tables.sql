-- Who is told of results.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES accounts,
  url TEXT NOT NULL,
  -- Only of the tournament of this name; null: of all.
  tournament TEXT,
  -- Whether only of ends of tournaments, and of no match.
  ends_only INTEGER NOT NULL,
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
