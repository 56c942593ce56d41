-- Move the end of a claim, for a freeze in which nobody can work (null: for none).
UPDATE claims
SET expires_at = :expires_at, frozen_until = :frozen_until
WHERE card_id = :card_id
