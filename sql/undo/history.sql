-- What happened to some cards since a span began, newest first, and whether it is of the agent within the span.
SELECT
    h.card_id,
    h.actor_type,
    json_object('type', h.actor_type, 'id', h.actor_id, 'label', h.actor_label) AS actor,
    h.action,
    h.changes,
    h.created_at,
    h.actor_type = 'Agent' AND h.actor_id = :agent_id AND (:until IS NULL OR h.created_at <= :until) AS is_own
FROM json_each(:card_ids) AS k
CROSS JOIN history AS h ON h.card_id = k.value AND h.created_at >= :since
ORDER BY k.key, h.created_at DESC, h.id DESC
