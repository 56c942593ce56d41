-- A page of the history of a card, newest first.
SELECT
    id,
    card_id,
    json_object('type', actor_type, 'id', actor_id, 'label', actor_label) AS actor,
    action,
    changes,
    imported,
    created_at
FROM history
WHERE card_id = :card_id
ORDER BY created_at DESC, id DESC
LIMIT :limit OFFSET :offset
