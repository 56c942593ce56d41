-- Remove a file; its contents go after the commit.
DELETE FROM files
WHERE id = :file_id
