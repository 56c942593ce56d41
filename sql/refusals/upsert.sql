-- Add denied requests of an agent to the count of its row; null: no event has reported this row recently.
INSERT INTO refusals (
    id, org_id, agent_id, card_id, code, hour, to_column_id, message, blockers, count, first_at, last_at
)
SELECT
    :id, a.org_id, a.id, :card_id, :code, :hour, :to_column_id, :message, :blockers, :count, :first_at, :last_at
FROM agents AS a
WHERE a.org_id = :org_id AND a.id = :agent_id
ON CONFLICT (org_id, agent_id, card_id, code, hour) DO UPDATE SET
    to_column_id = coalesce(excluded.to_column_id, refusals.to_column_id),
    message = excluded.message,
    blockers = excluded.blockers,
    count = refusals.count + excluded.count,
    last_at = excluded.last_at
RETURNING id, reported_at > :silent_since AS was_reported
