-- Interviews are listed by account and freelancer, the newest first. Damaged data gets the defaults.
ALTER TABLE interviews ADD COLUMN freelancer TEXT COLLATE "C" NOT NULL DEFAULT ''; -- id
ALTER TABLE interviews ADD COLUMN begun BIGINT NOT NULL DEFAULT 0; -- 0 if unknown
DO $$
DECLARE
    session RECORD;
BEGIN
    FOR session IN SELECT id FROM interviews LOOP
        BEGIN
            UPDATE interviews SET
                freelancer = coalesce(convert_from(data, 'UTF8')::json #>> '{Subject,Freelancer,ID}', ''),
                begun = coalesce(extract(epoch FROM (convert_from(data, 'UTF8')::json ->> 'Begun')::timestamptz) * 1000000, 0)
            WHERE id = session.id;
        EXCEPTION WHEN data_exception THEN
            NULL; -- the data is damaged
        END;
    END LOOP;
END
$$;
UPDATE interviews SET begun = 0 WHERE begun < 0; -- the zero time
CREATE INDEX interviews_list ON interviews (account, begun, id, freelancer);
