-- The user with an e-mail address (in lower case).
SELECT id, email, full_name, avatar_url, password_hash, password_reset_by, password_reset_at
FROM users
WHERE email_key = :email_key
