-- Whether a job is moving the cards of another column into a column.
SELECT 1
FROM jobs
WHERE org_id = :org_id AND kind = 'remove_column' AND parameters ->> 'move_to' = :column_id
