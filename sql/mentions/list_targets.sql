-- The members and agents of an organization that have one of the given names as handle or id, people first.
SELECT names.value AS name, 'User' AS type, u.id
FROM json_each(:names) AS names
CROSS JOIN users AS u ON u.handle = names.value
JOIN memberships AS m ON m.user_id = u.id AND m.org_id = :org_id
UNION ALL
SELECT names.value AS name, 'Agent' AS type, a.id
FROM json_each(:names) AS names
CROSS JOIN agents AS a ON a.org_id = :org_id AND a.id = names.value
