-- What a role may do with a resource from now on.
UPDATE permissions
SET actions = :actions
WHERE id = :permission_id
