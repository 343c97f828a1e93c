CREATE TABLE accounts (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    folded_name TEXT    NOT NULL, -- in lower case, for searching
    plan        TEXT    NOT NULL,
    plan_since  INTEGER NOT NULL,
    created     INTEGER NOT NULL,
    disabled    INTEGER
) STRICT;
CREATE INDEX accounts_created ON accounts (created);

CREATE TABLE users (
    id           TEXT    NOT NULL PRIMARY KEY,
    account      TEXT    NOT NULL REFERENCES accounts (id),
    email        TEXT    NOT NULL UNIQUE, -- in lower case
    role         TEXT    NOT NULL,
    password     TEXT    NOT NULL, -- argon2id hash in PHC string format
    created      INTEGER NOT NULL,
    last_sign_in INTEGER,
    sessions     INTEGER NOT NULL
) STRICT;
CREATE INDEX users_account ON users (account);

CREATE TABLE links (
    id      TEXT    NOT NULL PRIMARY KEY,
    token   BLOB    NOT NULL UNIQUE CHECK (length(token) = 32),
    purpose TEXT    NOT NULL,
    email   TEXT    NOT NULL,
    account TEXT    NOT NULL, -- '' for none
    plan    TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    user_id TEXT    NOT NULL, -- '' for none
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX links_replace ON links (purpose, user_id) WHERE purpose <> 'invitation';

CREATE TABLE audit_events (
    number  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    actor   TEXT    NOT NULL,
    account TEXT    NOT NULL, -- '' for none
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    detail  TEXT    NOT NULL,
    address TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_events_at ON audit_events (at);
CREATE INDEX audit_events_account ON audit_events (account, at);

ALTER TABLE api_keys ADD COLUMN account TEXT REFERENCES accounts (id); -- NULL for none
ALTER TABLE api_keys ADD COLUMN counter TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN plan_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN operations TEXT NOT NULL DEFAULT ''; -- with a space between them
ALTER TABLE api_keys ADD COLUMN networks TEXT NOT NULL DEFAULT ''; -- with a space between them
ALTER TABLE api_keys ADD COLUMN replaced_by TEXT NOT NULL DEFAULT '';
UPDATE api_keys SET counter = id, plan_since = created;
CREATE INDEX api_keys_account ON api_keys (coalesce(account, ''));

CREATE TABLE usage_days (
    key_id    TEXT    NOT NULL REFERENCES api_keys (id),
    day       INTEGER NOT NULL, -- its beginning
    operation TEXT    NOT NULL,
    status    INTEGER NOT NULL,
    requests  INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, operation, status)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_day ON usage_days (day);

CREATE TABLE failures (
    number     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    key_id     TEXT    NOT NULL REFERENCES api_keys (id),
    at         INTEGER NOT NULL,
    request_id TEXT    NOT NULL,
    operation  TEXT    NOT NULL,
    status     INTEGER NOT NULL,
    code       TEXT    NOT NULL
) STRICT;
CREATE INDEX failures_key ON failures (key_id, at);
CREATE INDEX failures_at ON failures (at);

CREATE TABLE quotas (
    subject      TEXT    NOT NULL PRIMARY KEY,
    minute_start INTEGER NOT NULL,
    minute_used  INTEGER NOT NULL,
    month_start  INTEGER NOT NULL,
    month_used   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    token   TEXT    NOT NULL PRIMARY KEY,
    data    BLOB    NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expires ON sessions (expires);
