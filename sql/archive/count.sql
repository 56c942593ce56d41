-- Count the items in the archive, optionally of one type, or with a text in the title.
WITH items AS (
    SELECT 'card' AS type, p.key || '-' || c.number AS key, c.title
    FROM cards AS c
    JOIN projects AS p ON p.id = c.project_id
    WHERE
        c.org_id = :org_id
        AND c.archived_at IS NOT NULL
        -- Of an archived project, only the cards that were archived with it.
        AND (p.archived_at IS NULL OR p.archive_id = c.archive_id)
    UNION ALL
    SELECT 'project', key, title
    FROM projects
    WHERE org_id = :org_id AND archived_at IS NOT NULL
    UNION ALL
    SELECT 'team', NULL, name
    FROM teams
    WHERE org_id = :org_id AND archived_at IS NOT NULL
    UNION ALL
    SELECT 'organization', NULL, o.title
    FROM organizations AS o
    JOIN memberships AS m ON m.org_id = o.id AND m.user_id = o.owner_id
    WHERE o.owner_id = :user_id AND o.archived_at IS NOT NULL AND m.role = 'SolutionArchitect'
)

SELECT count(*)
FROM items
WHERE
    (:type IS NULL OR type = :type)
    AND (:text IS NULL OR instr(fold(title), :text) > 0 OR key = :key)
