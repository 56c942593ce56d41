-- The relationships from and to a card, oldest first.
SELECT
    id,
    from_card_id,
    to_card_id,
    from_card_key,
    to_card_key,
    kind,
    comment,
    created_at
FROM relationship_details
WHERE org_id = :org_id AND (from_card_id = :card_id OR to_card_id = :card_id)
ORDER BY created_at, id
