-- A page of the active cards of a card type, in rank order.
SELECT id
FROM cards
WHERE card_type_id = :card_type_id AND org_id = :org_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit OFFSET :offset
