-- Delete a file. Its contents are deleted after the commit.
DELETE FROM files
WHERE id = :file_id
