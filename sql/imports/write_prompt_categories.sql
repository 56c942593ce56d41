-- Upsert a prompt category of a snapshot.
INSERT INTO prompt_categories (
    id, org_id, name, color, created_at
)
VALUES (
    :id, :org_id, :name, :color, :created_at
)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    color = excluded.color,
    created_at = excluded.created_at
WHERE prompt_categories.org_id = excluded.org_id
