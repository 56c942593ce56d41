-- Whether any of the given card keys names a card that an organization has or had.
SELECT EXISTS (
    SELECT 1
    FROM json_each(:keys) AS named
    CROSS JOIN project_keys AS k ON k.org_id = :org_id AND k.key = named.value ->> 'key'
    JOIN projects AS p ON p.id = k.project_id
    WHERE named.value ->> 'number' <= p.last_number
)
