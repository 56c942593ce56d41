-- The transitions of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'projectId', project_id,
        'fromColumnId', from_column_id,
        'toColumnId', to_column_id,
        'requiresApproval', json(iif(requires_approval, 'true', 'false')),
        'createdAt', created_at,
        'archivedAt', archived_at,
        'archiveId', archive_id
    ) AS row
FROM transitions
WHERE org_id = :org_id
ORDER BY created_at, id
