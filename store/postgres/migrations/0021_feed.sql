-- The number of the last change of freelancers in the feed, and of the last one that was deleted from it.
CREATE TABLE feed_state (
    one       BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    last      BIGINT NOT NULL,
    forgotten BIGINT NOT NULL
);
INSERT INTO feed_state (one, last, forgotten) VALUES (1, 0, 0);

-- Changes that are being made, stored with their entries in the audit log.
CREATE TABLE feed_pending (
    id      TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    due     BIGINT NOT NULL, -- when they are published if their server doesn't say before what became of them
    changes TEXT    NOT NULL  -- JSON
);
CREATE INDEX feed_pending_due ON feed_pending (due);

-- The feed. A row has successive changes.
CREATE TABLE feed (
    last    BIGINT NOT NULL PRIMARY KEY, -- number of its last change
    first   BIGINT NOT NULL,             -- number of its first change
    at      BIGINT NOT NULL,             -- when it was published
    changes TEXT    NOT NULL              -- JSON
);
CREATE INDEX feed_at ON feed (at);

-- The live index as the feed knows it, for each group of servers that share one.
CREATE TABLE feed_indexes (
    servers TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name    TEXT COLLATE "C" NOT NULL, -- '' for none
    state   TEXT COLLATE "C" NOT NULL  -- differs after each command that changes the index
);

-- Endpoints of accounts.
CREATE TABLE endpoints (
    id             TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    account        TEXT COLLATE "C"    NOT NULL, -- or the counter of a key without an account
    name           TEXT COLLATE "C"    NOT NULL,
    url            TEXT COLLATE "C"    NOT NULL, -- '' if messages are fetched by the API
    events         TEXT COLLATE "C"    NOT NULL,
    secret         BYTEA    NOT NULL,
    previous       BYTEA,             -- the secret before
    previous_until BIGINT,          -- until when it signs, too
    disabled       BIGINT,
    created        BIGINT NOT NULL,
    position       BIGINT NOT NULL  -- number of the last change in the feed that it has a message about
);
CREATE INDEX endpoints_account ON endpoints (account);

-- Messages to endpoints.
CREATE TABLE endpoint_messages (
    id         TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    endpoint   TEXT COLLATE "C"    NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    account    TEXT COLLATE "C"    NOT NULL,
    type       TEXT COLLATE "C"    NOT NULL,
    body       BYTEA    NOT NULL,
    created    BIGINT NOT NULL,
    due        BIGINT,          -- NULL: there will be no further attempt
    holder     TEXT COLLATE "C"    NOT NULL, -- of the attempt in progress; '' for none
    attempts   BIGINT NOT NULL,
    attempted  BIGINT,          -- when the last attempt ended
    delivered  BIGINT,
    status     BIGINT NOT NULL, -- of the last response; 0 for none
    took       BIGINT NOT NULL, -- duration of the last attempt in microseconds
    last_error TEXT COLLATE "C"    NOT NULL
);
CREATE INDEX endpoint_messages_endpoint ON endpoint_messages (endpoint, created, id);
CREATE INDEX endpoint_messages_due ON endpoint_messages (due, account, holder) WHERE due IS NOT NULL;
CREATE INDEX endpoint_messages_created ON endpoint_messages (created);

-- Events that are announced once, such as that a quota is nearly exhausted.
CREATE TABLE announced (
    subject TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    at      BIGINT NOT NULL
);
CREATE INDEX announced_at ON announced (at);
