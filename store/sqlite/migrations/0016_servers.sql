-- The servers that share this database, with their last heartbeats.
CREATE TABLE servers (
    id         TEXT    NOT NULL PRIMARY KEY,
    host       TEXT    NOT NULL,
    folder     TEXT    NOT NULL,
    engine     TEXT    NOT NULL, -- embedded or elasticsearch
    started    INTEGER NOT NULL,
    seen       INTEGER NOT NULL,
    live_index TEXT    NOT NULL,
    erased     INTEGER NOT NULL  -- revision of erased_revision that the index follows
) STRICT, WITHOUT ROWID;
