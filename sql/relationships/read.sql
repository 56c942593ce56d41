-- One relation of an organization.
SELECT id, from_card_id, to_card_id, kind, comment, created_at
FROM relationships
WHERE id = :relationship_id AND org_id = :org_id
