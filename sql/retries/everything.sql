-- Every kept answer, to encrypt it anew.
SELECT id, answer
FROM retries
