-- What computed a response. A load, a new version of the program and another ranking profile make another row, so there
-- are few, and none is deleted.
CREATE TABLE match_versions (
    id   BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), -- of the SHA-256 of data
    data TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

ALTER TABLE match_records ADD COLUMN versions BLOB; -- id of match_versions; NULL for matches of earlier releases
ALTER TABLE match_records ADD COLUMN scores BLOB;   -- of the freelancers in millionths, 4 bytes each; may be NULL
