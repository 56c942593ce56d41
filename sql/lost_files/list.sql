-- A page of the files of an organization whose contents are missing or damaged, those that were found first.
SELECT f.id, f.card_id, p.key || '-' || c.number AS card_key, f.name
FROM files AS f
CROSS JOIN cards AS c ON c.id = f.card_id
CROSS JOIN projects AS p ON p.id = c.project_id
WHERE f.org_id = :org_id AND f.lost_since IS NOT NULL
ORDER BY f.lost_since, f.id
LIMIT :limit OFFSET :offset
