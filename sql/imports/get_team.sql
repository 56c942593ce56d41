-- The team with an id, of any organization.
SELECT
    id, org_id, name, onboarding_doc, created_at, archived_at, archived_by, archive_id
FROM teams
WHERE id = :id
