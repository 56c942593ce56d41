-- The imports in progress, including those that a crash interrupted.
SELECT org_id, last_step
FROM imports
ORDER BY org_id
