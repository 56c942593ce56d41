-- The freeze of an organization, over or not.
SELECT reason, until, frozen_at, frozen_by
FROM freezes
WHERE org_id = :org_id
