-- One active card type with its fields.
SELECT
    t.id,
    t.project_id,
    t.title,
    t.color,
    t.comments_enabled,
    t.files_enabled,
    t.created_at,
    (
        SELECT json_group_array(json_object(
            'id', f.id,
            'cardTypeId', f.card_type_id,
            'name', f.name,
            'label', f.label,
            'kind', f.kind,
            'required', json(iif(f.required, 'true', 'false')),
            'options', json(f.options),
            'order', f.position,
            'validation', f.validation,
            'multiple', json(iif(f.multiple, 'true', 'false')),
            'showOnCard', json(iif(f.show_on_card, 'true', 'false')),
            'optionColors', json(f.option_colors),
            'createdAt', f.created_at
        ))
        FROM (
            SELECT
                id, card_type_id, name, label, kind, required, options, position, validation, multiple,
                show_on_card, option_colors, created_at
            FROM fields
            WHERE card_type_id = t.id
            ORDER BY position, id
        ) AS f
    ) AS fields
FROM card_types AS t
WHERE t.id = :card_type_id AND t.org_id = :org_id AND t.archived_at IS NULL
