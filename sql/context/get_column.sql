-- Where a card stands, of what type it is, and the current version of the prompt of agents who work there.
SELECT
    l.id,
    l.title,
    l.agent_pickup_enabled,
    l.agent_can_moderate,
    p.title AS project,
    t.title AS card_type,
    q.name AS prompt_name,
    v.label AS prompt_version,
    v.body AS prompt_body
FROM cards AS c
JOIN columns AS l ON l.id = c.column_id
JOIN projects AS p ON p.id = c.project_id
JOIN card_types AS t ON t.id = c.card_type_id
LEFT JOIN prompts AS q ON q.id = l.prompt_id AND q.archived_at IS NULL
LEFT JOIN prompt_versions AS v ON v.id = q.current_version_id
WHERE c.id = :card_id
