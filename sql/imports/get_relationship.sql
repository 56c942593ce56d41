-- The relationship with an id, of any organization.
SELECT
    id, org_id, from_card_id, to_card_id, kind, comment, created_at
FROM relationships
WHERE id = :id
