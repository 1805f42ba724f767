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
