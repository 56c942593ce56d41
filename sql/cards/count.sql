-- Count the active cards that match the filters.
WITH candidates AS (
    -- Only the branch in :narrowest returns rows: the one whose index leaves the fewest cards for the given filters.
    SELECT c.id
    FROM claims AS k
    JOIN cards AS c ON c.id = k.card_id
    WHERE
        :narrowest = 'claimed_by'
        AND k.org_id = :org_id
        AND k.agent_id = :claimed_by
        AND k.expires_at > :now
        AND c.archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'column_id' AND column_id = :column_id AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :narrowest = 'assigned_agent_id'
        AND org_id = :org_id
        AND assigned_agent_id = :assigned_agent_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :narrowest = 'assigned_user_id'
        AND org_id = :org_id
        AND assigned_user_id = :assigned_user_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'project_id' AND project_id = :project_id AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :narrowest = 'card_type_id'
        AND org_id = :org_id
        AND card_type_id = :card_type_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'priority' AND org_id = :org_id AND archived_at IS NULL AND urgency < 4 AND urgency = :urgency
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'titled' AND id IN (SELECT value FROM json_each(:titled)) AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'org_id' AND org_id = :org_id AND archived_at IS NULL
)

SELECT count(*)
FROM candidates
JOIN cards AS c ON c.id = candidates.id
WHERE
    c.org_id = :org_id
    AND (:column_id IS NULL OR c.column_id = :column_id)
    AND (:project_id IS NULL OR c.project_id = :project_id)
    AND (:assigned_agent_id IS NULL OR c.assigned_agent_id = :assigned_agent_id)
    AND (:assigned_user_id IS NULL OR c.assigned_user_id = :assigned_user_id)
    AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
    AND (:priority IS NULL OR c.priority = :priority)
    AND (:title_part IS NULL OR instr(fold(c.title), :title_part) > 0)
