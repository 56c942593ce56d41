-- Update a column.
UPDATE columns
SET
    title = :title,
    position = :position,
    agent_pickup_enabled = :agent_pickup_enabled,
    agent_can_moderate = :agent_can_moderate,
    column_type = :column_type,
    wip_limit = :wip_limit,
    required_field_ids = :required_field_ids,
    rejects_blocked = :rejects_blocked,
    prompt_id = :prompt_id
WHERE id = :column_id
