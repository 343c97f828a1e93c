-- The network address that a key was last used from; '' if unknown or no longer kept.
ALTER TABLE api_keys ADD COLUMN last_from TEXT NOT NULL DEFAULT '';

-- Entries of the audit log lose what identifies people when their retention ends. The key turns an id or an email
-- address into the same pseudonym every time.
ALTER TABLE audit_events ADD COLUMN pseudonymous INTEGER NOT NULL DEFAULT 0; -- 1 for yes
CREATE INDEX audit_events_identifying ON audit_events (at) WHERE pseudonymous = 0;
CREATE TABLE pseudonym_key (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- A row that the server rewrites now and then, to find out whether the database can be written.
CREATE TABLE storage_probe (
    one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    data BLOB    NOT NULL
) STRICT;

-- The freelancers that an account has seen on a day (UTC). Rows are deleted two days later.
CREATE TABLE view_days (
    subject     TEXT NOT NULL, -- id of the account, or counter of a key without an account
    day         TEXT NOT NULL, -- 2026-01-31
    freelancers BLOB NOT NULL CHECK (length(freelancers) % 8 = 0), -- hashes of ids, 8 bytes each
    PRIMARY KEY (subject, day)
) STRICT;
CREATE INDEX view_days_day ON view_days (day);

-- The size of interviews, which is limited for each account. The index covers the query that sums it up.
ALTER TABLE interviews ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0; -- length of data
UPDATE interviews SET bytes = length(data);
DROP INDEX interviews_open;
CREATE INDEX interviews_account ON interviews (account, expires, bytes);
