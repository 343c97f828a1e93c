-- Where an entry is in its chain of hashes; all NULL for entries of earlier releases until a server appends them.
ALTER TABLE audit_events ADD COLUMN chain TEXT; -- main or freelancers
ALTER TABLE audit_events ADD COLUMN sequence INTEGER;
ALTER TABLE audit_events ADD COLUMN salt BLOB; -- of the commitment; NULL once the content is erased
ALTER TABLE audit_events ADD COLUMN commitment BLOB;
ALTER TABLE audit_events ADD COLUMN hash BLOB;
ALTER TABLE audit_events ADD COLUMN erased INTEGER; -- when pseudonyms replaced the content
CREATE UNIQUE INDEX audit_events_chain ON audit_events (chain, sequence);
CREATE INDEX audit_events_unchained ON audit_events (number) WHERE sequence IS NULL;

-- An append changes the row of its chain, so there is one at a time.
CREATE TABLE audit_chains (
    chain        TEXT    NOT NULL PRIMARY KEY,
    sequence     INTEGER NOT NULL, -- of the last record
    hash         BLOB    NOT NULL CHECK (length(hash) = 32),
    expired      INTEGER NOT NULL DEFAULT 0, -- sequence number up to which records were deleted after their retention
    expired_hash BLOB    NOT NULL CHECK (length(expired_hash) = 32), -- of that record
    verified     INTEGER NOT NULL DEFAULT 0, -- sequence number of the last record when a server verified the chain
    verified_at  INTEGER, -- NULL for never
    fault        TEXT    NOT NULL DEFAULT '' -- where and why the chain broke then
) STRICT, WITHOUT ROWID;
INSERT INTO audit_chains (chain, sequence, hash, expired_hash)
VALUES ('main', 0, zeroblob(32), zeroblob(32)), ('freelancers', 0, zeroblob(32), zeroblob(32));

-- A series of failed sign-ins now has several entries, which don't change.
ALTER TABLE sign_in_failures DROP COLUMN event;
