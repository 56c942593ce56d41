-- The open cards that block a card, as a JSON list of their ids.
SELECT json_group_array(blocking_card_id)
FROM (
    SELECT DISTINCT blocking_card_id
    FROM open_blockers
    WHERE blocked_card_id = :card_id
    ORDER BY blocking_card_id
)
