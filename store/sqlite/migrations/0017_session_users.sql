-- Whose session it is: '' before sign-in, and for sessions of earlier releases.
ALTER TABLE sessions ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_user ON sessions (user_id) WHERE user_id <> '';
