-- The network address that a key was last used from; '' if unknown or no longer kept.
ALTER TABLE api_keys ADD COLUMN last_from TEXT NOT NULL DEFAULT '';

-- Entries of the audit log lose what identifies people when their retention ends. The key turns an id or an email
-- address into the same pseudonym every time.
ALTER TABLE audit_events ADD COLUMN pseudonymous BIGINT NOT NULL DEFAULT 0; -- 1 for yes
CREATE INDEX audit_events_identifying ON audit_events (at) WHERE pseudonymous = 0;
CREATE TABLE pseudonym_key (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    key BYTEA NOT NULL CHECK (length(key) = 32)
);

-- A row that the server rewrites now and then, to find out whether the database can be written.
CREATE TABLE storage_probe (
    one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    data BYTEA   NOT NULL
);

-- The freelancers that an account has seen on a day (UTC). Rows are deleted two days later.
CREATE TABLE view_days (
    subject     TEXT COLLATE "C" NOT NULL, -- id of the account, or counter of a key without an account
    day         TEXT COLLATE "C" NOT NULL, -- 2026-01-31
    freelancers BYTEA NOT NULL CHECK (length(freelancers) % 8 = 0), -- hashes of ids, 8 bytes each
    PRIMARY KEY (subject, day)
);
ALTER TABLE view_days ALTER COLUMN freelancers SET STORAGE EXTERNAL; -- hashes cannot be compressed
CREATE INDEX view_days_day ON view_days (day);

-- The size of interviews, which is limited for each account. The index covers the query that sums it up.
ALTER TABLE interviews ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0; -- length of data
UPDATE interviews SET bytes = octet_length(data);
DROP INDEX interviews_open;
CREATE INDEX interviews_account ON interviews (account, expires) INCLUDE (bytes);

-- The second factor of a user. The secret is '' if there is none.
ALTER TABLE users ADD COLUMN totp_secret TEXT NOT NULL DEFAULT ''; -- in base32
ALTER TABLE users ADD COLUMN totp_since BIGINT;
ALTER TABLE users ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0; -- of the last code that was used
ALTER TABLE users ADD COLUMN recovery TEXT NOT NULL DEFAULT ''; -- SHA-256 of the unused codes, with a space between them

-- Failed sign-ins, counted by what they have in common. The keys are SHA-256, so the rows have one size.
CREATE TABLE sign_in_failures (
    key      BYTEA  NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    failures BIGINT NOT NULL,
    ends     BIGINT NOT NULL,
    event    BIGINT -- number of the entry of the audit log that describes them; NULL for none
);
CREATE INDEX sign_in_failures_ends ON sign_in_failures (ends);

-- Browsers in which a user has signed in.
CREATE TABLE browsers (
    token   BYTEA  NOT NULL PRIMARY KEY CHECK (length(token) = 32), -- SHA-256
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX browsers_user ON browsers (user_id, created);
CREATE INDEX browsers_expires ON browsers (expires);

-- Reading an interview is recorded once per session, actor and day.
CREATE INDEX audit_events_interviews ON audit_events (subject, actor, at) WHERE action = 'interview.read';
