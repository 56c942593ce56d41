-- Delete files of a field, up to a limit, and return them.
DELETE FROM files
WHERE id IN (SELECT f.id FROM files AS f WHERE f.field_id = :field_id LIMIT :limit)
RETURNING id, org_id, card_id
