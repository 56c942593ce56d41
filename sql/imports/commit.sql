-- Mark all batches of an import as stored. From here on the import is completed even after a crash.
UPDATE imports
SET last_step = :last_step
WHERE org_id = :org_id
