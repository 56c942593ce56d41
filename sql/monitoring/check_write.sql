-- Write a row to check that the database accepts writes.
INSERT INTO readiness (id, checked_at)
VALUES (1, :now)
ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at
