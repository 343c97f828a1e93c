-- What administrators have granted a key, with a space between permissions.
ALTER TABLE api_keys ADD COLUMN permissions TEXT NOT NULL DEFAULT '';

-- How many freelancers an account has changed in the current minute and on the current day (UTC).
CREATE TABLE change_counts (
    subject      TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- id of the account, or counter of a key without an account
    minute_start BIGINT NOT NULL,
    minute_used  BIGINT NOT NULL,
    day_start    BIGINT NOT NULL,
    day_used     BIGINT NOT NULL
);

-- Entries about changes of freelancers are many. They are found by freelancer, and deleted when their retention ends.
CREATE INDEX audit_events_freelancers ON audit_events (subject) WHERE action LIKE 'freelancer.%';
