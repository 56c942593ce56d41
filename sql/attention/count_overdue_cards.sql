-- The number of overdue cards of each project that has any.
SELECT project_id, count(*) AS cards
FROM open_due_cards
WHERE
    org_id = :org_id
    AND due_order < :now -- narrows the search: a day that has ended anywhere has begun in UTC
    AND due_order < iif(due_all_day, :today, :now)
GROUP BY project_id
ORDER BY project_id
