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
