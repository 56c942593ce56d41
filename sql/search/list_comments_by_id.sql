-- The given comments, oldest first.
SELECT id, content
FROM comments
WHERE id IN (SELECT value FROM json_each(:ids))
ORDER BY created_at, id
