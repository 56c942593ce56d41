-- The events of an organization after an event as Server-Sent Events frames, with their count and last id.
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
