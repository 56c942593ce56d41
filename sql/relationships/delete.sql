-- Delete a relationship.
DELETE FROM relationships
WHERE id = :relationship_id
