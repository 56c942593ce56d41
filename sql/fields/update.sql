-- Update a field.
UPDATE fields
SET
    name = :name,
    label = :label,
    required = :required,
    options = :options,
    position = :position,
    validation = :validation,
    multiple = :multiple,
    show_on_card = :show_on_card,
    option_colors = :option_colors
WHERE id = :field_id
