-- Requests by error code and latency. Latencies are numbers of ranges; see usage.Latency. Earlier requests have none.
ALTER TABLE usage_days
    ADD COLUMN code    TEXT COLLATE "C" NOT NULL DEFAULT '', -- of the error; '' for none
    ADD COLUMN latency BIGINT NOT NULL DEFAULT 0,
    DROP CONSTRAINT usage_days_pkey,
    ADD PRIMARY KEY (key_id, day, operation, status, code, latency);

CREATE TABLE usage_hours (
    key_id    TEXT COLLATE "C" NOT NULL REFERENCES api_keys (id),
    hour      BIGINT NOT NULL, -- its beginning
    operation TEXT COLLATE "C" NOT NULL,
    status    BIGINT NOT NULL,
    code      TEXT COLLATE "C" NOT NULL, -- of the error; '' for none
    latency   BIGINT NOT NULL,
    requests  BIGINT NOT NULL,
    PRIMARY KEY (key_id, hour, operation, status, code, latency)
);
CREATE INDEX usage_hours_hour ON usage_hours (hour);
