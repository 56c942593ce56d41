-- Freeze an organization. A new freeze replaces an existing one.
INSERT INTO freezes (org_id, reason, until, frozen_at, frozen_by)
VALUES (:org_id, :reason, :until, :now, :frozen_by)
ON CONFLICT (org_id) DO UPDATE SET
    reason = excluded.reason,
    until = excluded.until,
    frozen_at = excluded.frozen_at,
    frozen_by = excluded.frozen_by
