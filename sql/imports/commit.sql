-- From here on an import is done to its end: all its steps are there.
UPDATE imports
SET last_step = :last_step
WHERE org_id = :org_id
