-- The total size in bytes of the files of an organization.
SELECT coalesce(sum(size_bytes), 0)
FROM files
WHERE org_id = :org_id
