-- One active organization.
SELECT id, title, color, owner_id, timezone, created_at
FROM organizations
WHERE id = :org_id AND archived_at IS NULL
