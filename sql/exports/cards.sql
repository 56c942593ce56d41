-- The cards of an organization with their field values for a snapshot, including archived ones, in index order.
SELECT
    json_object(
        'id', c.id,
        'projectId', c.project_id,
        'number', c.number,
        'formerKeys', (
            SELECT json_group_array(p.key || '-' || f.number)
            FROM former_card_keys AS f
            JOIN projects AS p ON p.id = f.project_id
            WHERE f.card_id = c.id
        ),
        'columnId', c.column_id,
        'cardTypeId', c.card_type_id,
        'title', c.title,
        'assignedAgentId', c.assigned_agent_id,
        'assignedUserId', c.assigned_user_id,
        'priority', c.priority,
        'dueDate', c.due_date,
        'dueAllDay', json(iif(c.due_all_day, 'true', 'false')),
        'rankKey', c.rank_key,
        'version', c.version,
        'createdBy', json(c.created_by),
        'createdAt', c.created_at,
        'updatedAt', c.updated_at,
        'archivedAt', c.archived_at,
        'archivedBy', json(c.archived_by),
        'archiveId', c.archive_id,
        'fieldValues', (
            SELECT
                json_group_array(CASE
                    WHEN v.mentions IS NULL THEN json_object('fieldId', v.field_id, 'value', json(v.value))
                    ELSE json_object(
                            'fieldId', v.field_id,
                            'value', json(v.value),
                            'mentions', (
                                SELECT json_group_array(json_object('type', n.value ->> 0, 'id', n.value ->> 1))
                                FROM json_each(v.mentions) AS n
                            )
                        )
                END)
            FROM (
                SELECT field_id, value, mentions
                FROM field_values
                WHERE card_id = c.id
                ORDER BY field_id
            ) AS v
        )
    ) AS row
FROM cards AS c
WHERE c.org_id = :org_id
ORDER BY c.archived_at, c.rank_key, c.id
