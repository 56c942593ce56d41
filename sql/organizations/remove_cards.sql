-- Remove the cards of an organization for good; their columns and types are referred to by them and go after.
DELETE FROM cards
WHERE org_id = :org_id
