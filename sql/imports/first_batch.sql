-- The first portion that was put down of an import.
SELECT min(number)
FROM import_steps
WHERE org_id = :org_id
