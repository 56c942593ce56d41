-- When an organization last imported a snapshot completely.
SELECT imported_at
FROM import_marks
WHERE org_id = :org_id AND exported_at = :exported_at
