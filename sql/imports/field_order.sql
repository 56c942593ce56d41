-- The fields of an organization, to number those of each card type again.
SELECT id, card_type_id AS parent_id, position, created_at
FROM fields
WHERE org_id = :org_id
ORDER BY card_type_id, position, id
