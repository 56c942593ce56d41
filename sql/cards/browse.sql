-- A page of the active cards of an organization.
WITH candidates AS MATERIALIZED (
    -- One branch runs: the one with the narrowest index for the filters that are given.
    -- Materialized, else the planner sorts all cards of the organization once for each branch.
    SELECT c.id
    FROM claims AS k
    JOIN cards AS c ON c.id = k.card_id
    WHERE
        :claimed_by IS NOT NULL
        AND k.org_id = :org_id
        AND k.agent_id = :claimed_by
        AND k.expires_at > :now
        AND c.archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE :claimed_by IS NULL AND :column_id IS NOT NULL AND column_id = :column_id AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :claimed_by IS NULL
        AND :column_id IS NULL
        AND :assigned_agent_id IS NOT NULL
        AND org_id = :org_id
        AND assigned_agent_id = :assigned_agent_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :claimed_by IS NULL
        AND :column_id IS NULL
        AND :assigned_agent_id IS NULL
        AND :assigned_user_id IS NOT NULL
        AND assigned_user_id = :assigned_user_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :claimed_by IS NULL
        AND :column_id IS NULL
        AND :assigned_agent_id IS NULL
        AND :assigned_user_id IS NULL
        AND :project_id IS NOT NULL
        AND project_id = :project_id
        AND archived_at IS NULL
    UNION ALL
    SELECT id
    FROM cards
    WHERE
        :claimed_by IS NULL
        AND :column_id IS NULL
        AND :assigned_agent_id IS NULL
        AND :assigned_user_id IS NULL
        AND :project_id IS NULL
        AND org_id = :org_id
        AND archived_at IS NULL
),

page AS MATERIALIZED (
    SELECT
        c.id,
        c.rank_key,
        CASE WHEN :sort = '-updatedAt' THEN c.updated_at END AS changed,
        CASE :sort
            WHEN 'dueDate' THEN c.due_date IS NULL
            WHEN 'priority' THEN
                CASE c.priority
                    WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3
                    ELSE 4
                END
        END AS class,
        CASE WHEN :sort = 'dueDate' THEN c.due_date END AS due
    FROM candidates AS n
    CROSS JOIN cards AS c ON c.id = n.id
    WHERE
        c.org_id = :org_id
        AND (:column_id IS NULL OR c.column_id = :column_id)
        AND (:project_id IS NULL OR c.project_id = :project_id)
        AND (:assigned_agent_id IS NULL OR c.assigned_agent_id = :assigned_agent_id)
        AND (:assigned_user_id IS NULL OR c.assigned_user_id = :assigned_user_id)
        AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
        AND (:priority IS NULL OR c.priority = :priority)
        AND (:title_part IS NULL OR instr(lower(c.title), lower(:title_part)) > 0)
    ORDER BY changed DESC, class, due, c.rank_key, c.id
    LIMIT :limit OFFSET :offset
)

SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.column_id,
    c.card_type_id,
    c.title,
    c.assigned_agent_id,
    c.assigned_user_id,
    c.priority,
    c.due_date,
    c.version,
    (
        SELECT json_group_array(id)
        FROM (
            SELECT DISTINCT b.id
            FROM relationships AS r
            JOIN cards AS b ON b.id = r.holder_card_id
            JOIN columns AS d ON d.id = b.column_id
            WHERE r.held_card_id = c.id AND b.archived_at IS NULL AND d.column_type <> 'done'
            ORDER BY b.id
        )
    ) AS blocked_by,
    c.created_by,
    c.created_at,
    c.updated_at,
    c.archived_at,
    (
        SELECT json_object(
            'agentId', k.agent_id,
            'claimedAt', k.claimed_at,
            'renewedAt', k.renewed_at,
            'expiresAt', k.expires_at,
            'promptVersionId', k.prompt_version_id
        )
        FROM claims AS k
        WHERE k.card_id = c.id AND k.expires_at > :now
    ) AS claim
FROM page
CROSS JOIN cards AS c ON c.id = page.id
CROSS JOIN projects AS p ON p.id = c.project_id
ORDER BY page.changed DESC, page.class, page.due, page.rank_key, page.id
