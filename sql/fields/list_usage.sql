-- The boards on which cards have values or files of a field, with the numbers of both, most first.
WITH used AS (
    SELECT c.project_id, 1 AS is_value
    FROM field_values AS v
    JOIN cards AS c ON c.id = v.card_id
    JOIN fields AS d ON d.id = v.field_id AND d.kind <> 'file'
    WHERE v.field_id = :field_id
    UNION ALL
    SELECT c.project_id, 0
    FROM files AS f
    JOIN cards AS c ON c.id = f.card_id
    WHERE f.field_id = :field_id
)

SELECT p.id, p.title, sum(used.is_value) AS value_count, count(*) - sum(used.is_value) AS file_count
FROM used
JOIN projects AS p ON p.id = used.project_id
GROUP BY p.id, p.title
ORDER BY count(*) DESC, p.id
