-- A page of the active cards that match the filters, in rank order, read column by column from an index.
SELECT c.id
FROM columns AS col
CROSS JOIN cards AS c ON c.column_id = col.id AND c.archived_at IS NULL
WHERE
    col.org_id = :org_id
    AND col.archived_at IS NULL
    AND (:project_ids IS NULL OR col.project_id IN (SELECT value FROM json_each(:project_ids)))
    AND (:column_ids IS NULL OR col.id IN (SELECT value FROM json_each(:column_ids)))
    AND (
        :assigned_agent_ids IS NULL
        OR coalesce(c.assigned_agent_id, '') IN (SELECT value FROM json_each(:assigned_agent_ids))
    )
    AND (
        :assigned_user_ids IS NULL
        OR coalesce(c.assigned_user_id, '') IN (SELECT value FROM json_each(:assigned_user_ids))
    )
    AND (:card_type_ids IS NULL OR c.card_type_id IN (SELECT value FROM json_each(:card_type_ids)))
    AND (:priorities IS NULL OR c.priority IN (SELECT value FROM json_each(:priorities)))
    AND (:title_part IS NULL OR instr(fold(c.title), :title_part) > 0)
ORDER BY c.rank_key, c.id
LIMIT :limit OFFSET :offset
