-- The projects of an organization for a snapshot, including archived ones.
SELECT
    json_object(
        'id', p.id,
        'title', p.title,
        'key', p.key,
        'formerKeys', (
            SELECT json_group_array(k.key)
            FROM project_keys AS k
            WHERE k.project_id = p.id AND k.org_id = p.org_id AND k.key <> p.key
        ),
        'lastNumber', p.last_number,
        'color', p.color,
        'display', json(p.display),
        'createdAt', p.created_at,
        'archivedAt', p.archived_at,
        'archivedBy', json(p.archived_by),
        'archiveId', p.archive_id
    ) AS row
FROM projects AS p
WHERE p.org_id = :org_id
ORDER BY p.created_at, p.id
