-- Archive an organization.
UPDATE organizations
SET archived_at = :now, archived_by = :archived_by, archive_id = :archive_id
WHERE id = :org_id AND archived_at IS NULL
