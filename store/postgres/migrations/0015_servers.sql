-- The servers that share this database, with their last heartbeats.
CREATE TABLE servers (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    host       TEXT   NOT NULL,
    folder     TEXT   NOT NULL,
    engine     TEXT   NOT NULL, -- embedded or elasticsearch
    started    BIGINT NOT NULL,
    seen       BIGINT NOT NULL,
    live_index TEXT   NOT NULL,
    erased     BIGINT NOT NULL  -- revision of erased_revision that the index follows
);
