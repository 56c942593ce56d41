-- Have a version of a prompt active no longer.
UPDATE prompt_versions
SET active = 0
WHERE id = :version_id
