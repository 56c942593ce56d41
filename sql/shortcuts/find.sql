-- The shortcut that a user has for an action.
SELECT id
FROM shortcuts
WHERE user_id = :user_id AND action = :action
