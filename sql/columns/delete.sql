-- Take a column away; archived cards may still refer to it.
UPDATE columns
SET archived_at = :now
WHERE id = :column_id
