-- The cards with the given ids as JSON objects, in the order of the ids.
SELECT
    c.id,
    json_object(
        'id', c.id,
        'orgId', c.org_id,
        'projectId', c.project_id,
        'number', c.number,
        'key', p.key || '-' || c.number,
        'columnId', c.column_id,
        'cardTypeId', c.card_type_id,
        'title', c.title,
        'assignedAgentId', c.assigned_agent_id,
        'assignedUserId', c.assigned_user_id,
        'priority', c.priority,
        'dueDate', c.due_date,
        'dueAllDay', json(iif(c.due_all_day, 'true', 'false')),
        'version', c.version,
        'blockedBy', json(
            CASE
                WHEN NOT EXISTS (SELECT 1 FROM open_blockers AS r WHERE r.blocked_card_id = c.id) THEN '[]'
                ELSE (
                        SELECT json_group_array(blocking_card_id)
                        FROM (
                            SELECT DISTINCT blocking_card_id
                            FROM open_blockers
                            WHERE blocked_card_id = c.id
                            ORDER BY blocking_card_id
                        )
                    )
            END
        ),
        'checklist', json((
            SELECT json_object('done', sum(v.checklist_done), 'total', sum(v.checklist_total))
            FROM field_values AS v
            WHERE v.card_id = c.id AND v.checklist_total > 0
            HAVING count(*) > 0
        )),
        'claim', (
            SELECT json_patch(
                json_object(
                    'agentId', k.agent_id,
                    'claimedAt', k.claimed_at,
                    'renewedAt', k.renewed_at,
                    'expiresAt', k.expires_at,
                    'promptVersionId', k.prompt_version_id
                ),
                iif(k.session IS NULL, '{}', json_object('session', k.session))
            )
            FROM claims AS k
            WHERE k.card_id = c.id AND k.expires_at > :now
        ),
        'createdBy', json(c.created_by),
        'createdAt', c.created_at,
        'updatedAt', c.updated_at,
        'archivedAt', c.archived_at
    ) AS card
FROM json_each(:ids) AS ids
CROSS JOIN cards AS c ON c.id = ids.value
CROSS JOIN projects AS p ON p.id = c.project_id
ORDER BY ids.key
