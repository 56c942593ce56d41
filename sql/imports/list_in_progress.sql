-- The imports that are under way, or were when the service was killed.
SELECT org_id, last_step
FROM imports
ORDER BY org_id
