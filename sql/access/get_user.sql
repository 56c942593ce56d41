-- The user of a session token, with the time before which tokens are invalid.
SELECT full_name, tokens_valid_from
FROM users
WHERE id = :user_id
