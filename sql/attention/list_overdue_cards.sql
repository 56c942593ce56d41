-- The overdue cards, the longest waiting first.
WITH page AS MATERIALIZED (
    SELECT id, due_date, assigned_agent_id
    FROM open_due_cards
    WHERE
        org_id = :org_id
        AND due_order < :now -- narrows the search: a day that has ended anywhere has begun in UTC
        AND due_order < iif(due_all_day, :today, :now)
    ORDER BY due_date, id
    LIMIT :limit
)

SELECT
    page.due_date AS since,
    c.id AS card_id,
    c.key AS card_key,
    c.title AS card_title,
    c.project_id,
    c.column_id,
    page.assigned_agent_id AS agent_id,
    a.title AS agent_title
FROM page
CROSS JOIN keyed_cards AS c ON c.id = page.id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.assigned_agent_id
ORDER BY page.due_date, page.id
