-- The column, project and card type of a card, with the current prompt version for agents in that column.
SELECT
    col.id,
    col.title,
    col.agent_pickup_enabled,
    col.agent_can_moderate,
    p.title AS project,
    t.title AS card_type,
    q.name AS prompt_name,
    v.label AS prompt_version,
    v.body AS prompt_body
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
JOIN projects AS p ON p.id = c.project_id
JOIN card_types AS t ON t.id = c.card_type_id
LEFT JOIN prompts AS q ON q.id = col.prompt_id AND q.archived_at IS NULL
LEFT JOIN prompt_versions AS v ON v.id = q.current_version_id
WHERE c.id = :card_id
