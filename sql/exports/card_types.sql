-- The card types of an organization for a snapshot, including deleted ones.
SELECT
    json_object(
        'id', id,
        'projectId', project_id,
        'title', title,
        'color', color,
        'commentsEnabled', json(iif(comments_enabled, 'true', 'false')),
        'filesEnabled', json(iif(files_enabled, 'true', 'false')),
        'createdAt', created_at,
        'archivedAt', archived_at,
        'archivedBy', json(archived_by),
        'archiveId', archive_id
    ) AS row
FROM card_types
WHERE org_id = :org_id
ORDER BY created_at, id
