-- The first column of a project.
SELECT
    id,
    project_id,
    title,
    position AS "order",
    agent_pickup_enabled,
    agent_can_moderate,
    column_type,
    wip_limit,
    required_field_ids,
    rejects_blocked,
    prompt_id,
    created_at
FROM columns
WHERE project_id = :project_id AND archived_at IS NULL
ORDER BY position, id
LIMIT 1
