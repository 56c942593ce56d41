-- One card with what its authorization policies check, without what lies on it: no field values and no relationships.
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.column_id,
    c.card_type_id,
    c.title,
    c.assigned_agent_id,
    c.assigned_user_id,
    c.priority,
    c.due_date,
    c.due_all_day,
    c.version,
    c.archived_at,
    k.claim,
    p.archived_at AS project_archived_at,
    col.agent_pickup_enabled,
    col.agent_can_moderate,
    t.comments_enabled,
    t.files_enabled,
    t.archived_at AS card_type_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
JOIN card_types AS t ON t.id = c.card_type_id
LEFT JOIN encoded_claims AS k ON k.card_id = c.id
WHERE c.id = :card_id
