-- What things of an organization are called: cards and projects by their keys, all else by title or name.
-- CROSS JOIN keeps the ids outermost: the planner would rather look at all cards of the organization.
SELECT c.id, p.key || '-' || c.number AS name
FROM json_each(:ids) AS named
CROSS JOIN cards AS c ON c.id = named.value
JOIN projects AS p ON p.id = c.project_id
WHERE c.org_id = :org_id
UNION ALL
SELECT l.id, l.title AS name
FROM json_each(:ids) AS named
CROSS JOIN columns AS l ON l.id = named.value
WHERE l.org_id = :org_id
UNION ALL
SELECT p.id, p.key AS name
FROM json_each(:ids) AS named
CROSS JOIN projects AS p ON p.id = named.value
WHERE p.org_id = :org_id
UNION ALL
SELECT t.id, t.title AS name
FROM json_each(:ids) AS named
CROSS JOIN card_types AS t ON t.id = named.value
WHERE t.org_id = :org_id
UNION ALL
SELECT f.id, f.name
FROM json_each(:ids) AS named
CROSS JOIN fields AS f ON f.id = named.value
JOIN card_types AS t ON t.id = f.card_type_id
WHERE t.org_id = :org_id
