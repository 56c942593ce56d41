-- The keyboard shortcut of a user for an action.
SELECT id
FROM shortcuts
WHERE user_id = :user_id AND action = :action
