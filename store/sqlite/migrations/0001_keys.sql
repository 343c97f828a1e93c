CREATE TABLE api_keys (
    id        TEXT    NOT NULL PRIMARY KEY,
    name      TEXT    NOT NULL,
    plan      TEXT    NOT NULL,
    prefix    TEXT    NOT NULL,
    last4     TEXT    NOT NULL,
    hash      BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    created   INTEGER NOT NULL, -- times are microseconds since 1970
    expires   INTEGER,
    disabled  INTEGER,
    revoked   INTEGER,
    last_used INTEGER
) STRICT;
