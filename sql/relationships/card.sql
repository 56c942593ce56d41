-- Whether a card can be related: it is active, and so is its project.
SELECT c.id
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.id = :card_id AND c.org_id = :org_id AND c.archived_at IS NULL AND p.archived_at IS NULL
