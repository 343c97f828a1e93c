-- What a language model says about words that the taxonomy does not know.
CREATE TABLE skill_verdicts (
    word_key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    word       TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- skill, job_title, '' for neither
    name       TEXT   NOT NULL,
    category   TEXT   NOT NULL, -- '' for none
    near       TEXT   NOT NULL, -- ids of skills, separated by spaces
    confidence DOUBLE PRECISION NOT NULL,
    made_by    TEXT   NOT NULL, -- the model
    asked      BIGINT NOT NULL, -- number of queries
    judged     BIGINT NOT NULL,
    last_asked BIGINT NOT NULL,
    expires    BIGINT NOT NULL
);
CREATE INDEX skill_verdicts_expires ON skill_verdicts (expires);

-- The use of the language model by account and day (UTC).
CREATE TABLE llm_days (
    account TEXT COLLATE "C" NOT NULL, -- id of the account, or of a key without an account
    day     TEXT COLLATE "C" NOT NULL, -- 2026-01-31
    tokens  BIGINT NOT NULL, -- used, or reserved for running calls
    words   BIGINT NOT NULL, -- unknown words that were judged
    PRIMARY KEY (account, day)
);
CREATE INDEX llm_days_day ON llm_days (day);
