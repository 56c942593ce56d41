-- The projects of an organization for a snapshot, archived ones too.
SELECT
    json_object(
        'id', id,
        'title', title,
        'color', color,
        'createdAt', created_at,
        'archivedAt', archived_at,
        'archivedBy', json(archived_by),
        'archiveId', archive_id
    ) AS row
FROM projects
WHERE org_id = :org_id
ORDER BY created_at, id
