-- Let a claim live on from now.
UPDATE claims
SET renewed_at = :now, expires_at = :expires_at
WHERE card_id = :card_id
