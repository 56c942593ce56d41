-- Write something, to see whether that is possible.
INSERT INTO readiness (id, checked_at)
VALUES (1, :now)
ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at
