-- Whether the cards of another column are being moved into a column.
SELECT 1
FROM jobs
WHERE org_id = :org_id AND kind = 'remove_column' AND parameters ->> 'move_to' = :column_id
