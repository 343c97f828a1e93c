-- The end of a grace period, apart from the expiry that the owner chose. Of keys with the prefix of an earlier plan the two
-- cannot be told apart any more: what is there is both.
ALTER TABLE api_keys ADD COLUMN grace_end BIGINT;
UPDATE api_keys SET grace_end = expires
WHERE prefix <> CASE plan WHEN 'freelancer' THEN 'svc_fr_' WHEN 'professional' THEN 'svc_pr_' ELSE 'svc_ent_' END;

-- Who made a link, as in the audit log: a user's id, 'command line' or 'system'.
ALTER TABLE links ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
UPDATE links SET made_by = coalesce(
    (SELECT e.actor FROM audit_events e WHERE e.action = 'link.made' AND e.subject = links.id LIMIT 1), '');
