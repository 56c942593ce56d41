-- The key, title and location of a card of an active project.
SELECT c.id, p.key || '-' || c.number AS key, c.title, c.project_id, c.card_type_id, c.column_id
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.id = :card_id AND c.org_id = :org_id AND p.archived_at IS NULL
