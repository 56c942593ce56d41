-- The column with an id, of any organization.
SELECT
    id, org_id, project_id, title, position AS "order", agent_pickup_enabled, agent_can_moderate, column_type,
    wip_limit, required_field_ids, rejects_blocked, prompt_id, created_at, archived_at, archived_by, archive_id
FROM columns
WHERE id = :id
