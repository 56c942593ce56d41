-- The enabled webhooks of one organization or of all active ones.
SELECT w.id
FROM webhooks AS w
INNER JOIN organizations AS o ON o.id = w.org_id
WHERE w.enabled = 1 AND o.archived_at IS NULL AND (:org_id IS NULL OR w.org_id = :org_id)
ORDER BY w.id
