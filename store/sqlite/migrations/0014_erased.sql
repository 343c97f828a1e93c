-- The list of erased people: keyed hashes of IDs and email addresses.
CREATE TABLE erased_people (
    hash_key   BLOB    NOT NULL CHECK (length(hash_key) = 32),
    kind       TEXT    NOT NULL, -- id or email
    hash       TEXT    NOT NULL,
    erased     INTEGER NOT NULL,
    readmitted INTEGER NOT NULL, -- 0 for never; the entry counts if it is earlier than erased
    PRIMARY KEY (hash_key, kind, hash)
) STRICT, WITHOUT ROWID;

-- Grows with every change of the list.
CREATE TABLE erased_revision (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL
) STRICT;
INSERT INTO erased_revision VALUES (1, 0);
