-- Upsert a column of a snapshot.
INSERT INTO columns (
    id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate, column_type, wip_limit,
    required_field_ids, rejects_blocked, prompt_id, created_at, archived_at, archived_by, archive_id
)
VALUES (
    :id, :org_id, :project_id, :title, :order, :agent_pickup_enabled, :agent_can_moderate, :column_type,
    :wip_limit, :required_field_ids, :rejects_blocked, :prompt_id, :created_at, :archived_at, :archived_by, :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    project_id = excluded.project_id,
    title = excluded.title,
    position = excluded.position,
    agent_pickup_enabled = excluded.agent_pickup_enabled,
    agent_can_moderate = excluded.agent_can_moderate,
    column_type = excluded.column_type,
    wip_limit = excluded.wip_limit,
    required_field_ids = excluded.required_field_ids,
    rejects_blocked = excluded.rejects_blocked,
    prompt_id = excluded.prompt_id,
    created_at = excluded.created_at,
    archived_at = excluded.archived_at,
    archived_by = excluded.archived_by,
    archive_id = excluded.archive_id
WHERE columns.org_id = excluded.org_id
