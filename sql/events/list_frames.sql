-- The events of an organization after one, in the words of Server-Sent Events: how many, and up to which.
SELECT
    count(*) AS count,
    max(id) AS last_id,
    group_concat('id: ' || id || char(10) || 'data: ' || text || char(10, 10), '') AS frames
FROM (
    SELECT id, text
    FROM encoded_events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :limit
)
