-- What learning needs of a response, for accounts that allow it: what each feature contributed to the scores of the
-- first freelancers, and which order a coin decided.
ALTER TABLE match_records ADD COLUMN lesson BYTEA;

-- Since when coins decide the order of neighbors, NULL if they don't; when a server last began to learn from the
-- events, and what came of it, as JSON.
ALTER TABLE event_accounts ADD COLUMN swaps_since BIGINT;
ALTER TABLE event_accounts ADD COLUMN learned_at BIGINT;
ALTER TABLE event_accounts ADD COLUMN learned TEXT;
