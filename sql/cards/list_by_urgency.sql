-- A page of the active cards of an organization by priority, then in rank order.
WITH urgent AS MATERIALIZED (
    SELECT id, urgency, rank_key
    FROM cards
    WHERE org_id = :org_id AND archived_at IS NULL AND urgency < 4
    ORDER BY urgency, rank_key, id
    LIMIT :offset + :limit
)

SELECT id
FROM (
    SELECT id, urgency, rank_key
    FROM urgent
    UNION ALL
    SELECT id, urgency, rank_key
    FROM (
        SELECT id, urgency, rank_key
        FROM cards
        WHERE org_id = :org_id AND archived_at IS NULL AND urgency = 4
        ORDER BY rank_key, id
        LIMIT :offset + :limit - (SELECT count(*) FROM urgent)
    )
)
ORDER BY urgency, rank_key, id
LIMIT :limit OFFSET :offset
