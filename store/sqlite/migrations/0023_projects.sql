-- Projects: a brief with the people whom an account considers for it.
CREATE TABLE projects (
    id      TEXT    NOT NULL PRIMARY KEY,
    account TEXT    NOT NULL,
    owner   TEXT    NOT NULL, -- id of a user
    name    TEXT    NOT NULL,
    result  TEXT    NOT NULL, -- id of the result that it was saved from; '' for none
    brief   TEXT    NOT NULL, -- JSON
    note    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_account ON projects (account, changed);

CREATE TABLE project_people (
    project    TEXT    NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    freelancer TEXT    NOT NULL, -- id
    state      TEXT    NOT NULL, -- shortlisted, contacted, interested, declined, hired
    note       TEXT    NOT NULL,
    released   INTEGER NOT NULL, -- links show name and profile
    position   INTEGER NOT NULL, -- rank in the match, from 1
    data       TEXT    NOT NULL, -- JSON: what the match said
    added      INTEGER NOT NULL,
    changed    INTEGER NOT NULL,
    PRIMARY KEY (project, freelancer)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_people_freelancer ON project_people (freelancer);

-- Links that show a project without a sign-in.
CREATE TABLE project_links (
    id      TEXT    NOT NULL PRIMARY KEY,
    token   BLOB    NOT NULL UNIQUE, -- SHA-256
    project TEXT    NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    made_by TEXT    NOT NULL, -- id of a user
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_links_project ON project_links (project);
CREATE INDEX project_links_expires ON project_links (expires);
