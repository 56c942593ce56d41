-- Insert a comment of a snapshot. An existing one stays unchanged.
INSERT INTO comments (
    id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, created_at
)
VALUES (
    :id, :org_id, :card_id, :parent_id, :content, :actor_type, :actor_id, :actor_label, :created_at
)
ON CONFLICT (id) DO NOTHING
