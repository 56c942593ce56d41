-- Upsert a transition of a snapshot.
INSERT INTO transitions (
    id, org_id, project_id, from_column_id, to_column_id, requires_approval, created_at, archived_at,
    archive_id
)
VALUES (
    :id, :org_id, :project_id, :from_column_id, :to_column_id, :requires_approval, :created_at, :archived_at,
    :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    project_id = excluded.project_id,
    from_column_id = excluded.from_column_id,
    to_column_id = excluded.to_column_id,
    requires_approval = excluded.requires_approval,
    created_at = excluded.created_at,
    archived_at = excluded.archived_at,
    archive_id = excluded.archive_id
WHERE transitions.org_id = excluded.org_id
