-- Cards as lists show them, in the order of their ids.
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
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM relationships AS r WHERE r.held_card_id = c.id) THEN '[]'
        ELSE (
                SELECT json_group_array(id)
                FROM (
                    SELECT DISTINCT b.id
                    FROM relationships AS r
                    JOIN cards AS b ON b.id = r.holder_card_id
                    JOIN columns AS d ON d.id = b.column_id
                    WHERE r.held_card_id = c.id AND b.archived_at IS NULL AND d.column_type <> 'done'
                    ORDER BY b.id
                )
            )
    END AS blocked_by,
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
FROM json_each(:ids) AS n
CROSS JOIN cards AS c ON c.id = n.value
CROSS JOIN projects AS p ON p.id = c.project_id
ORDER BY n.key
