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
