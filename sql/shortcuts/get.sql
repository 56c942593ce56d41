-- One keyboard shortcut of a user.
SELECT id, action, binding
FROM shortcuts
WHERE id = :shortcut_id AND user_id = :user_id
