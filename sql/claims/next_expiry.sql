-- When the next claim of an organization ends by itself.
SELECT min(expires_at)
FROM claims
WHERE org_id = :org_id AND expires_at > :now
