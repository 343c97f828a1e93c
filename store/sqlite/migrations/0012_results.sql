-- What users of the dashboard's playground sent and received.
CREATE TABLE results (
    id      TEXT    NOT NULL PRIMARY KEY,
    account TEXT    NOT NULL,
    user_id TEXT    NOT NULL, -- who may have left the account since
    kind    TEXT    NOT NULL,
    title   TEXT    NOT NULL,
    status  INTEGER NOT NULL, -- of the response
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    data    BLOB    NOT NULL  -- JSON
) STRICT;
CREATE INDEX results_account ON results (account, created);
CREATE INDEX results_expires ON results (expires);
