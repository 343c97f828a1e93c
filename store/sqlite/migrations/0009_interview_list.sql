-- Interviews are listed by account and freelancer, the newest first. Damaged data gets the defaults.
ALTER TABLE interviews ADD COLUMN freelancer TEXT NOT NULL DEFAULT ''; -- id
ALTER TABLE interviews ADD COLUMN begun INTEGER NOT NULL DEFAULT 0; -- 0 if unknown
UPDATE interviews SET
    freelancer = coalesce(json_extract(CAST(data AS TEXT), '$.Subject.Freelancer.ID'), ''),
    begun = coalesce(1000000 * CAST(strftime('%s', json_extract(CAST(data AS TEXT), '$.Begun')) AS INTEGER), 0)
WHERE json_valid(CAST(data AS TEXT));
UPDATE interviews SET begun = 0 WHERE begun < 0; -- the zero time
CREATE INDEX interviews_list ON interviews (account, begun, id, freelancer);
