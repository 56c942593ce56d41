-- What decides whether agents can go on with a card: its column, and agent and session of its live claim.
SELECT
    c.archived_at,
    col.title AS "column",
    col.column_type,
    col.agent_pickup_enabled,
    col.agent_can_moderate,
    m.agent_id AS claimed_by,
    m.session
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
LEFT JOIN claims AS m ON m.card_id = c.id AND m.expires_at > :now
WHERE c.id = :card_id
