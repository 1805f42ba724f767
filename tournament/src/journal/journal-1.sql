-- A journal as version 1 wrote it.
PRAGMA application_id = 0x464c4950;
PRAGMA user_version = 1;

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

INSERT INTO bots VALUES
    (1, 'greedy', 1, 'process', '0101010101010101010101010101010101010101010101010101010101010101', 10, '0101010101010101010101010101010101010101010101010101010101010101', 1700000000000),
    (2, 'random', 1, 'module', '0202020202020202020202020202020202020202020202020202020202020202', 20, '0202020202020202020202020202020202020202020202020202020202020202.wasm', 1700000000001),
    (3, 'random', 2, 'module', '0303030303030303030303030303030303030303030303030303030303030303', 30, '0303030303030303030303030303030303030303030303030303030303030303.wasm', 1700000000002);
INSERT INTO bot_games VALUES (1, 'flipfour', 1700000000003);
INSERT INTO tournaments (id, name, settings, created_at) VALUES
    (1, 'evening', '{"game":"flipfour","options":"{}","seats":2,"format":"round-robin","rounds":1,"clock":"move=1s","seed":7}', 1700000000004);
INSERT INTO entrants VALUES (1, 0, 1), (1, 1, 3);
INSERT INTO matches VALUES (1, 0, 'evening-0', 0, 0, 1700000000005, 2000, 'fault', 40);
INSERT INTO match_seats VALUES
    (1, 0, 0, 1, 1, 1, NULL, NULL, 1000, 20),
    (1, 0, 1, 3, 0, 2, 'late', 'no answer in 1 s', 1000, 20);
INSERT INTO records VALUES
    (1, 0, x'ad1397b9890622cc1d296baf0c1ac93ffd964339aaef1c47a8dab90272f9a093', x'28b52ffd04581101007b2274797065223a226d61746368222c226964223a226576656e696e672d30227d0a097ee61a');
INSERT INTO voids VALUES (1, 1, 'the referee was late', 1700000000006);
