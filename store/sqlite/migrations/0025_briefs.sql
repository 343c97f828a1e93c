-- Saved briefs of accounts.
CREATE TABLE briefs (
    id        TEXT    NOT NULL PRIMARY KEY,
    account   TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    request   TEXT    NOT NULL, -- JSON: the body of a match
    top       INTEGER NOT NULL, -- how many of the first places are watched
    min_score REAL    NOT NULL,
    min_level TEXT    NOT NULL, -- '' for any
    notify    INTEGER NOT NULL, -- events go to the account's endpoints
    closed    INTEGER NOT NULL,
    created   INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    revision  INTEGER NOT NULL, -- rises with each change of request, top, min_score, min_level, notify or closed
    matched   INTEGER,          -- when its list was last changed or found to be the same; null before the first time
    people    TEXT    NOT NULL  -- JSON: its list, the best first
) STRICT;
CREATE INDEX briefs_account ON briefs (account, created, id);

-- The server that watches the briefs, and the number of the last change in the feed whose effects are stored.
CREATE TABLE brief_watch (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    holder   TEXT    NOT NULL,
    until    INTEGER NOT NULL,
    position INTEGER NOT NULL
) STRICT;
INSERT INTO brief_watch (one, holder, until, position) VALUES (1, '', 0, 0);
