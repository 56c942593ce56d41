-- The password hash of a user.
SELECT password_hash
FROM users
WHERE id = :user_id
