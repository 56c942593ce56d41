-- The number of files of an organization whose contents are missing or damaged.
SELECT count(*)
FROM files
WHERE org_id = :org_id AND lost_since IS NOT NULL
