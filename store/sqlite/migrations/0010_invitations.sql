-- Invitations of candidates to interviews. The data of the interview has everything else about them.
CREATE TABLE interview_invitations (
    session TEXT    NOT NULL PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    token   BLOB    NOT NULL CHECK (length(token) = 32), -- SHA-256
    due     INTEGER -- when the server has something to do for it; NULL for never
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX interview_invitations_token ON interview_invitations (token);
CREATE INDEX interview_invitations_due ON interview_invitations (due) WHERE due IS NOT NULL;
