-- A page of the active cards that match the filters, in rank order, read column by column from an index.
SELECT c.id
FROM columns AS col
CROSS JOIN cards AS c ON c.column_id = col.id AND c.archived_at IS NULL
WHERE
    col.org_id = :org_id
    AND col.archived_at IS NULL
    AND (:project_id IS NULL OR col.project_id = :project_id)
    AND (:column_id IS NULL OR col.id = :column_id)
    AND (:assigned_agent_id IS NULL OR c.assigned_agent_id = :assigned_agent_id)
    AND (:assigned_user_id IS NULL OR c.assigned_user_id = :assigned_user_id)
    AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
    AND (:priority IS NULL OR c.priority = :priority)
    AND (:title_part IS NULL OR instr(fold(c.title), :title_part) > 0)
ORDER BY c.rank_key, c.id
LIMIT :limit OFFSET :offset
