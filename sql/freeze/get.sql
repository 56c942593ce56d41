-- The freeze of an organization, even if it has ended.
SELECT reason, until, frozen_at, frozen_by
FROM freezes
WHERE org_id = :org_id
