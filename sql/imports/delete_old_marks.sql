-- Keep the marks of the snapshots that were imported last.
DELETE FROM import_marks
WHERE org_id = :org_id AND exported_at IN (
    SELECT m.exported_at
    FROM import_marks AS m
    WHERE m.org_id = :org_id
    ORDER BY m.imported_at DESC
    LIMIT -1 OFFSET 100
)
