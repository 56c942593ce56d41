-- The user of a token, the time before which tokens are invalid, and when the session of the token expires.
SELECT u.full_name, u.tokens_valid_from, s.expires_at AS session_expires_at
FROM users AS u
LEFT JOIN sessions AS s ON s.id = :session_id AND s.user_id = u.id
WHERE u.id = :user_id
