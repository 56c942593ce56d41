-- The active projects of an organization with the columns in which agents may work or only comment.
SELECT
    p.key,
    p.title,
    (
        SELECT json_group_array(col.title)
        FROM (
            SELECT title
            FROM columns
            WHERE project_id = p.id AND archived_at IS NULL AND agent_pickup_enabled AND agent_can_moderate
            ORDER BY position, id
        ) AS col
    ) AS work_in,
    (
        SELECT json_group_array(col.title)
        FROM (
            SELECT title
            FROM columns
            WHERE project_id = p.id AND archived_at IS NULL AND agent_pickup_enabled AND NOT agent_can_moderate
            ORDER BY position, id
        ) AS col
    ) AS talk_in
FROM projects AS p
WHERE p.org_id = :org_id AND p.archived_at IS NULL
ORDER BY p.created_at, p.id
LIMIT :limit
