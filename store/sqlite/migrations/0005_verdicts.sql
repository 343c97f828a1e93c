-- What a language model says of words that nobody else knows.
CREATE TABLE skill_verdicts (
    word_key   TEXT    NOT NULL PRIMARY KEY,
    word       TEXT    NOT NULL,
    kind       TEXT    NOT NULL, -- skill, job_title, '' for neither
    name       TEXT    NOT NULL,
    category   TEXT    NOT NULL, -- '' for none
    near       TEXT    NOT NULL, -- ids of skills, with a space between them
    confidence REAL    NOT NULL,
    made_by    TEXT    NOT NULL, -- the model
    asked      INTEGER NOT NULL, -- how often
    judged     INTEGER NOT NULL,
    last_asked INTEGER NOT NULL,
    expires    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX skill_verdicts_expires ON skill_verdicts (expires);

-- What the language model was used for, by account and day in UTC.
CREATE TABLE llm_days (
    account TEXT    NOT NULL, -- or the id of a key without an account
    day     TEXT    NOT NULL, -- 2026-01-31
    tokens  INTEGER NOT NULL, -- used, or set aside for calls under way
    words   INTEGER NOT NULL, -- unknown ones that were judged
    PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX llm_days_day ON llm_days (day);
