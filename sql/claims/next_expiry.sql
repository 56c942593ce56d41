-- The time at which the next claim of an organization expires.
SELECT min(expires_at)
FROM claims
WHERE org_id = :org_id AND expires_at > :now
