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
