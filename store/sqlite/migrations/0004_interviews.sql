CREATE TABLE interviews (
    id      TEXT    NOT NULL PRIMARY KEY,
    account TEXT    NOT NULL, -- '' for keys without an account
    version INTEGER NOT NULL, -- starts at 1 and grows by 1 with each change
    open    INTEGER NOT NULL, -- 1 until it is evaluated, then 0
    expires INTEGER NOT NULL,
    data    BLOB    NOT NULL  -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX interviews_open ON interviews (account, expires) WHERE open = 1;
CREATE INDEX interviews_expires ON interviews (expires);

-- Claims to Idempotency-Keys. A settled claim is deleted together with its session.
CREATE TABLE interview_requests (
    account         TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    fingerprint     BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    holder          TEXT    NOT NULL,
    session         TEXT    REFERENCES interviews (id) ON DELETE CASCADE, -- NULL while the request runs
    result          BLOB,   -- JSON; NULL while the request is under way
    expires         INTEGER NOT NULL,
    PRIMARY KEY (account, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX interview_requests_session ON interview_requests (session);
CREATE INDEX interview_requests_expires ON interview_requests (expires);
