-- Renew a claim. During a freeze it never expires earlier than the freeze has already allowed.
UPDATE claims
SET
    renewed_at = :now,
    lease_seconds = :lease_seconds,
    expires_at = CASE WHEN frozen_until > :now AND expires_at > :expires_at THEN expires_at ELSE :expires_at END,
    frozen_until = CASE WHEN frozen_until > :now AND expires_at > :expires_at THEN frozen_until END
WHERE card_id = :card_id
