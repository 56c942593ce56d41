-- Create a column. Its position must be free: run open_gap first.
INSERT INTO columns (
    id, org_id, project_id, title, position, agent_pickup_enabled, agent_can_moderate,
    column_type, wip_limit, required_field_ids, rejects_blocked, prompt_id, created_at
)
VALUES (
    :id, :org_id, :project_id, :title, :position, :agent_pickup_enabled, :agent_can_moderate,
    :column_type, :wip_limit, :required_field_ids, :rejects_blocked, :prompt_id, :now
)
