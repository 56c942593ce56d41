-- Change the password of a user. This revokes all tokens issued before. `reset_by` is the name of somebody else who did it.
UPDATE users
SET
    password_hash = :password_hash,
    tokens_valid_from = :now,
    password_reset_by = :reset_by,
    password_reset_at = CASE WHEN :reset_by IS NOT NULL THEN :now END
WHERE id = :user_id AND password_hash = :old_hash
