-- Who wants to be told about a session. Deleting the session deletes both rows about it.
CREATE TABLE webhooks (
    session TEXT NOT NULL PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    url     TEXT NOT NULL,
    secret  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Messages to send, and those that were sent.
CREATE TABLE webhook_messages (
    id         TEXT    NOT NULL PRIMARY KEY,
    session    TEXT    NOT NULL REFERENCES webhooks (session) ON DELETE CASCADE,
    account    TEXT    NOT NULL, -- of the session
    type       TEXT    NOT NULL,
    body       BLOB    NOT NULL, -- JSON
    created    INTEGER NOT NULL,
    due        INTEGER,          -- when to send it, or while it is sent, when to repeat that; NULL for never
    holder     TEXT    NOT NULL, -- of the attempt in progress; '' for none
    attempts   INTEGER NOT NULL, -- begun so far
    delivered  INTEGER,          -- NULL if it was not
    last_error TEXT    NOT NULL  -- '' if no attempt failed
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_messages_session ON webhook_messages (session, created);
CREATE INDEX webhook_messages_due ON webhook_messages (due, account, holder) WHERE due IS NOT NULL;
