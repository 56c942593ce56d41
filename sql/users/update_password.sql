-- Change the password of a user. This revokes all tokens issued before.
UPDATE users
SET password_hash = :password_hash, tokens_valid_from = :now
WHERE id = :user_id AND password_hash = :old_hash
