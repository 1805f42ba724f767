-- Bots join tournaments that have begun. Until such a change is settled and the bot is an entrant, this says which bot it
-- is. What is played follows from the bots that joined, so earlier versions must not open the journal.
ALTER TABLE changes ADD COLUMN bot INTEGER REFERENCES bots (id);
