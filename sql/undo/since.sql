-- What happened to a card from a moment on, newest first: whole what happened then, of what came after only what it was about.
SELECT
    h.actor_type,
    h.actor_id,
    json_object('type', h.actor_type, 'id', h.actor_id, 'label', h.actor_label) AS actor,
    h.action,
    CASE
        WHEN h.created_at = :at THEN h.changes
        ELSE (SELECT json_group_object(c.key, NULL) FROM json_each(h.changes) AS c)
    END AS changes,
    h.created_at,
    h.created_at = :at AS is_own
FROM history AS h
WHERE h.card_id = :card_id AND h.created_at >= :at
ORDER BY h.created_at DESC, h.id DESC
LIMIT :most
