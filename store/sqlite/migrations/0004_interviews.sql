CREATE TABLE interviews (
    id      TEXT    NOT NULL PRIMARY KEY,
    account TEXT    NOT NULL, -- whose it is; '' where requests come without an account
    version INTEGER NOT NULL, -- 1, and 1 more with each change
    open    INTEGER NOT NULL, -- 1 until it is evaluated
    expires INTEGER NOT NULL,
    data    BLOB    NOT NULL  -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX interviews_open ON interviews (account, expires) WHERE open = 1;
CREATE INDEX interviews_expires ON interviews (expires);

-- What was answered to a request with an Idempotency-Key goes with the session that it tells of.
CREATE TABLE interview_requests (
    account         TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    fingerprint     BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    holder          TEXT    NOT NULL,
    session         TEXT    REFERENCES interviews (id) ON DELETE CASCADE, -- NULL while the request is under way
    result          BLOB,   -- JSON; NULL while the request is under way
    expires         INTEGER NOT NULL,
    PRIMARY KEY (account, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX interview_requests_session ON interview_requests (session);
CREATE INDEX interview_requests_expires ON interview_requests (expires);
