-- The active columns of an organization or of one project, by position.
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
WHERE org_id = :org_id AND archived_at IS NULL AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY project_id, position, id
