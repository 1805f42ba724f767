-- The tables of the journal. Times are milliseconds since 1970 (UTC), durations microseconds.

CREATE TABLE bots (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1), -- counts by name
    kind TEXT NOT NULL,                            -- process, module
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size INTEGER NOT NULL,
    file TEXT,                                     -- in the folder of the bots, or sample:NAME; none: only results
    submitted_at INTEGER NOT NULL,
    deleted_at INTEGER,                            -- when its file was deleted; its results stay
    UNIQUE (name, version)
) STRICT;

-- The games in which a bot has passed its check, without their versions.
CREATE TABLE bot_games (
    bot INTEGER NOT NULL REFERENCES bots (id),
    game TEXT NOT NULL,
    PRIMARY KEY (bot, game)
) STRICT, WITHOUT ROWID;

-- The names that bots had when matches were played: records have them.
CREATE TABLE former_names (
    bot INTEGER NOT NULL REFERENCES bots (id),
    name TEXT NOT NULL,
    renamed_at INTEGER NOT NULL,
    PRIMARY KEY (bot, name)
) STRICT, WITHOUT ROWID;

-- The games that are programs.
CREATE TABLE games (
    name TEXT NOT NULL CHECK (name NOT GLOB '*[^a-z0-9-]*'), -- the id that the program says
    version INTEGER NOT NULL CHECK (version >= 1),           -- counts by name
    kind TEXT NOT NULL,                                      -- process, module
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size INTEGER NOT NULL,
    file TEXT NOT NULL,                                      -- in the folder of the games
    description TEXT NOT NULL CHECK (json_valid(description)), -- the line with which the program describes its game
    added_at INTEGER NOT NULL,
    imported INTEGER NOT NULL CHECK (imported IN (0, 1)),      -- whether only an archive has brought it
    UNIQUE (name, version)
) STRICT;

CREATE TABLE tournaments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,          -- never given twice: other stores name tournaments by it
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    game TEXT NOT NULL AS (settings ->> 'game'),
    unrated INTEGER NOT NULL AS (coalesce(settings ->> 'unrated', 0)),
    -- Whether somebody has asked a site for these matches: request-ACCOUNT-NUMBER (tournaments.rs).
    request INTEGER NOT NULL AS (
        coalesce(settings ->> 'unrated', 0)
        AND name GLOB 'request-[1-9]*-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
        AND substr(name, 9, length(name) - 17) = CAST(CAST(substr(name, 9) AS INTEGER) AS TEXT)
    ),
    created_at INTEGER NOT NULL
) STRICT;

-- The lists of a site have requests apart. An index ends with the id, so each list is read from its latest on.
CREATE INDEX tournaments_by_request ON tournaments (request);
CREATE INDEX tournaments_by_game ON tournaments (game, request);
CREATE INDEX tournaments_rated ON tournaments (game, unrated);

CREATE TABLE entrants (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    bot INTEGER NOT NULL REFERENCES bots (id),
    PRIMARY KEY (tournament, number),
    UNIQUE (tournament, bot)
) STRICT, WITHOUT ROWID;

CREATE INDEX entrants_by_bot ON entrants (bot, tournament);

-- What was changed of a tournament since it began. A change without an index was requested and is not settled: whoever
-- plays the tournament gives it one.
CREATE TABLE changes (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL CHECK (number >= 0),        -- in the order of the requests
    idx INTEGER CHECK (idx >= 0),                       -- from which match of the schedule on it acts
    change TEXT NOT NULL CHECK (json_valid(change)),
    reason TEXT,
    at INTEGER NOT NULL,
    bot INTEGER REFERENCES bots (id),                   -- which joins; it is an entrant once the change is settled
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

-- Whoever plays asks very often whether there are any.
CREATE INDEX requested_changes ON changes (tournament) WHERE idx IS NULL;

-- The runs of tournaments, each of which played at least one match.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)) -- whether each match had cores of its own
) STRICT;

CREATE INDEX runs_of_tournament ON runs (tournament);

-- Archives of other arenas that were taken in.
CREATE TABLE imports (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    archive BLOB NOT NULL CHECK (length(archive) = 32), -- SHA-256 of the file
    name TEXT NOT NULL,                                 -- of the tournament there
    flipside TEXT NOT NULL,                             -- the version that wrote it
    at INTEGER NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    last INTEGER,                                       -- the index of its last match, whatever was taken in
    signer BLOB CHECK (length(signer) = 32),            -- the public key of Ed25519, if it is signed
    UNIQUE (tournament, archive)
) STRICT;

-- Workers on other machines play matches. Of each that did: its name, which is empty where an archive does not tell it, and
-- the class of its machine, which is empty where no clock counted time.
CREATE TABLE workers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    UNIQUE (name, class)
) STRICT;

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
    import INTEGER REFERENCES imports (id),        -- where it comes from; none if it was played for this arena
    worker INTEGER REFERENCES workers (id),        -- who played it; none if it was played here
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
    model TEXT,                                    -- JSON: what its notes tell of a language model (ModelUse)
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
    zstd BLOB NOT NULL,                               -- the text, compressed (packed.rs)
    UNIQUE (tournament, idx),
    FOREIGN KEY (tournament, idx) REFERENCES matches (tournament, idx)
) STRICT;

-- What is kept of a seat's fault for the author of its bot.
CREATE TABLE evidence (
    tournament INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),   -- of the text
    zstd BLOB NOT NULL,                                 -- JSON, compressed
    UNIQUE (tournament, idx, seat),
    FOREIGN KEY (tournament, idx, seat) REFERENCES match_seats (tournament, idx, seat)
) STRICT;

-- What is kept of bots that did not fail: the end of their standard error, and whether they computed on the turns of
-- others, as JSON. A match takes the slot of its index modulo 1024, and so the place of an earlier match. There is no
-- foreign key: to look for the rows of a match that is deleted would need another index, which every match would pay.
CREATE TABLE notes (
    tournament INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),   -- of the text
    zstd BLOB NOT NULL,                                 -- JSON, compressed
    UNIQUE (tournament, slot, seat)
) STRICT;

-- Matches that the host failed to play; they are played again.
CREATE TABLE voids (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL CHECK (idx >= 0),
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX voids_by_match ON voids (tournament, idx);

-- Bots that were at fault in match after match, and play no more in their tournament.
CREATE TABLE pauses (
    tournament INTEGER NOT NULL,
    idx INTEGER NOT NULL CHECK (idx >= 0),              -- the match after which it is paused
    bot INTEGER NOT NULL,
    faults TEXT NOT NULL CHECK (json_valid(faults)),    -- how often each, by name
    detail TEXT NOT NULL,                               -- of the last
    PRIMARY KEY (tournament, bot),
    FOREIGN KEY (tournament, bot) REFERENCES entrants (tournament, bot)
) STRICT, WITHOUT ROWID;

-- Matches whose modules were played again, to see whether their workers tell the truth. A row stays when the result of its
-- match is withdrawn.
CREATE TABLE audits (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    idx INTEGER NOT NULL,
    worker TEXT NOT NULL,  -- who played it
    auditor TEXT NOT NULL, -- who played it again; empty: the arena
    difference TEXT,       -- none if nothing differs
    record BLOB NOT NULL CHECK (length(record) = 32), -- SHA-256 of what was audited
    proves INTEGER NOT NULL CHECK (proves IN (0, 1)), -- whether that is true as a whole
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX audits_of_matches ON audits (tournament, idx);

-- Workers that have returned what is not true: nothing of theirs counts.
CREATE TABLE banned_workers (
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
