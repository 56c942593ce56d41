-- A page of the cards that match the filters. It reads and sorts all of them; use it if few cards match.
WITH candidates AS MATERIALIZED (
    -- Only the branch in :narrowest returns rows: the one whose index leaves the fewest cards for the given filters.
    -- Without MATERIALIZED, the planner sorts all cards of the organization once for each branch.
    SELECT id
    FROM (
        SELECT c.id
        FROM claims AS k
        JOIN cards AS c ON c.id = k.card_id
        WHERE
            :narrowest = 'claimed_by_ids'
            AND k.org_id = :org_id
            AND k.agent_id IN (SELECT value FROM json_each(:claimed_by_ids))
            AND k.expires_at > :now
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'column_ids'
            AND column_id IN (SELECT value FROM json_each(:column_ids))
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'assigned_agent_ids'
            AND org_id = :org_id
            AND assigned_agent_id IN (SELECT value FROM json_each(:assigned_agent_ids))
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'assigned_user_ids'
            AND org_id = :org_id
            AND assigned_user_id IN (SELECT value FROM json_each(:assigned_user_ids))
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'project_ids'
            AND project_id IN (SELECT value FROM json_each(:project_ids))
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'card_type_ids'
            AND org_id = :org_id
            AND card_type_id IN (SELECT value FROM json_each(:card_type_ids))
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'priorities'
            AND org_id = :org_id
            AND archived_at IS NULL
            AND urgency < 4
            AND urgency IN (SELECT value FROM json_each(:urgencies))
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'due'
            AND org_id = :org_id
            AND due_order >= :due_first
            AND due_order < :due_end
            AND due_date IS NOT NULL
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE
            :narrowest = 'updated_since'
            AND org_id = :org_id
            AND updated_at >= :updated_since
            AND archived_at IS NULL
        UNION ALL
        SELECT id
        FROM cards
        WHERE :narrowest = 'field_card_ids' AND id IN (SELECT value FROM json_each(:field_card_ids))
        UNION ALL
        SELECT id
        FROM cards
        WHERE :narrowest = 'titled' AND id IN (SELECT value FROM json_each(:titled))
        UNION ALL
        SELECT id
        FROM cards
        WHERE :narrowest = 'archived' AND org_id = :org_id AND archived_at IS NOT NULL
        -- In the order of the table, since reading many cards in another order takes twice as long. LIMIT keeps it.
        ORDER BY id
        LIMIT -1
    )
    UNION ALL
    SELECT id
    FROM cards
    WHERE :narrowest = 'org_id' AND org_id = :org_id AND archived_at IS NULL
),

due_dates AS MATERIALIZED (
    SELECT
        value ->> 'firstDay' AS first_day,
        value ->> 'endDay' AS end_day,
        value ->> 'first' AS first_time,
        value ->> 'end' AS end_time,
        value ->> 'isOpen' AS is_open
    FROM json_each(:due)
)

SELECT c.id
FROM candidates
CROSS JOIN cards AS c ON c.id = candidates.id
WHERE
    c.org_id = :org_id
    AND (c.archived_at IS NOT NULL) = :archived
    AND (
        NOT :archived
        OR c.project_id IN (SELECT id FROM projects WHERE org_id = :org_id AND archived_at IS NULL)
    )
    AND (:column_ids IS NULL OR c.column_id IN (SELECT value FROM json_each(:column_ids)))
    AND (:project_ids IS NULL OR c.project_id IN (SELECT value FROM json_each(:project_ids)))
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
    AND (:field_card_ids IS NULL OR c.id IN (SELECT value FROM json_each(:field_card_ids)))
    AND (
        :claimed_by_ids IS NULL
        OR EXISTS (
            SELECT 1
            FROM claims AS k
            WHERE
                k.card_id = c.id
                AND k.agent_id IN (SELECT value FROM json_each(:claimed_by_ids))
                AND k.expires_at > :now
        )
    )
    AND (:updated_since IS NULL OR c.updated_at >= :updated_since)
    AND (
        :due IS NULL
        OR (:due_none AND c.due_date IS NULL)
        OR EXISTS (
            SELECT 1
            FROM due_dates AS d
            WHERE
                c.due_date IS NOT NULL
                AND c.due_order >= iif(c.due_all_day, d.first_day, d.first_time)
                AND c.due_order < iif(c.due_all_day, d.end_day, d.end_time)
                AND (
                    NOT d.is_open
                    OR (
                        NOT EXISTS (
                            SELECT 1 FROM columns AS col WHERE col.id = c.column_id AND col.column_type = 'done'
                        )
                        AND NOT EXISTS (SELECT 1 FROM complete_due_dates AS m WHERE m.card_id = c.id)
                    )
                )
        )
    )
    AND (:title_part IS NULL OR instr(fold(c.title), :title_part) > 0)
ORDER BY
    CASE WHEN :sort = '-updatedAt' THEN c.updated_at END DESC,
    CASE WHEN :sort = 'priority' THEN c.urgency END,
    CASE WHEN :sort = 'dueDate' THEN c.due_order END,
    CASE WHEN :sort <> '-updatedAt' THEN c.rank_key END,
    c.id
LIMIT :limit OFFSET :offset
