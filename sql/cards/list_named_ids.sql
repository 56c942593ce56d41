-- The given ids that name active (or archived) cards of an organization, in the order given.
SELECT c.id
FROM json_each(:ids) AS ids
CROSS JOIN cards AS c ON c.id = ids.value
CROSS JOIN columns AS col ON col.id = c.column_id
CROSS JOIN projects AS p ON p.id = c.project_id
WHERE
    c.org_id = :org_id
    AND (c.archived_at IS NOT NULL) = :archived
    AND (:archived OR col.archived_at IS NULL)
    AND p.archived_at IS NULL
ORDER BY ids.key
