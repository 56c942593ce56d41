-- Update a field.
UPDATE fields
SET
    name = :name,
    label = :label,
    required = :required,
    options = :options,
    position = :position,
    validation = :validation,
    multiple = :multiple
WHERE id = :field_id
