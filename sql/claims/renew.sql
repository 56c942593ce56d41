-- Let a claim live on from now; while the organization is frozen, what the freeze has added to it is never taken back.
UPDATE claims
SET
    renewed_at = :now,
    lease_seconds = :lease_seconds,
    expires_at = CASE WHEN frozen_until > :now AND expires_at > :expires_at THEN expires_at ELSE :expires_at END,
    frozen_until = CASE WHEN frozen_until > :now AND expires_at > :expires_at THEN frozen_until END
WHERE card_id = :card_id
