-- The projects of an organization with their columns, transitions and presets, without cards, as one JSON text.
SELECT json_object(
    'projects', (
        SELECT json_group_array(json_object('id', id, 'title', title, 'key', key))
        FROM (
            SELECT id, title, key
            FROM projects
            WHERE org_id = :org_id AND archived_at IS NULL
            ORDER BY created_at, id
        )
    ),
    'columns', (
        SELECT json_group_array(json_object(
            'id', col.id,
            'projectId', col.project_id,
            'title', col.title,
            'order', col.position,
            'agentPickupEnabled', json(iif(col.agent_pickup_enabled, 'true', 'false')),
            'agentCanModerate', json(iif(col.agent_can_moderate, 'true', 'false')),
            'columnType', col.column_type,
            'wipLimit', col.wip_limit
        ))
        FROM (
            SELECT
                id, project_id, title, position, agent_pickup_enabled, agent_can_moderate, column_type,
                wip_limit
            FROM columns
            WHERE org_id = :org_id AND archived_at IS NULL
            ORDER BY project_id, position, id
        ) AS col
    ),
    'cardTypes', json(:card_types),
    'transitions', (
        SELECT json_group_array(json_object(
            'id', id,
            'fromColumnId', from_column_id,
            'toColumnId', to_column_id,
            'requiresApproval', json(iif(requires_approval, 'true', 'false'))
        ))
        FROM (
            SELECT id, from_column_id, to_column_id, requires_approval
            FROM transitions
            WHERE org_id = :org_id AND archived_at IS NULL
            ORDER BY created_at, id
        )
    ),
    'presets', (
        SELECT json_group_array(json_object(
            'id', f.id,
            'cardTypeId', f.card_type_id,
            'presetName', f.preset_name,
            'fieldId', f.field_id,
            'value', json(f.value)
        ))
        FROM (
            SELECT f.id, f.card_type_id, f.preset_name, f.field_id, f.value
            FROM preset_fields AS f
            JOIN card_types AS t ON t.id = f.card_type_id
            WHERE
                t.archived_at IS NULL
                AND f.org_id = :org_id
            ORDER BY f.card_type_id, f.preset_name, f.id
        ) AS f
    ),
    'cards', json_array()
)
