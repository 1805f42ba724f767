-- Whose signature an imported archive has: the public key of Ed25519. Archives before this were not signed.
ALTER TABLE imports ADD COLUMN signer BLOB CHECK (length(signer) = 32);
