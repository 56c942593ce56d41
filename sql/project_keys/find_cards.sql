-- The card with an id that the caller may know, or else the cards of an organization that have, or had, any given key.
WITH by_id AS (
    SELECT c.id
    FROM cards AS c
    WHERE
        c.id = :id_or_key
        AND (
            c.org_id = :org_id
            OR EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = :user_id AND m.org_id = c.org_id)
        )
)
SELECT id, NULL AS key, FALSE AS is_archived
FROM by_id
UNION ALL
SELECT c.id, p.key || '-' || c.number AS key, p.archived_at IS NOT NULL AS is_archived
FROM json_each(:keys) AS named
CROSS JOIN project_keys AS k ON k.org_id = :org_id AND k.key = named.value ->> 'key'
JOIN projects AS p ON p.id = k.project_id
JOIN cards AS c ON c.project_id = k.project_id AND c.number = named.value ->> 'number'
WHERE NOT EXISTS (SELECT 1 FROM by_id)
UNION ALL
SELECT c.id, former.key || '-' || f.number AS key, p.archived_at IS NOT NULL AS is_archived
FROM json_each(:keys) AS named
CROSS JOIN project_keys AS k ON k.org_id = :org_id AND k.key = named.value ->> 'key'
JOIN projects AS former ON former.id = k.project_id
JOIN former_card_keys AS f ON f.project_id = k.project_id AND f.number = named.value ->> 'number'
JOIN cards AS c ON c.id = f.card_id
JOIN projects AS p ON p.id = c.project_id
WHERE NOT EXISTS (SELECT 1 FROM by_id)
