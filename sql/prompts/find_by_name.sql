-- The last changed prompt with a name.
SELECT id
FROM prompts
WHERE org_id = :org_id AND archived_at IS NULL AND name = :name
ORDER BY updated_at DESC, id DESC
LIMIT 1
