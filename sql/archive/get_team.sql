-- An archived team.
SELECT id
FROM teams
WHERE id = :id AND org_id = :org_id AND archived_at IS NOT NULL
