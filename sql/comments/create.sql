-- Create a comment, or a reply if it has a parent.
INSERT INTO comments (id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, mentions, created_at)
VALUES (:id, :org_id, :card_id, :parent_id, :content, :actor_type, :actor_id, :actor_label, :mentions, :now)
