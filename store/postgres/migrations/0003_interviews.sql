CREATE TABLE interviews (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL, -- '' for keys without an account
    version BIGINT NOT NULL, -- starts at 1 and grows by 1 with each change
    open    BIGINT NOT NULL, -- 1 until it is evaluated, then 0
    expires BIGINT NOT NULL,
    data    BYTEA  NOT NULL  -- JSON
);
CREATE INDEX interviews_open ON interviews (account, expires) WHERE open = 1;
CREATE INDEX interviews_expires ON interviews (expires);

-- Claims to Idempotency-Keys. A settled claim is deleted together with its session.
CREATE TABLE interview_requests (
    account         TEXT COLLATE "C" NOT NULL,
    idempotency_key TEXT COLLATE "C" NOT NULL,
    fingerprint     BYTEA  NOT NULL CHECK (length(fingerprint) = 32),
    holder          TEXT COLLATE "C" NOT NULL,
    session         TEXT COLLATE "C" REFERENCES interviews (id) ON DELETE CASCADE, -- NULL while the request runs
    result          BYTEA,  -- JSON; NULL while the request is under way
    expires         BIGINT NOT NULL,
    PRIMARY KEY (account, idempotency_key)
);
CREATE INDEX interview_requests_session ON interview_requests (session);
CREATE INDEX interview_requests_expires ON interview_requests (expires);
