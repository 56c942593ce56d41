-- The archived items and removed people of an organization or one project, by the names that a filter can use.
SELECT id, title AS name
FROM projects
WHERE :filter = 'project_id' AND org_id = :org_id AND archived_at IS NOT NULL
UNION ALL
SELECT id, key
FROM projects
WHERE :filter = 'project_id' AND org_id = :org_id AND archived_at IS NOT NULL
UNION ALL
SELECT col.id, col.title
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id
WHERE
    :filter = 'column_id'
    AND col.org_id = :org_id
    AND (:project_id IS NULL OR col.project_id = :project_id)
    AND (col.archived_at IS NOT NULL OR p.archived_at IS NOT NULL)
UNION ALL
SELECT t.id, t.title
FROM card_types AS t
LEFT JOIN projects AS p ON p.id = t.project_id
WHERE
    :filter = 'card_type_id'
    AND t.org_id = :org_id
    AND (:project_id IS NULL OR t.project_id IS NULL OR t.project_id = :project_id)
    AND (t.archived_at IS NOT NULL OR p.archived_at IS NOT NULL)
UNION ALL
SELECT u.id, u.full_name
FROM removed_ids AS r
JOIN users AS u ON u.id = r.id
WHERE :filter = 'assigned_user_id' AND r.org_id = :org_id
