-- The columns of an organization for a snapshot, including deleted ones, which archived cards refer to.
SELECT
    json_object(
        'id', id,
        'projectId', project_id,
        'title', title,
        'order', position,
        'agentPickupEnabled', json(iif(agent_pickup_enabled, 'true', 'false')),
        'agentCanModerate', json(iif(agent_can_moderate, 'true', 'false')),
        'columnType', column_type,
        'wipLimit', wip_limit,
        'requiredFieldIds', json(required_field_ids),
        'rejectsBlocked', json(iif(rejects_blocked, 'true', 'false')),
        'promptId', prompt_id,
        'createdAt', created_at,
        'archivedAt', archived_at,
        'archivedBy', json(archived_by),
        'archiveId', archive_id
    ) AS row
FROM columns
WHERE org_id = :org_id
ORDER BY project_id, position, id
