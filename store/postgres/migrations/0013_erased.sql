-- The list of erased people: keyed hashes of IDs and email addresses.
CREATE TABLE erased_people (
    hash_key   BYTEA  NOT NULL CHECK (length(hash_key) = 32),
    kind       TEXT COLLATE "C" NOT NULL, -- id or email
    hash       TEXT COLLATE "C" NOT NULL,
    erased     BIGINT NOT NULL,
    readmitted BIGINT NOT NULL, -- 0 for never; the entry counts if it is earlier than erased
    PRIMARY KEY (hash_key, kind, hash)
);

-- Grows with every change of the list.
CREATE TABLE erased_revision (
    one      BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    revision BIGINT NOT NULL
);
INSERT INTO erased_revision VALUES (1, 0);
