-- Note that an event tells of a row.
UPDATE refusals
SET told_at = :now
WHERE id = :id
