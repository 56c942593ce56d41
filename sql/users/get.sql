-- The profile of a user.
SELECT id, email, full_name, handle, avatar_url, theme, timezone
FROM users
WHERE id = :user_id
