-- End a session of a user.
DELETE FROM sessions
WHERE id = :id AND user_id = :user_id
