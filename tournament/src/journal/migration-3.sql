-- Archives of other arenas that were taken in.
CREATE TABLE imports (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    archive BLOB NOT NULL CHECK (length(archive) = 32), -- SHA-256 of the file
    name TEXT NOT NULL,                                 -- of the tournament there
    flipside TEXT NOT NULL,                             -- the version that wrote it
    at INTEGER NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    UNIQUE (tournament, archive)
) STRICT;

-- Where a match comes from that was not played here.
ALTER TABLE matches ADD COLUMN import INTEGER REFERENCES imports (id);
