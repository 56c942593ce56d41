-- How many bytes the files of an organization have together.
SELECT coalesce(sum(size_bytes), 0)
FROM files
WHERE org_id = :org_id
