-- The active parts of a card that are on the same board, in the order in which they became parts.
SELECT c.id AS card_id
FROM relationships AS r
JOIN cards AS c ON c.id = r.from_card_id
WHERE r.to_card_id = :card_id AND r.kind = 'partOf' AND c.project_id = :project_id AND c.archived_at IS NULL
ORDER BY r.created_at, r.id
