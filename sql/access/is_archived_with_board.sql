-- Whether an id names an archived project of an organization, or a part of it that comes back with the project.
SELECT EXISTS (
    SELECT 1
    FROM projects
    WHERE id = :id AND org_id = :org_id AND archived_at IS NOT NULL
    UNION ALL
    SELECT 1
    FROM columns AS col
    JOIN projects AS p ON p.id = col.project_id
    WHERE col.id = :id AND col.org_id = :org_id AND p.archived_at IS NOT NULL AND col.archive_id = p.archive_id
    UNION ALL
    SELECT 1
    FROM transitions AS t
    JOIN projects AS p ON p.id = t.project_id
    WHERE t.id = :id AND t.org_id = :org_id AND p.archived_at IS NOT NULL AND t.archive_id = p.archive_id
    UNION ALL
    SELECT 1
    FROM card_types AS t
    JOIN projects AS p ON p.id = t.project_id
    WHERE t.id = :id AND t.org_id = :org_id AND p.archived_at IS NOT NULL AND t.archive_id = p.archive_id
    UNION ALL
    SELECT 1
    FROM preset_fields AS f
    JOIN card_types AS t ON t.id = f.card_type_id
    JOIN projects AS p ON p.id = t.project_id
    WHERE f.id = :id AND f.org_id = :org_id AND p.archived_at IS NOT NULL AND t.archive_id = p.archive_id
) AS found
