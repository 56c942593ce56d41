-- The next batch of an import and the number of batches after it.
SELECT s.number, s.steps, i.last_step - s.number AS further
FROM import_steps AS s
JOIN imports AS i ON i.org_id = s.org_id
WHERE s.org_id = :org_id
ORDER BY s.number
LIMIT 1
