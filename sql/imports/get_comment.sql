-- The comment with an id, of any organization.
SELECT
    id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, mentions, imported, created_at
FROM comments
WHERE id = :id
