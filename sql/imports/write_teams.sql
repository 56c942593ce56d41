-- Upsert a team of a snapshot.
INSERT INTO teams (
    id, org_id, name, onboarding_doc, created_at, archived_at, archived_by, archive_id
)
VALUES (
    :id, :org_id, :name, :onboarding_doc, :created_at, :archived_at, :archived_by, :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    onboarding_doc = excluded.onboarding_doc,
    created_at = excluded.created_at,
    archived_at = excluded.archived_at,
    archived_by = excluded.archived_by,
    archive_id = excluded.archive_id
WHERE teams.org_id = excluded.org_id
