-- When accounts have requested matches in the last day, for the limit of a day: also matches that were deleted since.
CREATE TABLE requests (
  tournament TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  requested_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_of_account ON requests (account, requested_at);
