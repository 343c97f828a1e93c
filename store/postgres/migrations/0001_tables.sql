-- Times are microseconds since 1970. Columns that results are ordered by compare bytes, as in SQLite.

CREATE TABLE accounts (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    folded_name TEXT   NOT NULL, -- in lower case, for searching
    plan        TEXT   NOT NULL,
    plan_since  BIGINT NOT NULL,
    created     BIGINT NOT NULL,
    disabled    BIGINT
);
CREATE INDEX accounts_created ON accounts (created);

CREATE TABLE users (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account      TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    email        TEXT   NOT NULL UNIQUE, -- in lower case
    role         TEXT   NOT NULL,
    password     TEXT   NOT NULL, -- argon2id hash in PHC string format
    created      BIGINT NOT NULL,
    last_sign_in BIGINT,
    sessions     BIGINT NOT NULL
);
CREATE INDEX users_account ON users (account);

CREATE TABLE links (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    token   BYTEA  NOT NULL UNIQUE CHECK (length(token) = 32),
    purpose TEXT   NOT NULL,
    email   TEXT   NOT NULL,
    account TEXT   NOT NULL, -- '' for none
    plan    TEXT   NOT NULL,
    role    TEXT   NOT NULL,
    user_id TEXT   NOT NULL, -- '' for none
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE UNIQUE INDEX links_replace ON links (purpose, user_id) WHERE purpose <> 'invitation';

CREATE TABLE audit_events (
    number  BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at      BIGINT NOT NULL,
    actor   TEXT   NOT NULL,
    account TEXT   NOT NULL, -- '' for none
    action  TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    detail  TEXT   NOT NULL,
    address TEXT   NOT NULL
);
CREATE INDEX audit_events_at ON audit_events (at);
CREATE INDEX audit_events_account ON audit_events (account, at);

CREATE TABLE api_keys (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account     TEXT COLLATE "C" REFERENCES accounts (id), -- NULL for none
    name        TEXT   NOT NULL,
    plan        TEXT   NOT NULL,
    prefix      TEXT   NOT NULL,
    last4       TEXT   NOT NULL,
    hash        BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    counter     TEXT   NOT NULL,
    plan_since  BIGINT NOT NULL,
    operations  TEXT   NOT NULL, -- with a space between them
    networks    TEXT   NOT NULL, -- with a space between them
    created     BIGINT NOT NULL,
    expires     BIGINT,
    disabled    BIGINT,
    revoked     BIGINT,
    replaced_by TEXT   NOT NULL,
    last_used   BIGINT
);
CREATE INDEX api_keys_account ON api_keys (coalesce(account, ''));

CREATE TABLE usage_days (
    key_id    TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id),
    day       BIGINT NOT NULL, -- its beginning
    operation TEXT COLLATE "C" NOT NULL,
    status    BIGINT NOT NULL,
    requests  BIGINT NOT NULL,
    PRIMARY KEY (key_id, day, operation, status)
);
CREATE INDEX usage_days_day ON usage_days (day);

CREATE TABLE failures (
    number     BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    key_id     TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id),
    at         BIGINT NOT NULL,
    request_id TEXT   NOT NULL,
    operation  TEXT   NOT NULL,
    status     BIGINT NOT NULL,
    code       TEXT   NOT NULL
);
CREATE INDEX failures_key ON failures (key_id, at);
CREATE INDEX failures_at ON failures (at);

CREATE TABLE quotas (
    subject      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    minute_start BIGINT NOT NULL,
    minute_used  BIGINT NOT NULL,
    month_start  BIGINT NOT NULL,
    month_used   BIGINT NOT NULL
);

CREATE TABLE sessions (
    token   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    data    BYTEA  NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX sessions_expires ON sessions (expires);
