-- A record of each response with matches, so that events about it can be checked. It is kept for 30 days, or as long as
-- an event about it is.
CREATE TABLE match_records (
    account     TEXT COLLATE "C" NOT NULL, -- id of the account, or counter of a key without an account
    request     TEXT COLLATE "C" NOT NULL, -- id
    at          BIGINT NOT NULL,
    first       BIGINT NOT NULL, -- number of better matches that were not in the response
    freelancers BYTEA  NOT NULL CHECK (length(freelancers) % 8 = 0), -- hashes of ids, 8 bytes each, best first
    brief       BYTEA, -- the body of the request; NULL unless the account has agreed
    PRIMARY KEY (account, request)
);
CREATE INDEX match_records_at ON match_records (account, at);

-- What clients report about the freelancers of their matches.
CREATE TABLE match_events (
    account    TEXT COLLATE "C" NOT NULL,
    request    TEXT COLLATE "C" NOT NULL,
    freelancer TEXT COLLATE "C" NOT NULL, -- id
    type       TEXT COLLATE "C" NOT NULL, -- shown, clicked, contacted, hired, rejected
    at         BIGINT NOT NULL,
    position   BIGINT NOT NULL, -- of the freelancer among the matches, from 1
    PRIMARY KEY (account, request, freelancer, type)
);
CREATE INDEX match_events_freelancer ON match_events (freelancer);
CREATE INDEX match_events_at ON match_events (at);

CREATE TABLE event_accounts (
    account      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    events       BIGINT NOT NULL, -- number of its rows in match_events
    briefs_since BIGINT -- when the account agreed to its briefs being kept; NULL if it has not
);
