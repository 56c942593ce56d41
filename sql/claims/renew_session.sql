-- Renew the live claims of a session. During a freeze none expires earlier than the freeze has already allowed.
UPDATE claims
SET
    renewed_at = :now,
    expires_at = CASE WHEN frozen_until > :now AND expires_at > renewed.until THEN expires_at ELSE renewed.until END,
    frozen_until = CASE WHEN frozen_until > :now AND expires_at > renewed.until THEN frozen_until END
FROM (
    SELECT k.card_id, strftime('%Y-%m-%dT%H:%M:%fZ', :now, '+' || k.lease_seconds || ' seconds') AS until
    FROM claims AS k
    WHERE k.org_id = :org_id AND k.agent_id = :agent_id AND k.session = :session AND k.expires_at > :now
) AS renewed
WHERE claims.card_id = renewed.card_id
