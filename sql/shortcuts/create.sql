-- Create a keyboard shortcut of a user.
INSERT INTO shortcuts (id, user_id, action, binding)
VALUES (:id, :user_id, :action, :binding)
