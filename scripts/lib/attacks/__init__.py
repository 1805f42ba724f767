"""The attacks of scripts/attacks: what all share is in `trial`, and each other file holds attacks of one kind."""
