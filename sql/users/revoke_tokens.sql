-- Revoke all tokens of a user that were issued until now.
UPDATE users
SET tokens_valid_from = :now
WHERE id = :user_id
