-- Store a response encrypted with another key.
UPDATE retries
SET answer = :answer
WHERE id = :id
