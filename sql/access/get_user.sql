-- The user that a token names, to see whether the token still holds.
SELECT full_name, tokens_valid_from
FROM users
WHERE id = :user_id
