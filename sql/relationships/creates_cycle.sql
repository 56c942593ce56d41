-- Whether a card that would be blocked already blocks the other card, directly or through other cards.
WITH RECURSIVE blocked (card_id) AS (
    SELECT :blocked_card_id
    UNION
    SELECT r.blocked_card_id
    FROM blocked AS b
    JOIN relationships AS r ON r.blocking_card_id = b.card_id
)

SELECT EXISTS (SELECT 1 FROM blocked WHERE card_id = :blocking_card_id)
