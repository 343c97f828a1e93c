CREATE TABLE interviews (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL, -- whose it is; '' where requests come without an account
    version BIGINT NOT NULL, -- 1, and 1 more with each change
    open    BIGINT NOT NULL, -- 1 until it is evaluated
    expires BIGINT NOT NULL,
    data    BYTEA  NOT NULL  -- JSON
);
CREATE INDEX interviews_open ON interviews (account, expires) WHERE open = 1;
CREATE INDEX interviews_expires ON interviews (expires);

-- What was answered to a request with an Idempotency-Key goes with the session that it tells of.
CREATE TABLE interview_requests (
    account         TEXT COLLATE "C" NOT NULL,
    idempotency_key TEXT COLLATE "C" NOT NULL,
    fingerprint     BYTEA  NOT NULL CHECK (length(fingerprint) = 32),
    holder          TEXT COLLATE "C" NOT NULL,
    session         TEXT COLLATE "C" REFERENCES interviews (id) ON DELETE CASCADE, -- NULL while the request is under way
    result          BYTEA,  -- JSON; NULL while the request is under way
    expires         BIGINT NOT NULL,
    PRIMARY KEY (account, idempotency_key)
);
CREATE INDEX interview_requests_session ON interview_requests (session);
CREATE INDEX interview_requests_expires ON interview_requests (expires);
