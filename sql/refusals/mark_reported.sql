-- Record that an event has reported a row.
UPDATE refusals
SET reported_at = :now
WHERE id = :id
