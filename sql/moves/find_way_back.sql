-- The open move request of a card: the requested column, and the one from which its agent last moved the card.
SELECT
    r.to_column_id,
    (
        SELECT h.from_column_id
        FROM history AS h
        WHERE
            h.card_id = r.card_id
            AND h.actor_type = 'Agent'
            AND h.actor_id = r.requested_by ->> '$.id'
            AND h.column_change = 'moved'
        ORDER BY h.created_at DESC, h.id DESC
        LIMIT 1
    ) AS from_column_id
FROM move_requests AS r
WHERE r.card_id = :card_id AND r.state = 'open'
