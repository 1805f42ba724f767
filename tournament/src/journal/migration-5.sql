-- The runs of tournaments, each of which played at least one match, and whether each of its matches had cores of its own.
-- Of matches that were played before this version, nobody knows.
--
-- From this version on, a record or evidence may be compressed with a dictionary of records (packed.rs). Earlier
-- versions cannot read these, and so must not open the journal.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    began_at INTEGER NOT NULL,                          -- in milliseconds since 1970
    workers INTEGER NOT NULL CHECK (workers > 0),       -- how many matches were played at once
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1))
) STRICT;

CREATE INDEX runs_of_tournament ON runs (tournament);
