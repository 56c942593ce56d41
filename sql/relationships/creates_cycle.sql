-- Whether a card that another one would hold back holds that one back already, directly or through others.
WITH RECURSIVE held (card_id) AS (
    SELECT :held_card_id
    UNION
    SELECT r.held_card_id
    FROM held AS h
    JOIN relationships AS r ON r.holder_card_id = h.card_id
)

SELECT EXISTS (SELECT 1 FROM held WHERE card_id = :holder_card_id)
