-- The live session of a refresh token.
SELECT id, user_id, org_id, ends_at
FROM sessions
WHERE token_hash = :token_hash AND expires_at > :now
