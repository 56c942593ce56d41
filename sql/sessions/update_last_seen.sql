-- Store the time of a request of a live session, and from when on the session is idle for too long.
UPDATE sessions
SET last_seen_at = :now, expires_at = min(ends_at, :idle_until)
WHERE id = :id AND expires_at > :now
