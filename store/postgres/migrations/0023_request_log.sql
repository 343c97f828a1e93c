-- Requests to the API with their responses, of accounts that record them.
CREATE TABLE request_log (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account    TEXT COLLATE "C" NOT NULL,
    key_id     TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    operation  TEXT   NOT NULL,
    status     BIGINT NOT NULL,
    code       TEXT   NOT NULL, -- of an error, or empty
    created    BIGINT NOT NULL,
    took       BIGINT NOT NULL, -- nanoseconds
    expires    BIGINT NOT NULL,
    data       BYTEA  NOT NULL  -- JSON
);
CREATE INDEX request_log_account ON request_log (account, created);
CREATE INDEX request_log_expires ON request_log (expires);

-- Until when requests are recorded; null if they aren't.
ALTER TABLE accounts ADD COLUMN recording_until BIGINT;
