-- Saved briefs of accounts.
CREATE TABLE briefs (
    id        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account   TEXT COLLATE "C" NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    request   TEXT COLLATE "C" NOT NULL, -- JSON: the body of a match
    top       BIGINT NOT NULL, -- how many of the first places are watched
    min_score DOUBLE PRECISION NOT NULL,
    min_level TEXT COLLATE "C" NOT NULL, -- '' for any
    notify    BIGINT NOT NULL, -- events go to the account's endpoints
    closed    BIGINT NOT NULL,
    created   BIGINT NOT NULL,
    changed   BIGINT NOT NULL,
    revision  BIGINT NOT NULL, -- rises with each change of request, top, min_score, min_level, notify or closed
    matched   BIGINT,          -- when its list was last changed or found to be the same; null before the first time
    people    TEXT COLLATE "C" NOT NULL  -- JSON: its list, the best first
);
CREATE INDEX briefs_account ON briefs (account, created, id);

-- The server that watches the briefs, and the number of the last change in the feed whose effects are stored.
CREATE TABLE brief_watch (
    one      BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    holder   TEXT COLLATE "C" NOT NULL,
    until    BIGINT NOT NULL,
    position BIGINT NOT NULL
);
INSERT INTO brief_watch (one, holder, until, position) VALUES (1, '', 0, 0);
