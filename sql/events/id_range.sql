-- The first and the last event of an organization, and the last restore of the service, which has no organization.
SELECT
    f.id AS first_id,
    f.type AS first_type,
    f.created_at AS first_at,
    (SELECT max(id) FROM events WHERE org_id = :org_id) AS last_id,
    r.id AS restored_id,
    r.created_at AS restored_at
FROM (SELECT min(id) AS first_id FROM events WHERE org_id = :org_id) AS b
LEFT JOIN events AS f ON f.id = b.first_id
LEFT JOIN events AS r ON r.id = (SELECT max(id) FROM events WHERE org_id = '')
