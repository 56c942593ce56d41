-- Which card holds which back, in the whole organization.
SELECT holder_card_id, held_card_id
FROM relationships
WHERE org_id = :org_id AND holder_card_id IS NOT NULL
