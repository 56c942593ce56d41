-- Remove a relation.
DELETE FROM relationships
WHERE id = :relationship_id
