-- The same answer under another key.
UPDATE retries
SET answer = :answer
WHERE id = :id
