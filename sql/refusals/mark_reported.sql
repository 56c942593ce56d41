-- Note that an event tells of a row.
UPDATE refusals
SET reported_at = :now
WHERE id = :id
