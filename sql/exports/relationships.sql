-- The relationships of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'fromCardId', from_card_id,
        'toCardId', to_card_id,
        'kind', kind,
        'comment', comment,
        'createdAt', created_at
    ) AS row
FROM relationships
WHERE org_id = :org_id
ORDER BY created_at, id
