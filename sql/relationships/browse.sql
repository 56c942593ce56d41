-- The relations of an organization, oldest first.
SELECT id, from_card_id, to_card_id, kind, comment, created_at
FROM relationships
WHERE org_id = :org_id
ORDER BY created_at, id
