-- Change when a claim expires, and the end of the freeze that this time includes (null: no freeze).
UPDATE claims
SET expires_at = :expires_at, frozen_until = :frozen_until
WHERE card_id = :card_id
