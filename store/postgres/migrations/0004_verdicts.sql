-- What a language model says of words that nobody else knows.
CREATE TABLE skill_verdicts (
    word_key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    word       TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- skill, job_title, '' for neither
    name       TEXT   NOT NULL,
    category   TEXT   NOT NULL, -- '' for none
    near       TEXT   NOT NULL, -- ids of skills, with a space between them
    confidence DOUBLE PRECISION NOT NULL,
    made_by    TEXT   NOT NULL, -- the model
    asked      BIGINT NOT NULL, -- how often
    judged     BIGINT NOT NULL,
    last_asked BIGINT NOT NULL,
    expires    BIGINT NOT NULL
);
CREATE INDEX skill_verdicts_expires ON skill_verdicts (expires);

-- What the language model was used for, by account and day in UTC.
CREATE TABLE llm_days (
    account TEXT COLLATE "C" NOT NULL, -- or the id of a key without an account
    day     TEXT COLLATE "C" NOT NULL, -- 2026-01-31
    tokens  BIGINT NOT NULL, -- used, or set aside for calls under way
    words   BIGINT NOT NULL, -- unknown ones that were judged
    PRIMARY KEY (account, day)
);
CREATE INDEX llm_days_day ON llm_days (day);
