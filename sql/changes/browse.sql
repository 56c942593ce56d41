-- The events of an organization after one, as a JSON array: how many, and up to which.
SELECT count(*) AS count, max(id) AS last_id, '[' || coalesce(group_concat(text, ','), '') || ']' AS items
FROM (
    SELECT id, text
    FROM encoded_events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :most
)
