-- A page of the archive of an organization, newest first, optionally of one type, or with a text in the title.
-- Only their owner sees archived organizations.
WITH items AS (
    SELECT 'card' AS type, c.id, p.key || '-' || c.number AS key, c.title, c.archived_at, c.archived_by
    FROM cards AS c
    JOIN projects AS p ON p.id = c.project_id
    WHERE
        c.org_id = :org_id
        AND c.archived_at IS NOT NULL
        -- Of an archived project, only the cards that were archived with it.
        AND (p.archived_at IS NULL OR p.archive_id = c.archive_id)
    UNION ALL
    SELECT 'project', id, key, title, archived_at, archived_by
    FROM projects
    WHERE org_id = :org_id AND archived_at IS NOT NULL
    UNION ALL
    SELECT 'team', id, NULL, name, archived_at, archived_by
    FROM teams
    WHERE org_id = :org_id AND archived_at IS NOT NULL
    UNION ALL
    SELECT 'organization', o.id, NULL, o.title, o.archived_at, o.archived_by
    FROM organizations AS o
    JOIN memberships AS m ON m.org_id = o.id AND m.user_id = o.owner_id
    WHERE o.owner_id = :user_id AND o.archived_at IS NOT NULL AND m.role = 'SolutionArchitect'
)

SELECT type, id, key, title, archived_at, archived_by
FROM items
WHERE
    (:type IS NULL OR type = :type)
    AND (:text IS NULL OR instr(fold(title), :text) > 0 OR key = :key)
ORDER BY archived_at DESC, id DESC
LIMIT :limit OFFSET :offset
