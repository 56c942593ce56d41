-- Whether one card blocks another already, directly or through others.
WITH RECURSIVE blocked (card_id) AS (
    SELECT :from_card_id
    UNION
    SELECT r.to_card_id
    FROM blocked AS b
    JOIN relationships AS r ON r.from_card_id = b.card_id AND r.kind = 'blocks'
)

SELECT EXISTS (SELECT 1 FROM blocked WHERE card_id = :to_card_id)
