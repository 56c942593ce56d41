-- The relationships of an organization, oldest first.
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
WHERE org_id = :org_id
ORDER BY created_at, id
