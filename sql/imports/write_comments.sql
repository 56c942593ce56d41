-- Insert a comment of a snapshot. An existing one stays unchanged.
INSERT INTO comments (
    id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, mentions, imported, created_at
)
VALUES (
    :id,
    :org_id,
    :card_id,
    :parent_id,
    :content,
    :actor_type,
    :actor_id,
    :actor_label,
    :mentions,
    coalesce(:imported, 1), -- an import that an earlier version has begun does not say it
    :created_at
)
ON CONFLICT (id) DO NOTHING
