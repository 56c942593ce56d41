-- A page of the replies to a comment, oldest first.
SELECT
    id,
    content,
    json_object('type', actor_type, 'id', actor_id, 'label', actor_label) AS actor,
    '[]' AS replies,
    0 AS replies_total,
    NULL AS asks,
    CASE
        WHEN comments.mentions IS NULL THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                FROM comment_mentions AS n
                WHERE n.comment_id = comments.id AND n.label IS NOT NULL
            )
    END AS mentions,
    imported,
    created_at
FROM comments
WHERE parent_id = :comment_id
ORDER BY created_at, id
LIMIT :limit OFFSET :offset
