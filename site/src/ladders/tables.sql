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
