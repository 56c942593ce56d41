-- The keyboard shortcuts of a user, oldest first.
SELECT id, action, binding
FROM shortcuts
WHERE user_id = :user_id
ORDER BY id
