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
