-- Projects: a brief with the people whom an account considers for it.
CREATE TABLE projects (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL,
    owner   TEXT COLLATE "C" NOT NULL, -- id of a user
    name    TEXT COLLATE "C" NOT NULL,
    result  TEXT COLLATE "C" NOT NULL, -- id of the result that it was saved from; '' for none
    brief   TEXT COLLATE "C" NOT NULL, -- JSON
    note    TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    changed BIGINT NOT NULL
);
CREATE INDEX projects_account ON projects (account, changed);

CREATE TABLE project_people (
    project    TEXT COLLATE "C" NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    freelancer TEXT COLLATE "C" NOT NULL, -- id
    state      TEXT COLLATE "C" NOT NULL, -- shortlisted, contacted, interested, declined, hired
    note       TEXT COLLATE "C" NOT NULL,
    released   BIGINT NOT NULL, -- links show name and profile
    position   BIGINT NOT NULL, -- rank in the match, from 1
    data       TEXT COLLATE "C" NOT NULL, -- JSON: what the match said
    added      BIGINT NOT NULL,
    changed    BIGINT NOT NULL,
    PRIMARY KEY (project, freelancer)
);
CREATE INDEX project_people_freelancer ON project_people (freelancer);

-- Links that show a project without a sign-in.
CREATE TABLE project_links (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    token   BYTEA    NOT NULL UNIQUE, -- SHA-256
    project TEXT COLLATE "C" NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    made_by TEXT COLLATE "C" NOT NULL, -- id of a user
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX project_links_project ON project_links (project);
CREATE INDEX project_links_expires ON project_links (expires);
