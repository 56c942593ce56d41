-- A page of the active cards of an organization by due date, a day before its moments; cards without one follow by rank.
WITH due AS MATERIALIZED (
    SELECT id, due_order, rank_key
    FROM cards
    WHERE org_id = :org_id AND archived_at IS NULL AND due_date IS NOT NULL
    ORDER BY due_order, rank_key, id
    LIMIT :offset + :limit
)

SELECT id
FROM (
    SELECT id, due_order, rank_key
    FROM due
    UNION ALL
    SELECT id, due_order, rank_key
    FROM (
        SELECT c.id, c.due_order, c.rank_key
        FROM columns AS col
        CROSS JOIN cards AS c ON c.column_id = col.id AND c.archived_at IS NULL
        WHERE col.org_id = :org_id AND col.archived_at IS NULL AND c.due_date IS NULL
        ORDER BY c.rank_key, c.id
        LIMIT :offset + :limit - (SELECT count(*) FROM due)
    )
)
ORDER BY due_order, rank_key, id
LIMIT :limit OFFSET :offset
