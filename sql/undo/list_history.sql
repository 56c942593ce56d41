-- The history of a card from the start of a time window, newest first, and whether the agent made each change in it.
SELECT
    h.actor_type,
    h.actor_id,
    json_object('type', h.actor_type, 'id', h.actor_id, 'label', h.actor_label) AS actor,
    h.action,
    h.changes,
    h.imported,
    h.created_at,
    h.actor_type = 'Agent' AND h.actor_id = :agent_id AND (:until IS NULL OR h.created_at <= :until) AS is_own
FROM history AS h
WHERE h.card_id = :card_id AND h.created_at >= :since
ORDER BY h.created_at DESC, h.id DESC
