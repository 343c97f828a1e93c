-- What users of the dashboard's playground sent and received.
CREATE TABLE results (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL, -- who may have left the account since
    kind    TEXT COLLATE "C" NOT NULL,
    title   TEXT   NOT NULL,
    status  BIGINT NOT NULL, -- of the response
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    data    BYTEA  NOT NULL  -- JSON
);
CREATE INDEX results_account ON results (account, created);
CREATE INDEX results_expires ON results (expires);
