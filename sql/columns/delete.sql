-- Mark a column as deleted. Its row stays because archived cards may refer to it.
UPDATE columns
SET archived_at = :now
WHERE id = :column_id
