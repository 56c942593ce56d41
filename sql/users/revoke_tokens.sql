-- End every token of a user that was issued until now.
UPDATE users
SET tokens_valid_from = :now
WHERE id = :user_id
