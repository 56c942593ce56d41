-- Store whether the contents of a file are lost, and their hash if it was not known yet.
UPDATE files
SET
    lost_since = :lost_since,
    sha256 = coalesce(sha256, :sha256)
WHERE id = :file_id
