-- Requests by error code and latency. Latencies are numbers of ranges; see usage.Latency. Earlier requests have none.
ALTER TABLE usage_days RENAME TO usage_days_before;
DROP INDEX usage_days_day;
CREATE TABLE usage_days (
    key_id    TEXT    NOT NULL REFERENCES api_keys (id),
    day       INTEGER NOT NULL, -- its beginning
    operation TEXT    NOT NULL,
    status    INTEGER NOT NULL,
    code      TEXT    NOT NULL, -- of the error; '' for none
    latency   INTEGER NOT NULL,
    requests  INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, operation, status, code, latency)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_day ON usage_days (day);
INSERT INTO usage_days SELECT key_id, day, operation, status, '', 0, requests FROM usage_days_before;
DROP TABLE usage_days_before;

CREATE TABLE usage_hours (
    key_id    TEXT    NOT NULL REFERENCES api_keys (id),
    hour      INTEGER NOT NULL, -- its beginning
    operation TEXT    NOT NULL,
    status    INTEGER NOT NULL,
    code      TEXT    NOT NULL, -- of the error; '' for none
    latency   INTEGER NOT NULL,
    requests  INTEGER NOT NULL,
    PRIMARY KEY (key_id, hour, operation, status, code, latency)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_hours_hour ON usage_hours (hour);
