-- Set the actions of a permission row.
UPDATE permissions
SET actions = :actions
WHERE id = :permission_id
