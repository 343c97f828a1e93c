-- Store the end of a grace period separately from the expiry that the owner chose. For existing keys with the prefix
-- of an earlier plan, the column expires may hold either, so it becomes both.
ALTER TABLE api_keys ADD COLUMN grace_end INTEGER;
UPDATE api_keys SET grace_end = expires
WHERE prefix <> CASE plan WHEN 'freelancer' THEN 'svc_fr_' WHEN 'professional' THEN 'svc_pr_' ELSE 'svc_ent_' END;

-- Who created a link, as in the audit log: a user's id, 'command line' or 'system'.
ALTER TABLE links ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
UPDATE links SET made_by = coalesce(
    (SELECT e.actor FROM audit_events e WHERE e.action = 'link.made' AND e.subject = links.id LIMIT 1), '');
