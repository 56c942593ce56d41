-- One card with what its authorization policies check, without what lies on it: no field values and no relationships.
SELECT
    id,
    org_id,
    project_id,
    number,
    key,
    column_id,
    card_type_id,
    title,
    assigned_agent_id,
    assigned_user_id,
    priority,
    due_date,
    due_all_day,
    version,
    archived_at,
    claim,
    project_archived_at,
    agent_pickup_enabled,
    agent_can_moderate,
    comments_enabled,
    files_enabled,
    card_type_archived_at
FROM card_details
WHERE id = :card_id
