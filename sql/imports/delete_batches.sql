-- Delete the batches of an import up to a number.
DELETE FROM import_steps
WHERE org_id = :org_id AND number <= :number
