-- Update an organization. A redo log of an earlier version has no time zone.
UPDATE organizations
SET title = :title, color = :color, timezone = coalesce(:timezone, timezone)
WHERE id = :org_id
