-- Workers on other machines play matches. Of each that did: its name, which is empty where an archive does not tell it, and
-- the class of its machine, which is empty where no clock counted time.
CREATE TABLE workers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    UNIQUE (name, class)
) STRICT;

-- Which worker played a match; none if it was played here.
ALTER TABLE matches ADD COLUMN worker INTEGER REFERENCES workers (id);

-- Matches whose modules were played again, to see whether their workers tell the truth. A row stays when the result of its
-- match is withdrawn.
CREATE TABLE audits (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL,
    worker TEXT NOT NULL,  -- who played it
    auditor TEXT NOT NULL, -- who played it again; empty: the arena
    difference TEXT,       -- none if nothing differs
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX audits_of_matches ON audits (tournament, idx);

-- Matches with processes that were played twice. A process may decide differently each time, so these are counts.
CREATE TABLE comparisons (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL,
    bot INTEGER NOT NULL REFERENCES bots (id),
    worker TEXT NOT NULL,  -- who played it first
    auditor TEXT NOT NULL, -- who played it again
    decisions INTEGER NOT NULL, -- of the bot, in the same position
    different INTEGER NOT NULL, -- of these, how many differ
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX comparisons_of_tournaments ON comparisons (tournament);

-- Workers that have returned what is not true: nothing of theirs counts.
CREATE TABLE shut_out (
    worker TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Results of such workers that were taken out of the tournament. Their matches are played again.
CREATE TABLE withdrawn (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL,
    worker TEXT NOT NULL, -- who had played it
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX withdrawn_of_tournaments ON withdrawn (tournament);
