-- Remove a field from the required fields of all columns of an organization.
UPDATE columns
SET required_field_ids = (
    SELECT json_group_array(value)
    FROM json_each(columns.required_field_ids)
    WHERE value <> :field_id
)
WHERE org_id = :org_id AND required_field_ids LIKE '%' || :field_id || '%'
