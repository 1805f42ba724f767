-- A journal as version 9 wrote it: an import that is signed, beside what version 8 had.
PRAGMA application_id = 0x464c4950;
PRAGMA user_version = 9;

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
-- How far an archive reaches, whatever of it was taken in: the index of its last match; none if it has no
-- match. Of those that came before this column and were not finished at least one match more is missing than
-- was brought; where none was, nobody knows how many.
ALTER TABLE imports ADD COLUMN last INTEGER;

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

-- What is kept of bots that did not fail: the end of their standard error, and whether they computed on the turns of
-- others, as JSON. A match takes the slot of its index modulo 1024, and so the place of an earlier match. There is no
-- foreign key: to look for the rows of a match that is deleted would need another index, which every match would pay.
--
-- From this version on, evidence may have a hint. Earlier versions cannot read it, and so must not open the journal.
CREATE TABLE notes (
    tournament INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),   -- of the text
    zstd BLOB NOT NULL,                                 -- JSON, compressed
    UNIQUE (tournament, slot, seat)
) STRICT;

INSERT INTO bots VALUES
    (1, 'greedy', 1, 'process', '0101010101010101010101010101010101010101010101010101010101010101', 10, '0101010101010101010101010101010101010101010101010101010101010101', 1700000000000),
    (2, 'random', 1, 'module', '0202020202020202020202020202020202020202020202020202020202020202', 20, '0202020202020202020202020202020202020202020202020202020202020202.wasm', 1700000000001),
    (3, 'random', 2, 'module', '0303030303030303030303030303030303030303030303030303030303030303', 30, '0303030303030303030303030303030303030303030303030303030303030303.wasm', 1700000000002);
INSERT INTO bot_games VALUES (1, 'flipfour', 1700000000003);
INSERT INTO tournaments (id, name, settings, created_at) VALUES
    (1, 'evening', '{"game":"flipfour","options":"{}","seats":2,"format":"round-robin","rounds":1,"clock":"move=1s","seed":7,"policy":{"pause-after":1,"paused":"forfeit"}}', 1700000000004);
INSERT INTO entrants VALUES (1, 0, 1), (1, 1, 3);
INSERT INTO imports VALUES
    (1, 1, x'0101010101010101010101010101010101010101010101010101010101010101', 'evening', '0.1.0', 1700000000010, 1, 0),
    (2, 1, x'0202020202020202020202020202020202020202020202020202020202020202', 'evening', '0.1.0', 1700000000011, 0, 2),
    (3, 1, x'0303030303030303030303030303030303030303030303030303030303030303', 'evening', '0.1.0', 1700000000012, 0, NULL);
INSERT INTO matches VALUES (1, 0, 'evening-0', 0, 0, 1700000000005, 2000, 'fault', 40, 1);
INSERT INTO match_seats VALUES
    (1, 0, 0, 1, 1, 1, NULL, NULL, 1000, 20),
    (1, 0, 1, 3, 0, 2, 'late', 'no answer in 1 s', 1000, 20);
INSERT INTO matches VALUES (1, 1, 'evening-1', 0, 0, 1700000000007, 0, 'forfeit', 0, 2);
INSERT INTO match_seats VALUES
    (1, 1, 0, 3, 0, 2, 'forfeit', 'it is paused', 0, 0),
    (1, 1, 1, 1, 1, 1, NULL, NULL, 0, 0);
INSERT INTO pauses VALUES (1, 0, 3, '{"late":1}', 'no answer in 1 s');
INSERT INTO evidence VALUES
    (1, 0, 1, x'bce799eb8765ee1403003bf45007378a4468cf0e0b80ee43488088a215c8b40d', x'28b52ffd2311c98d4372a5020054037b22737464657272223a2268656c7472616666696366726f6d5f3a227b7d222c226279746573223a327d2c72657369676e367d5d7d09fc2f01af2655f94111198f7e7f7867d338b0c901c3d3ca291892f707');
INSERT INTO records VALUES
    (1, 0, x'ad1397b9890622cc1d296baf0c1ac93ffd964339aaef1c47a8dab90272f9a093', x'28b52ffd2311c98d4322b5000040696e672d30227d0a047c0029e0fd201627b460660d');
INSERT INTO voids VALUES (1, 1, 'the referee was late', 1700000000006);
INSERT INTO runs VALUES
    (1, 1, 1700000000004, 2, 1),
    (2, 1, 1700000000006, 1, 0);
INSERT INTO notes VALUES
    (1, 0, 0, 0, x'5d45d9185afde16ed44ad9885de7d40effe6711dceb0aa4a74a6c7a876ed7678', x'28b52ffd00584101007b22737464657272223a227468696e6b696e67222c22706f6e64657265645f7573223a373030307d');

-- What was changed of a tournament since it began. A change without an index was requested and is not settled: whoever
-- plays the tournament gives it one. What is played follows from the changes, so earlier versions must not open the
-- journal.
CREATE TABLE changes (
    tournament INTEGER NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL CHECK (number >= 0),        -- in the order of the requests
    idx INTEGER CHECK (idx >= 0),                       -- from which match of the schedule on it acts
    change TEXT NOT NULL CHECK (json_valid(change)),
    reason TEXT,
    at INTEGER NOT NULL,                                -- in milliseconds since 1970
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

-- Whoever plays asks very often whether there are any.
CREATE INDEX requested_changes ON changes (tournament) WHERE idx IS NULL;

-- The names that bots had when matches were played: records have them.
CREATE TABLE former_names (
    bot INTEGER NOT NULL REFERENCES bots (id),
    name TEXT NOT NULL,
    renamed_at INTEGER NOT NULL,                        -- in milliseconds since 1970
    PRIMARY KEY (bot, name)
) STRICT, WITHOUT ROWID;

-- When the file of a bot was deleted, in milliseconds since 1970. Its results stay.
ALTER TABLE bots ADD COLUMN deleted_at INTEGER;

INSERT INTO changes VALUES
    (1, 0, 2, '{"rounds":{"more":1}}', 'a second leg', 1700000000020),
    (1, 1, NULL, '{"withdraw":{"entrant":1}}', NULL, 1700000000021);

-- Bots join tournaments that have begun. Until such a change is settled and the bot is an entrant, this says which bot it
-- is. What is played follows from the bots that joined, so earlier versions must not open the journal.
ALTER TABLE changes ADD COLUMN bot INTEGER REFERENCES bots (id);

INSERT INTO changes VALUES
    (1, 2, NULL, '{"join":{"entrant":2}}', NULL, 1700000000022, 2);

-- Whose signature an imported archive has: the public key of Ed25519. Archives before this were not signed.
ALTER TABLE imports ADD COLUMN signer BLOB CHECK (length(signer) = 32);

UPDATE imports SET signer = x'0404040404040404040404040404040404040404040404040404040404040404' WHERE id = 2;
