-- The number of the first stored batch of an import.
SELECT min(number)
FROM import_steps
WHERE org_id = :org_id
