-- The active columns of an organization, to number those of each project again.
SELECT id, project_id AS parent_id, position, created_at
FROM columns
WHERE org_id = :org_id AND archived_at IS NULL
ORDER BY project_id, position, id
