-- Requests to the API with their responses, of accounts that record them.
CREATE TABLE request_log (
    id         TEXT    NOT NULL PRIMARY KEY,
    account    TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    request_id TEXT    NOT NULL,
    operation  TEXT    NOT NULL,
    status     INTEGER NOT NULL,
    code       TEXT    NOT NULL, -- of an error, or empty
    created    INTEGER NOT NULL,
    took       INTEGER NOT NULL, -- nanoseconds
    expires    INTEGER NOT NULL,
    data       BLOB    NOT NULL  -- JSON
) STRICT;
CREATE INDEX request_log_account ON request_log (account, created);
CREATE INDEX request_log_expires ON request_log (expires);

-- Until when requests are recorded; null if they aren't.
ALTER TABLE accounts ADD COLUMN recording_until INTEGER;
