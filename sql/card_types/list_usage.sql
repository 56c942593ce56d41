-- The boards on which cards have a type, with the numbers of active and archived ones, most first.
SELECT
    p.id,
    p.title,
    count(*) FILTER (WHERE c.archived_at IS NULL) AS card_count,
    count(*) FILTER (WHERE c.archived_at IS NOT NULL) AS archived_count
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.card_type_id = :card_type_id
GROUP BY p.id, p.title
ORDER BY count(*) DESC, p.id
