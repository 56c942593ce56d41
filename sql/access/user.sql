-- The user that a token names, to see whether the token still holds.
SELECT id, tokens_valid_from
FROM users
WHERE id = :user_id
