-- A page of the replies to a comment, oldest first.
SELECT
    id,
    content,
    json_object('type', actor_type, 'id', actor_id, 'label', actor_label) AS actor,
    '[]' AS replies,
    0 AS replies_total,
    NULL AS asks,
    imported,
    created_at
FROM comments
WHERE parent_id = :comment_id
ORDER BY created_at, id
LIMIT :limit OFFSET :offset
