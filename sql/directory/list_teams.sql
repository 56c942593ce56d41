-- The active teams of an organization, optionally with an id or a name (ignoring the case of ASCII letters).
SELECT id, name
FROM teams
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND (:id_or_name IS NULL OR id = :id_or_name OR lower(name) = lower(:id_or_name))
ORDER BY created_at, id
