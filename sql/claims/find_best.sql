-- The best free card for an agent: find the first free card of each column with an index, then take the best of these.
SELECT c.id
FROM (
    SELECT (
        SELECT c.id
        FROM claim_candidates AS c
        WHERE
            c.column_id = col.id
            AND c.claimable_by = assignee.agent_id
            AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
            AND c.claimed_until <= :now
            AND c.is_available
            AND NOT EXISTS (
                SELECT 1 FROM jobs AS j WHERE j.org_id = :org_id AND j.resource_type = 'card' AND j.resource_id = c.id
            )
            -- A card whose question was just answered is reserved for the agent that asked.
            AND NOT EXISTS (
                SELECT 1
                FROM questions AS q
                LEFT JOIN agents AS a ON a.org_id = q.org_id AND a.id = q.agent_id
                WHERE
                    q.card_id = c.id
                    AND q.agent_id <> :agent_id
                    AND q.state = 'answered'
                    AND q.answer_seen = 0
                    AND q.answered_at > :reserved_since
                    AND coalesce(a.status, '') <> 'stopped'
            )
        ORDER BY c.urgency, c.due_order, c.rank_key, c.id
        LIMIT 1
    ) AS id
    FROM claimable_columns AS col
    CROSS JOIN (
        SELECT '' AS agent_id -- not assigned
        UNION ALL
        SELECT :agent_id
        WHERE EXISTS (
            SELECT 1 FROM cards WHERE org_id = :org_id AND assigned_agent_id = :agent_id AND archived_at IS NULL
        )
    ) AS assignee
    WHERE
        col.org_id = :org_id
        AND (:column_id IS NULL OR col.id = :column_id)
        AND (:project_id IS NULL OR col.project_id = :project_id)
) AS first_of_column
JOIN cards AS c ON c.id = first_of_column.id
ORDER BY c.urgency, c.due_order, c.rank_key, c.id
LIMIT 1
