-- Who wants to be told about a session. Deleting the session deletes both rows about it.
CREATE TABLE webhooks (
    session TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    url     TEXT COLLATE "C" NOT NULL,
    secret  BYTEA NOT NULL
);

-- Messages to send, and those that were sent.
CREATE TABLE webhook_messages (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session    TEXT COLLATE "C" NOT NULL REFERENCES webhooks (session) ON DELETE CASCADE,
    account    TEXT COLLATE "C" NOT NULL, -- of the session
    type       TEXT COLLATE "C" NOT NULL,
    body       BYTEA  NOT NULL, -- JSON
    created    BIGINT NOT NULL,
    due        BIGINT,          -- when to send it, or while it is sent, when to repeat that; NULL for never
    holder     TEXT COLLATE "C" NOT NULL, -- of the attempt in progress; '' for none
    attempts   BIGINT NOT NULL, -- begun so far
    delivered  BIGINT,          -- NULL if it was not
    last_error TEXT   NOT NULL  -- '' if no attempt failed
);
CREATE INDEX webhook_messages_session ON webhook_messages (session, created);
CREATE INDEX webhook_messages_due ON webhook_messages (due, account, holder) WHERE due IS NOT NULL;
