-- The live sessions of a user, last used first.
SELECT id, user_agent, created_at, last_seen_at
FROM sessions
WHERE user_id = :user_id AND expires_at > :now
ORDER BY last_seen_at DESC, id DESC
