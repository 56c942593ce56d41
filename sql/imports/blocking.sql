-- Which card blocks which, in the whole organization.
SELECT from_card_id, to_card_id
FROM relationships
WHERE org_id = :org_id AND kind = 'blocks'
