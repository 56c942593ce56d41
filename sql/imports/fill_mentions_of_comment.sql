-- Set the mentions of a comment that has none.
UPDATE comments
SET mentions = :mentions
WHERE id = :id AND mentions IS NULL
