-- Upsert a prompt of a snapshot.
INSERT INTO prompts (
    id, org_id, name, category_id, current_version_id, created_at, updated_at, archived_at
)
VALUES (
    :id, :org_id, :name, :category_id, :current_version_id, :created_at, :updated_at, :archived_at
)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    category_id = excluded.category_id,
    current_version_id = excluded.current_version_id,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at,
    archived_at = excluded.archived_at
WHERE prompts.org_id = excluded.org_id
