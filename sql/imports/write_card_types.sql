-- Upsert a card type of a snapshot.
INSERT INTO card_types (
    id, org_id, project_id, title, color, comments_enabled, files_enabled, created_at, archived_at,
    archived_by, archive_id
)
VALUES (
    :id, :org_id, :project_id, :title, :color, :comments_enabled, :files_enabled, :created_at, :archived_at,
    :archived_by, :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    project_id = excluded.project_id,
    title = excluded.title,
    color = excluded.color,
    comments_enabled = excluded.comments_enabled,
    files_enabled = excluded.files_enabled,
    created_at = excluded.created_at,
    archived_at = excluded.archived_at,
    archived_by = excluded.archived_by,
    archive_id = excluded.archive_id
WHERE card_types.org_id = excluded.org_id
