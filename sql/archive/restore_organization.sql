-- Restore an organization.
UPDATE organizations
SET archived_at = NULL, archived_by = NULL, archive_id = NULL
WHERE id = :id
