-- How far an archive reaches, whatever of it was taken in: the index of its last match; none if it has no
-- match. Of those that came before this column and were not finished at least one match more is missing than
-- was brought; where none was, nobody knows how many.
ALTER TABLE imports ADD COLUMN last INTEGER;

UPDATE imports SET last = (
    SELECT max(idx) FROM matches WHERE matches.tournament = imports.tournament AND import = imports.id
) + 1 - finished;

UPDATE imports SET last = 9223372036854775807 WHERE last IS NULL AND finished = 0;
