-- Replace a kept answer by the same one under another key.
UPDATE retries
SET answer = :answer
WHERE id = :id
