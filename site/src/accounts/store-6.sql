-- Who has made an invitation; null: somebody with the command.
ALTER TABLE invitations ADD COLUMN account INTEGER REFERENCES accounts;
