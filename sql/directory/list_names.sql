-- The names of resources with the given ids: keys for cards and projects, otherwise the title or name.
-- CROSS JOIN keeps the ids in the outer loop; otherwise the planner scans all cards of the organization.
SELECT c.id, p.key || '-' || c.number AS name
FROM json_each(:ids) AS ids
CROSS JOIN cards AS c ON c.id = ids.value
JOIN projects AS p ON p.id = c.project_id
WHERE c.org_id = :org_id
UNION ALL
SELECT col.id, col.title AS name
FROM json_each(:ids) AS ids
CROSS JOIN columns AS col ON col.id = ids.value
WHERE col.org_id = :org_id
UNION ALL
SELECT p.id, p.key AS name
FROM json_each(:ids) AS ids
CROSS JOIN projects AS p ON p.id = ids.value
WHERE p.org_id = :org_id
UNION ALL
SELECT t.id, t.title AS name
FROM json_each(:ids) AS ids
CROSS JOIN card_types AS t ON t.id = ids.value
WHERE t.org_id = :org_id
UNION ALL
SELECT f.id, f.name
FROM json_each(:ids) AS ids
CROSS JOIN fields AS f ON f.id = ids.value
JOIN card_types AS t ON t.id = f.card_type_id
WHERE t.org_id = :org_id
