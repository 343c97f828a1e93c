-- Invitations of candidates to interviews. The data of the interview has everything else about them.
CREATE TABLE interview_invitations (
    session TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    token   BYTEA NOT NULL CHECK (length(token) = 32), -- SHA-256
    due     BIGINT -- when the server has something to do for it; NULL for never
);
CREATE UNIQUE INDEX interview_invitations_token ON interview_invitations (token);
CREATE INDEX interview_invitations_due ON interview_invitations (due) WHERE due IS NOT NULL;
