-- The history of the cards of an organization for a snapshot, card by card in index order.
SELECT
    json_object(
        'id', h.id,
        'cardId', h.card_id,
        'actor', json_object('type', h.actor_type, 'id', h.actor_id, 'label', h.actor_label),
        'action', h.action,
        'changes', json(h.changes),
        'imported', json(iif(h.imported, 'true', 'false')),
        'createdAt', h.created_at
    ) AS row
FROM cards AS c
CROSS JOIN history AS h ON h.card_id = c.id
WHERE c.org_id = :org_id
ORDER BY c.archived_at, c.rank_key, c.id, h.created_at, h.id
