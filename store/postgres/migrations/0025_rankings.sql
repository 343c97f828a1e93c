-- Versions of the ranking profiles of accounts. They don't change.
CREATE TABLE rankings (
    account TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL, -- over all names
    name    TEXT   NOT NULL,
    profile TEXT   NOT NULL, -- name of the shipped profile
    weights TEXT   NOT NULL, -- JSON
    note    TEXT   NOT NULL, -- where the weights are from
    made_by TEXT   NOT NULL, -- id of a user
    created BIGINT NOT NULL,
    PRIMARY KEY (account, version)
);

-- A copy of the published version, as JSON, so that a request reads it with its key; null if there is none.
ALTER TABLE accounts ADD COLUMN ranking TEXT;
