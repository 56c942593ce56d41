-- The history of a card from a time on, newest first.
SELECT
    h.actor_type,
    h.actor_id,
    json_object('type', h.actor_type, 'id', h.actor_id, 'label', h.actor_label) AS actor,
    h.action,
    h.changes,
    h.imported,
    h.created_at,
    h.created_at = :at AS is_own
FROM history AS h
WHERE h.card_id = :card_id AND h.created_at >= :at
ORDER BY h.created_at DESC, h.id DESC
LIMIT :limit
