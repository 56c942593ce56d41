-- The transitions that an agent can take itself: out of a column where it may change cards, without approval.
SELECT t.from_column_id, t.to_column_id
FROM transitions AS t
JOIN columns AS l ON l.id = t.from_column_id
WHERE
    t.org_id = :org_id
    AND t.archived_at IS NULL
    AND t.requires_approval = 0
    AND l.agent_pickup_enabled = 1
    AND l.agent_can_moderate = 1
ORDER BY t.created_at, t.id
