-- The custom fields of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'cardTypeId', card_type_id,
        'name', name,
        'label', label,
        'kind', kind,
        'required', json(iif(required, 'true', 'false')),
        'options', json(options),
        'order', position,
        'validation', validation,
        'multiple', json(iif(multiple, 'true', 'false')),
        'showOnCard', json(iif(show_on_card, 'true', 'false')),
        'optionColors', json(option_colors),
        'createdAt', created_at
    ) AS row
FROM fields
WHERE org_id = :org_id
ORDER BY card_type_id, position, id
