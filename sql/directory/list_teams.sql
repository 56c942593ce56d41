-- The active teams of an organization with an id or a name, in any case of ASCII letters.
SELECT id, name
FROM teams
WHERE org_id = :org_id AND archived_at IS NULL AND (:named IS NULL OR id = :named OR lower(name) = lower(:named))
ORDER BY created_at, id
