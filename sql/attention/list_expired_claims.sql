-- The claims that ran out before the work was handed over, the longest waiting first, with their number.
WITH page AS MATERIALIZED (
    SELECT k.expires_at, k.card_id, k.agent_id, count(*) OVER () AS total
    FROM claims AS k
    JOIN cards AS c ON c.id = k.card_id
    WHERE
        k.org_id = :org_id
        AND k.expires_at <= :now
        AND c.archived_at IS NULL
        -- Any later change shows that the card was taken care of.
        AND NOT EXISTS (SELECT 1 FROM history AS h WHERE h.card_id = k.card_id AND h.created_at > k.expires_at)
    ORDER BY k.expires_at, k.card_id
    LIMIT :limit
)

SELECT
    page.expires_at AS since,
    c.id AS card_id,
    c.key AS card_key,
    c.title AS card_title,
    c.project_id,
    c.column_id,
    page.agent_id,
    a.title AS agent_title,
    page.total
FROM page
CROSS JOIN keyed_cards AS c ON c.id = page.card_id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.agent_id
ORDER BY page.expires_at, page.card_id
