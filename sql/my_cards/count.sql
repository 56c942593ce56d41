-- Count the active cards of a person that are open, done, or either.
SELECT count(*)
FROM cards AS c
CROSS JOIN columns AS col ON col.id = c.column_id
WHERE
    c.assigned_user_id = :user_id
    AND c.org_id = :org_id
    AND c.archived_at IS NULL
    AND (:state = 'all' OR (:state = 'done') = (col.column_type = 'done'))
