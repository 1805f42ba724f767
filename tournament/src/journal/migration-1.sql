-- Times are milliseconds since 1970 (UTC), durations microseconds.

CREATE TABLE bots (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1), -- counts by name
    kind TEXT NOT NULL,                            -- process, module
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size INTEGER NOT NULL,
    file TEXT NOT NULL,                            -- in the folder of the bots
    submitted_at INTEGER NOT NULL,
    UNIQUE (name, version)
) STRICT;

-- The games in which a bot has passed its check.
CREATE TABLE bot_games (
    bot INTEGER NOT NULL REFERENCES bots (id),
    game TEXT NOT NULL,
    passed_at INTEGER NOT NULL,
    PRIMARY KEY (bot, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE tournaments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    game TEXT NOT NULL AS (settings ->> 'game'),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX tournaments_by_game ON tournaments (game);

CREATE TABLE entrants (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    bot INTEGER NOT NULL REFERENCES bots (id),
    PRIMARY KEY (tournament, number),
    UNIQUE (tournament, bot)
) STRICT, WITHOUT ROWID;

CREATE TABLE matches (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL CHECK (idx >= 0),         -- in the schedule
    id TEXT NOT NULL UNIQUE,
    round INTEGER NOT NULL,
    block INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    reason TEXT NOT NULL,
    plies INTEGER NOT NULL,
    PRIMARY KEY (tournament, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE match_seats (
    tournament INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    seat INTEGER NOT NULL CHECK (seat >= 0),
    bot INTEGER NOT NULL,
    points INTEGER NOT NULL,
    place INTEGER NOT NULL CHECK (place >= 1),
    fault TEXT,
    fault_detail TEXT,
    used_us INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    PRIMARY KEY (tournament, idx, seat),
    FOREIGN KEY (tournament, idx) REFERENCES matches (tournament, idx),
    FOREIGN KEY (tournament, bot) REFERENCES entrants (tournament, bot)
) STRICT, WITHOUT ROWID;

CREATE INDEX match_seats_by_bot ON match_seats (bot, tournament, idx);
CREATE INDEX match_seats_by_fault ON match_seats (tournament, idx) WHERE fault IS NOT NULL;

-- Apart from the matches, so that tables are made without passing over the records.
CREATE TABLE records (
    tournament INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32), -- of the text
    zstd BLOB NOT NULL,                               -- the text, compressed
    UNIQUE (tournament, idx),
    FOREIGN KEY (tournament, idx) REFERENCES matches (tournament, idx)
) STRICT;

-- Matches that the host failed to play; they are played again.
CREATE TABLE voids (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL CHECK (idx >= 0),
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX voids_by_match ON voids (tournament, idx);
