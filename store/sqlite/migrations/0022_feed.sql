-- The number of the last change of freelancers in the feed, and of the last one that was deleted from it.
CREATE TABLE feed_state (
    one       INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    last      INTEGER NOT NULL,
    forgotten INTEGER NOT NULL
) STRICT;
INSERT INTO feed_state (one, last, forgotten) VALUES (1, 0, 0);

-- Changes that are being made, stored with their entries in the audit log.
CREATE TABLE feed_pending (
    id      TEXT    NOT NULL PRIMARY KEY,
    due     INTEGER NOT NULL, -- when they are published if their server doesn't say before what became of them
    changes TEXT    NOT NULL  -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_pending_due ON feed_pending (due);

-- The feed. A row has successive changes.
CREATE TABLE feed (
    last    INTEGER NOT NULL PRIMARY KEY, -- number of its last change
    first   INTEGER NOT NULL,             -- number of its first change
    at      INTEGER NOT NULL,             -- when it was published
    changes TEXT    NOT NULL              -- JSON
) STRICT;
CREATE INDEX feed_at ON feed (at);

-- The live index as the feed knows it, for each group of servers that share one.
CREATE TABLE feed_indexes (
    servers TEXT NOT NULL PRIMARY KEY,
    name    TEXT NOT NULL, -- '' for none
    state   TEXT NOT NULL  -- differs after each command that changes the index
) STRICT, WITHOUT ROWID;

-- Endpoints of accounts.
CREATE TABLE endpoints (
    id             TEXT    NOT NULL PRIMARY KEY,
    account        TEXT    NOT NULL, -- or the counter of a key without an account
    name           TEXT    NOT NULL,
    url            TEXT    NOT NULL, -- '' if messages are fetched by the API
    events         TEXT    NOT NULL,
    secret         BLOB    NOT NULL,
    previous       BLOB,             -- the secret before
    previous_until INTEGER,          -- until when it signs, too
    disabled       INTEGER,
    created        INTEGER NOT NULL,
    position       INTEGER NOT NULL  -- number of the last change in the feed that it has a message about
) STRICT, WITHOUT ROWID;
CREATE INDEX endpoints_account ON endpoints (account);

-- Messages to endpoints.
CREATE TABLE endpoint_messages (
    id         TEXT    NOT NULL PRIMARY KEY,
    endpoint   TEXT    NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    account    TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    created    INTEGER NOT NULL,
    due        INTEGER,          -- NULL: there will be no further attempt
    holder     TEXT    NOT NULL, -- of the attempt in progress; '' for none
    attempts   INTEGER NOT NULL,
    attempted  INTEGER,          -- when the last attempt ended
    delivered  INTEGER,
    status     INTEGER NOT NULL, -- of the last response; 0 for none
    took       INTEGER NOT NULL, -- duration of the last attempt in microseconds
    last_error TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX endpoint_messages_endpoint ON endpoint_messages (endpoint, created, id);
CREATE INDEX endpoint_messages_due ON endpoint_messages (due, account, holder) WHERE due IS NOT NULL;
CREATE INDEX endpoint_messages_created ON endpoint_messages (created);

-- Events that are announced once, such as that a quota is nearly exhausted.
CREATE TABLE announced (
    subject TEXT    NOT NULL PRIMARY KEY,
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX announced_at ON announced (at);
