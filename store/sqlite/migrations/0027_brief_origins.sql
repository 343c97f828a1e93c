-- What a brief was saved from on the dashboard: the id of a project or of a result; '' for neither.
ALTER TABLE briefs ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE INDEX briefs_origin ON briefs (account, origin) WHERE origin <> '';

-- When users last opened the page of a brief.
CREATE TABLE brief_looks (
    brief   TEXT    NOT NULL REFERENCES briefs (id) ON DELETE CASCADE,
    user_id TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    PRIMARY KEY (brief, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX brief_looks_user ON brief_looks (user_id);
